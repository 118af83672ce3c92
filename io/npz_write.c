/* npz_write.c: writing .npz archives.
 *
 * The members stand in the order they are given in, dated 1980 as NumPy's are, so that equal
 * tensors give equal archives. A member's local header is written before its size and checksum are
 * known, and again after.
 */
#include <errno.h>
#include <string.h>

#include <transmute/io.h>

#include "dispatch/error.h"
#include "npy.h"
#include "npz.h"
#include "zlib_memory.h"

enum {
    VERSION = 20,
    VERSION64 = 45,          /* of the format, to read a member with zip64 numbers */
    UNIX = 3,                /* whose file attributes the directory has */
    UTF8 = 0x800,            /* the flag of a name that is more than ASCII */
    FIRST_OF_1980 = 0x21,    /* an MS-DOS date */
    READ_WRITE = 0600 << 16, /* the attributes: read and written by the owner */
    NAME_MAX_BYTES = 65000,
    EXTRA_MAX = 28 /* a zip64 extra field with three numbers */
};

typedef struct member {
    const char *name;
    const void *data; /* the tensor's first element */
    int64_t at, size, packed;
    uint32_t crc;
    bool wide; /* the local header has zip64 sizes */
} member;

/* -- Little-endian fields -- */

typedef struct record {
    unsigned char bytes[TM_ZIP_END64_SIZE + TM_ZIP_LOCATOR64_SIZE + TM_ZIP_END_SIZE + EXTRA_MAX];
    size_t length;
} record;

static void put(record *r, uint64_t value, int size)
{
    for (int i = 0; i < size; i++) {
        r->bytes[r->length++] = (unsigned char)(value >> (8 * i));
    }
}

/* The number, or all ones where it goes to a zip64 record. */
static void put_or_full(record *r, int64_t value, int64_t limit)
{
    put(r, value >= limit ? TM_ZIP_FULL32 : (uint64_t)value, 4);
}

/* -- A member's contents -- */

typedef struct packer {
    tm_sink *sink;
    member *m;
    z_stream *deflate; /* NULL: stored */
} packer;

/* Hands bytes to deflate and what comes out to the sink. */
static bool deflate_bytes(packer *p, const void *bytes, size_t count, int flush)
{
    unsigned char out[1 << 14];
    z_stream *z = p->deflate;
    z->next_in = (unsigned char *)bytes; /* zlib does not write there */
    z->avail_in = (unsigned)count;
    do {
        z->next_out = out;
        z->avail_out = sizeof(out);
        deflate(z, flush); /* cannot fail: its state is sound and it has room */
        size_t made = sizeof(out) - z->avail_out;
        p->m->packed += (int64_t)made;
        if (made > 0 && !tm_sink_write(p->sink, out, made)) {
            return false;
        }
    } while (z->avail_out == 0);
    return true;
}

/* A tm_write_fn. */
static bool pack(void *to, const void *bytes, size_t count)
{
    packer *p = to;
    p->m->size += (int64_t)count;
    p->m->crc = tm_zlib_crc(p->m->crc, bytes, count);
    if (p->deflate == NULL) {
        p->m->packed += (int64_t)count;
        return tm_sink_write(p->sink, bytes, count);
    }
    for (const char *at = bytes; count > 0;) {
        size_t piece = count < TM_ZLIB_MOST ? count : TM_ZLIB_MOST;
        if (!deflate_bytes(p, at, piece, Z_NO_FLUSH)) {
            return false;
        }
        at += piece;
        count -= piece;
    }
    return true;
}

static bool write_packed(tm_sink *sink, member *m, const tm_tensor *x, bool compressed)
{
    packer p = {.sink = sink, .m = m};
    if (!compressed) {
        return tm_npy_write(x, m->data, pack, &p);
    }
    z_stream z = {.zalloc = tm_zlib_alloc, .zfree = tm_zlib_free};
    if (deflateInit2(&z, Z_DEFAULT_COMPRESSION, Z_DEFLATED, TM_ZLIB_RAW, MAX_MEM_LEVEL - 1,
                     Z_DEFAULT_STRATEGY) != Z_OK) {
        sink->error = ENOMEM;
        return false;
    }
    p.deflate = &z;
    bool good = tm_npy_write(x, m->data, pack, &p) && deflate_bytes(&p, NULL, 0, Z_FINISH);
    deflateEnd(&z);
    return good;
}

/* -- Headers -- */

