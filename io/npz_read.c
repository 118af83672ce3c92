/* npz_read.c: reading .npz archives.
 *
 * The directory is read and checked when the archive is opened; a member's own header and data when
 * it is loaded. Nothing is believed: every place is held against the archive's bounds, the local
 * header against the directory, a deflated member's size against what deflate can make of its
 * bytes, and its contents against its checksum.
 */
#include <stdlib.h>
#include <string.h>

#include <transmute/io.h>

#include "dispatch/error.h"
#include "npy.h"
#include "npz.h"
#include "sized.h"

enum {
    COMMENT_MAX = 65535,
    ENCRYPTED = 1,        /* a flag */
    DEFLATE_RATIO = 1032, /* the most that a deflated byte can stand for */
    DEFLATE_OVERHEAD = 64 /* generously: the ratio holds but for a few bytes */
};

typedef struct entry {
    const char *file; /* the member's name */
    const char *name; /* the same without ".npy" */
    int64_t at, packed, size;
    uint32_t crc;
    unsigned method, flags;
} entry;

struct tm_npz {
    tm_bytes bytes;
    int64_t count, directory; /* where the directory begins */
    entry *entries;           /* in the directory's order */
    int64_t *sorted;          /* their numbers in order of `file` */
    char *text;               /* the names, and the path */
};

/* Where the directory is. */
typedef struct place {
    int64_t count, at, size;
} place;

static uint64_t get(const unsigned char *bytes, int size)
{
    uint64_t value = 0;
    for (int i = size; i-- > 0;) {
        value = value << 8 | bytes[i];
    }
    return value;
}

static unsigned get16(const unsigned char *bytes)
{
    return (unsigned)get(bytes, 2);
}

/* A 64-bit number that is a place or a size; -1 where no file is that long. */
static int64_t get64(const unsigned char *bytes)
{
    uint64_t value = get(bytes, 8);
    return value > INT64_MAX ? -1 : (int64_t)value;
}

static bool malformed(const tm_reading *reading, const char *why)
{
    return tm_refuse(reading, TM_ERR_IO, "malformed archive: %s", why);
}

/* -- The end record -- */

/* The zip64 end record, where a locator stands before the end record at `end`. *where is then the
 * place of the record that follows the directory. */
static bool find_end64(const tm_reading *reading, int64_t end, place *found, int64_t *where)
{
    unsigned char bytes[TM_ZIP_END64_SIZE];
    if (end < TM_ZIP_LOCATOR64_SIZE + TM_ZIP_END64_SIZE) {
        return true;
    }
    int64_t locator = end - TM_ZIP_LOCATOR64_SIZE;
    if (!tm_bytes_read(reading, locator, bytes, TM_ZIP_LOCATOR64_SIZE)) {
        return false;
    }
    if (get(bytes, 4) != TM_ZIP_LOCATOR64) {
        return true;
    }
    int64_t at = get64(bytes + 8);
    if (at < 0 || at > locator - TM_ZIP_END64_SIZE) {
        return malformed(reading, "its zip64 end record lies outside");
    }
    if (!tm_bytes_read(reading, at, bytes, TM_ZIP_END64_SIZE)) {
        return false;
    }
    if (get(bytes, 4) != TM_ZIP_END64) {
        return malformed(reading, "it has no zip64 end record where its locator says");
    }
    if (get(bytes + 16, 8) != 0 || get(bytes + 24, 8) != get(bytes + 32, 8)) {
        return malformed(reading, "it is one of several parts");
    }
    *found = (place){get64(bytes + 32), get64(bytes + 48), get64(bytes + 40)};
    *where = at;
    return true;
}

/* Looks for the end record from the end on: a comment may follow it. */
static bool find_end(const tm_reading *reading, int64_t *at, unsigned char record[TM_ZIP_END_SIZE])
{
    int64_t size = reading->bytes->size;
    int64_t length = size < COMMENT_MAX + TM_ZIP_END_SIZE ? size : COMMENT_MAX + TM_ZIP_END_SIZE;
    unsigned char *tail = tm_sized_alloc((size_t)length + 1);
    if (tail == NULL) {
        tm_error_memory(reading->function, length);
        return false;
    }
    bool good = tm_bytes_read(reading, size - length, tail, (size_t)length), found = false;
    for (int64_t i = length - TM_ZIP_END_SIZE; good && !found && i >= 0; i--) {
        if (get(tail + i, 4) == TM_ZIP_END &&
            (int64_t)get16(tail + i + 20) == length - TM_ZIP_END_SIZE - i) {
            found = true;
            *at = size - length + i;
            memcpy(record, tail + i, TM_ZIP_END_SIZE);
        }
    }
    tm_sized_free(tail);
    if (good && !found) {
        return tm_refuse(reading, TM_ERR_IO, "not a .npz archive, or one that is cut short");
    }
    return good;
}

static bool find_directory(const tm_reading *reading, place *found)
{
    unsigned char record[TM_ZIP_END_SIZE];
    int64_t end = 0;
    if (!find_end(reading, &end, record)) {
        return false;
    }
    if (get(record + 4, 4) != 0 || get16(record + 8) != get16(record + 10)) {
        return malformed(reading, "it is one of several parts");
    }
    *found =
        (place){get16(record + 10), (int64_t)get(record + 16, 4), (int64_t)get(record + 12, 4)};
    if (!find_end64(reading, end, found, &end)) {
        return false;
    }
    if (found->at < 0 || found->size < 0 || found->count < 0 || found->size > end ||
        found->at != end - found->size) {
        return malformed(reading, "its directory does not lie before its end record");
    }
    if (found->count > found->size / TM_ZIP_ENTRY_SIZE) {
        return malformed(reading, "its directory is too short for its members");
    }
    return true;
}

/* -- The directory -- */

/* Takes the numbers whose fields are full from the zip64 extra field. */
static bool read_extra(const unsigned char *extra, size_t length, int64_t *const *full, int count)
{
    while (length >= 4) {
        size_t size = get16(extra + 2);
        if (size > length - 4) {
            return false;
        }
        if (get16(extra) == TM_ZIP_EXTRA64) {
            if (size < 8 * (size_t)count) {
                return false;
            }
            for (int i = 0; i < count; i++) {
                *full[i] = get64(extra + 4 + 8 * (size_t)i);
            }
            return true;
        }
        extra += 4 + size;
        length -= 4 + size;
    }
    return count == 0;
}

/* Reads one entry and copies its name, twice, to *text. Returns the entry's length; 0 after a
 * refusal. */
static size_t read_entry(const tm_reading *reading, const unsigned char *bytes, size_t left,
                         int64_t directory, entry *e, char **text)
{
    if (left < TM_ZIP_ENTRY_SIZE || get(bytes, 4) != TM_ZIP_ENTRY) {
        malformed(reading, "its directory is broken");
        return 0;
    }
    size_t name = get16(bytes + 28), extra = get16(bytes + 30), comment = get16(bytes + 32);
    size_t length = TM_ZIP_ENTRY_SIZE + name + extra + comment;
    if (length > left) {
        malformed(reading, "its directory is broken");
        return 0;
    }
    const unsigned char *from = bytes + TM_ZIP_ENTRY_SIZE;
    *e = (entry){.flags = get16(bytes + 8),
                 .method = get16(bytes + 10),
                 .crc = (uint32_t)get(bytes + 16, 4),
                 .packed = (int64_t)get(bytes + 20, 4),
                 .size = (int64_t)get(bytes + 24, 4),
                 .at = (int64_t)get(bytes + 42, 4)};
    if (name == 0 || memchr(from, '\0', name) != NULL) {
        malformed(reading, "a member's name is empty or not text");
        return 0;
    }
    char *copy = *text;
    memcpy(copy, from, name);
    copy[name] = '\0';
    e->file = copy;
    bool npy = name > 4 && strcmp(copy + name - 4, ".npy") == 0;
    e->name = copy + name + 1;
    memcpy(copy + name + 1, from, name);
    copy[2 * name + 1 - (npy ? 4 : 0)] = '\0';
    *text = copy + 2 * name + 2;

    tm_reading member = *reading;
    member.member = e->file;
    int64_t *full[3];
    int count = 0;
    int64_t *const numbers[] = {&e->size, &e->packed, &e->at};
    for (int i = 0; i < 3; i++) {
        if (*numbers[i] == TM_ZIP_FULL32) {
            full[count++] = numbers[i];
        }
    }
    if (!read_extra(from + name, extra, full, count)) {
        malformed(&member, "its extra field is broken");
        return 0;
    }
    if (e->at < 0 || e->packed < 0 || e->size < 0 || e->at > directory - TM_ZIP_LOCAL_SIZE ||
        e->packed > directory - TM_ZIP_LOCAL_SIZE - e->at) {
        malformed(&member, "it lies outside");
        return 0;
    }
    return length;
}