/* The fields that local header and directory share, from "version needed" to the checksum. */
static void put_common(record *r, const member *m, const tm_npz_content *c, bool wide)
{
    bool ascii = true;
    for (const char *at = m->name; *at != '\0'; at++) {
        ascii &= (*at & 0x80) == 0;
    }
    put(r, wide ? VERSION64 : VERSION, 2);
    put(r, ascii ? 0 : UTF8, 2);
    put(r, c->compressed ? TM_ZIP_DEFLATED : TM_ZIP_STORED, 2);
    put(r, 0, 2);
    put(r, FIRST_OF_1980, 2);
    put(r, m->crc, 4);
}

static size_t name_length(const member *m)
{
    return strlen(m->name) + strlen(".npy");
}

static bool write_name(tm_sink *sink, const member *m)
{
    return tm_sink_write(sink, m->name, strlen(m->name)) && tm_sink_write(sink, ".npy", 4);
}

/* The local header up to the name: its length does not depend on the sizes. */
static record local_header(const member *m, const tm_npz_content *c)
{
    record r = {0};
    put(&r, TM_ZIP_LOCAL, 4);
    put_common(&r, m, c, m->wide);
    put(&r, m->wide ? TM_ZIP_FULL32 : (uint64_t)m->packed, 4);
    put(&r, m->wide ? TM_ZIP_FULL32 : (uint64_t)m->size, 4);
    put(&r, name_length(m), 2);
    put(&r, m->wide ? 20 : 0, 2);
    return r;
}

static record local_extra(const member *m)
{
    record r = {0};
    if (m->wide) {
        put(&r, TM_ZIP_EXTRA64, 2);
        put(&r, 16, 2);
        put(&r, (uint64_t)m->size, 8);
        put(&r, (uint64_t)m->packed, 8);
    }
    return r;
}

static bool write_member(tm_sink *sink, member *m, const tm_tensor *x, const tm_npz_content *c)
{
    m->at = sink->size;
    /* Deflated data can be longer than plain ones: by 5 bytes in 16 KiB at most, and a few. */
    int64_t size = tm_npy_size(x);
    m->wide = size + size / 1024 + 64 >= c->limit;
    record header = local_header(m, c), extra = local_extra(m);
    if (!tm_sink_write(sink, header.bytes, header.length) || !write_name(sink, m) ||
        !tm_sink_write(sink, extra.bytes, extra.length) ||
        !write_packed(sink, m, x, c->compressed)) {
        return false;
    }
    record first = local_header(m, c), second = local_extra(m);
    return tm_sink_patch(sink, m->at, first.bytes, first.length) &&
           (second.length == 0 ||
            tm_sink_patch(sink, m->at + (int64_t)(first.length + name_length(m)), second.bytes,
                          second.length));
}

static bool write_entry(tm_sink *sink, const member *m, const tm_npz_content *c)
{
    record extra = {.length = 4};
    const int64_t numbers[] = {m->size, m->packed, m->at};
    for (int i = 0; i < 3; i++) {
        if (numbers[i] >= c->limit) {
            put(&extra, (uint64_t)numbers[i], 8);
        }
    }
    size_t extra_length = extra.length == 4 ? 0 : extra.length;
    extra.length = 0;
    put(&extra, TM_ZIP_EXTRA64, 2);
    put(&extra, extra_length == 0 ? 0 : extra_length - 4, 2);

    record r = {0};
    put(&r, TM_ZIP_ENTRY, 4);
    put(&r, UNIX << 8 | VERSION, 2);
    put_common(&r, m, c, m->wide || extra_length > 0);
    put_or_full(&r, m->packed, c->limit);
    put_or_full(&r, m->size, c->limit);
    put(&r, name_length(m), 2);
    put(&r, extra_length, 2);
    put(&r, 0, 2); /* no comment */
    put(&r, 0, 2); /* the first disk */
    put(&r, 0, 2); /* no text */
    put(&r, READ_WRITE, 4);
    put_or_full(&r, m->at, c->limit);
    return tm_sink_write(sink, r.bytes, r.length) && write_name(sink, m) &&
           tm_sink_write(sink, extra.bytes, extra_length);
}