/* For qsort_r, which has no other way to the entries. */
static int compare_files(const void *a, const void *b, void *entries)
{
    const entry *all = entries;
    return strcmp(all[*(const int64_t *)a].file, all[*(const int64_t *)b].file);
}

static bool sort_names(const tm_reading *reading, tm_npz *npz)
{
    for (int64_t i = 0; i < npz->count; i++) {
        npz->sorted[i] = i;
    }
    qsort_r(npz->sorted, (size_t)npz->count, sizeof(npz->sorted[0]), compare_files, npz->entries);
    for (int64_t i = 1; i < npz->count; i++) {
        const char *file = npz->entries[npz->sorted[i]].file;
        if (strcmp(npz->entries[npz->sorted[i - 1]].file, file) == 0) {
            tm_reading member = *reading;
            member.member = file;
            return malformed(&member, "there are two of that name");
        }
    }
    return true;
}

static bool read_directory(const tm_reading *reading, tm_npz *npz, const place *where)
{
    size_t size = (size_t)where->size, count = (size_t)where->count;
    npz->directory = where->at;
    npz->entries = tm_sized_alloc(count * sizeof(entry) + 1);
    npz->sorted = tm_sized_alloc(count * sizeof(int64_t) + 1);
    npz->text = tm_sized_alloc(2 * size + 1); /* an entry is longer than two NULs by far */
    unsigned char *bytes = tm_sized_alloc(size + 1);
    bool good = npz->entries != NULL && npz->sorted != NULL && npz->text != NULL && bytes != NULL;
    if (!good) {
        tm_error_memory(reading->function, (int64_t)(count * sizeof(entry) + 3 * size));
    }
    good = good && tm_bytes_read(reading, where->at, bytes, size);
    char *text = npz->text;
    size_t at = 0;
    for (size_t i = 0; good && i < count; i++) {
        size_t length =
            read_entry(reading, bytes + at, size - at, where->at, &npz->entries[i], &text);
        good = length > 0;
        at += length;
    }
    tm_sized_free(bytes);
    if (good && at != size) {
        return malformed(reading, "its directory is longer than its members");
    }
    npz->count = where->count;
    return good && sort_names(reading, npz);
}

/* -- The public functions -- */

static tm_npz *open_archive(tm_bytes bytes, const char *function, const char *argument)
{
    size_t length = bytes.path != NULL ? strlen(bytes.path) + 1 : 0;
    tm_npz *npz = tm_sized_alloc(sizeof(*npz) + length);
    if (npz == NULL) {
        tm_error_memory(function, (int64_t)(sizeof(*npz) + length));
        tm_bytes_close(&bytes);
        return NULL;
    }
    *npz = (tm_npz){.bytes = bytes};
    if (length > 0) {
        npz->bytes.path = memcpy(npz + 1, bytes.path, length);
    }
    tm_reading reading = {.function = function, .argument = argument, .bytes = &npz->bytes};
    place where = {0};
    if (!find_directory(&reading, &where) || !read_directory(&reading, npz, &where)) {
        tm_npz_close(npz);
        return NULL;
    }
    return npz;
}

tm_npz *tm_npz_open(const char *path)
{
    tm_bytes bytes;
    if (!tm_bytes_open(&bytes, path, "npz_open")) {
        tm_bytes_close(&bytes);
        return NULL;
    }
    return open_archive(bytes, "npz_open", "path");
}

tm_npz *tm_npz_open_memory(const void *data, size_t size)
{
    tm_bytes bytes;
    return tm_bytes_memory(&bytes, data, size, "npz_open_memory")
               ? open_archive(bytes, "npz_open_memory", "data")
               : NULL;
}

void tm_npz_close(tm_npz *npz)
{
    if (npz != NULL) {
        tm_bytes_close(&npz->bytes);
        tm_sized_free(npz->entries);
        tm_sized_free(npz->sorted);
        tm_sized_free(npz->text);
        tm_sized_free(npz);
    }
}

int64_t tm_npz_count(const tm_npz *npz)
{
    if (npz == NULL) {
        tm_error_null("npz_count", "npz");
        return -1;
    }
    return npz->count;
}

const char *tm_npz_name(const tm_npz *npz, int64_t i)
{
    if (npz == NULL) {
        tm_error_null("npz_name", "npz");
        return NULL;
    }
    if (i < 0 || i >= npz->count) {
        tm_error_set(TM_ERR_INDEX, "npz_name", "i", "i must be in 0..%lld, got %lld",
                     (long long)npz->count - 1, (long long)i);
        return NULL;
    }
    return npz->entries[i].name;
}

/* The order of `name` followed by `suffix` and a member's name. */
static int compare_name(const char *name, const char *suffix, const char *file)
{
    size_t length = strlen(name);
    int order = strncmp(name, file, length);
    return order != 0 ? order : strcmp(suffix, file + length);
}

static const entry *find_file(const tm_npz *npz, const char *name, const char *suffix)
{
    int64_t low = 0, high = npz->count;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        const entry *e = &npz->entries[npz->sorted[middle]];
        int order = compare_name(name, suffix, e->file);
        if (order == 0) {
            return e;
        }
        if (order < 0) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return NULL;
}

/* Holds a member's own header against the directory, and finds its data. */
static bool locate(const tm_reading *reading, const tm_npz *npz, const entry *e, tm_packed *packed)
{
    if ((e->flags & ENCRYPTED) != 0) {
        return tm_refuse(reading, TM_ERR_IO, "encrypted members are not supported");
    }
    if (e->method != TM_ZIP_STORED && e->method != TM_ZIP_DEFLATED) {
        return tm_refuse(reading, TM_ERR_IO,
                         "compression method %u is not supported, only 0 (stored) and 8 (deflated)",
                         e->method);
    }
    unsigned char header[TM_ZIP_LOCAL_SIZE];
    if (!tm_bytes_read(reading, e->at, header, sizeof(header))) {
        return false;
    }
    size_t name = get16(header + 26), extra = get16(header + 28);
    if (get(header, 4) != TM_ZIP_LOCAL || get16(header + 8) != e->method ||
        name != strlen(e->file)) {
        return malformed(reading, "its header is not the one its directory names");
    }
    *packed = (tm_packed){.begin = e->at + TM_ZIP_LOCAL_SIZE + (int64_t)(name + extra),
                          .packed_size = e->packed,
                          .size = e->size,
                          .crc = e->crc,
                          .deflated = e->method == TM_ZIP_DEFLATED};
    if (packed->begin > npz->directory || e->packed > npz->directory - packed->begin) {
        return malformed(reading, "its data lie outside");
    }
    if (packed->deflated ? e->size / DEFLATE_RATIO > e->packed + DEFLATE_OVERHEAD
                         : e->size != e->packed) {
        return malformed(reading, "its data cannot be of the declared size");
    }
    char piece[256];
    for (size_t done = 0; done < name; done += sizeof(piece)) {
        size_t count = name - done < sizeof(piece) ? name - done : sizeof(piece);
        if (!tm_bytes_read(reading, e->at + TM_ZIP_LOCAL_SIZE + (int64_t)done, piece, count)) {
            return false;
        }
        if (memcmp(piece, e->file + done, count) != 0) {
            return malformed(reading, "its header has another name");
        }
    }
    return true;
}

tm_tensor *tm_npz_load(const tm_npz *npz, const char *name)
{
    if (npz == NULL || name == NULL) {
        tm_error_null("npz_load", npz == NULL ? "npz" : "name");
        return NULL;
    }
    tm_reading reading = {.function = "npz_load", .argument = "name", .bytes = &npz->bytes};
    const entry *e = find_file(npz, name, "");
    e = e != NULL ? e : find_file(npz, name, ".npy");
    if (e == NULL) {
        tm_refuse(&reading, TM_ERR_VALUE, "there is no member '%.200s'", name);
        return NULL;
    }
    reading.member = e->file;
    tm_packed packed;
    tm_stream stream;
    if (!locate(&reading, npz, e, &packed) || !tm_stream_member(&stream, reading, &packed)) {
        return NULL;
    }
    tm_tensor *x = tm_npy_read(&stream);
    tm_stream_end(&stream);
    return x;
}