static bool write_end(tm_sink *sink, const tm_npz_content *c, int64_t begin)
{
    int64_t end = sink->size, size = end - begin;
    bool many = c->count >= c->full_count;
    record r = {0};
    if (many || begin >= c->limit || size >= c->limit) {
        put(&r, TM_ZIP_END64, 4);
        put(&r, TM_ZIP_END64_SIZE - 12, 8); /* what follows this field */
        put(&r, UNIX << 8 | VERSION64, 2);
        put(&r, VERSION64, 2);
        put(&r, 0, 8); /* this disk and the directory's: the first */
        put(&r, (uint64_t)c->count, 8);
        put(&r, (uint64_t)c->count, 8);
        put(&r, (uint64_t)size, 8);
        put(&r, (uint64_t)begin, 8);
        put(&r, TM_ZIP_LOCATOR64, 4);
        put(&r, 0, 4);
        put(&r, (uint64_t)end, 8);
        put(&r, 1, 4); /* disk in all */
    }
    put(&r, TM_ZIP_END, 4);
    put(&r, 0, 4); /* this disk and the directory's */
    put(&r, many ? TM_ZIP_FULL16 : (uint64_t)c->count, 2);
    put(&r, many ? TM_ZIP_FULL16 : (uint64_t)c->count, 2);
    put_or_full(&r, size, c->limit);
    put_or_full(&r, begin, c->limit);
    put(&r, 0, 2); /* no comment */
    return tm_sink_write(sink, r.bytes, r.length);
}

static bool write_archive(tm_sink *sink, member *members, const tm_npz_content *c)
{
    for (int i = 0; i < c->count; i++) {
        members[i] = (member){.name = c->names[i], .data = tm_data(c->tensors[i])};
        if (!write_member(sink, &members[i], c->tensors[i], c)) {
            return false;
        }
    }
    int64_t begin = sink->size;
    for (int i = 0; i < c->count; i++) {
        if (!write_entry(sink, &members[i], c)) {
            return false;
        }
    }
    return write_end(sink, c, begin);
}

bool tm_npz_write(tm_sink *sink, const void *content)
{
    const tm_npz_content *c = content;
    size_t size = (size_t)c->count * sizeof(member) + 1;
    member *members = tm_sized_alloc(size);
    if (members == NULL) {
        tm_error_memory(c->function, (int64_t)size);
        return false;
    }
    bool good = write_archive(sink, members, c);
    tm_sized_free(members);
    return good;
}

/* -- The public functions -- */

static tm_status check_name(const tm_npz_content *c, int i)
{
    const char *name = c->names[i];
    if (name == NULL) {
        return tm_error_set(TM_ERR_USAGE, c->function, "names", "names[%d] is NULL", i);
    }
    if (name[0] == '\0' || strlen(name) > NAME_MAX_BYTES) {
        return tm_error_set(TM_ERR_VALUE, c->function, "names",
                            "names[%d] must have 1 to %d bytes, got %zu", i, NAME_MAX_BYTES,
                            strlen(name));
    }
    for (int k = 0; k < i; k++) {
        if (strcmp(c->names[k], name) == 0) {
            return tm_error_set(TM_ERR_VALUE, c->function, "names",
                                "names must differ, '%.200s' stands at %d and %d", name, k, i);
        }
    }
    return TM_OK;
}

static tm_status check(const tm_npz_content *c)
{
    if (c->count < 0) {
        return tm_error_set(TM_ERR_VALUE, c->function, "count", "count must be >= 0, got %d",
                            c->count);
    }
    if (c->count > 0 && (c->names == NULL || c->tensors == NULL)) {
        return tm_error_set(TM_ERR_USAGE, c->function, c->names == NULL ? "names" : "tensors",
                            "%s is NULL", c->names == NULL ? "names" : "tensors");
    }
    for (int i = 0; i < c->count; i++) {
        char what[32];
        const void *data;
        snprintf(what, sizeof(what), "tensors[%d]", i);
        tm_status status = check_name(c, i);
        if (status == TM_OK) {
            status = tm_npy_check(c->tensors[i], c->function, what, &data);
        }
        if (status != TM_OK) {
            return status;
        }
    }
    return TM_OK;
}

tm_status tm_npz_save(const char *path, int count, const char *const *names,
                      const tm_tensor *const *tensors, bool compressed)
{
    tm_npz_content c = {"npz_save", count,         names,        tensors,
                        compressed, TM_ZIP_FULL32, TM_ZIP_FULL16};
    tm_status status = check(&c);
    return status == TM_OK ? tm_write_file(path, c.function, tm_npz_write, &c) : status;
}

void *tm_npz_save_memory(int count, const char *const *names, const tm_tensor *const *tensors,
                         bool compressed, size_t *size)
{
    tm_npz_content c = {"npz_save_memory", count,         names,        tensors,
                        compressed,        TM_ZIP_FULL32, TM_ZIP_FULL16};
    return check(&c) == TM_OK ? tm_write_memory(size, c.function, tm_npz_write, &c) : NULL;
}
