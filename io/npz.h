/* npz.h: what the reader and the writer of .npz archives share: the numbers of the zip format.
 *
 * A .npz archive is a zip file with one .npy member per array. A zip file is its members, each
 * behind a local header; the directory, one entry per member; and the end record, which says where
 * the directory is. Where a size, a place or a count does not fit its field, the field is all ones
 * and the number stands in a zip64 record. Little-endian throughout. PKWARE's APPNOTE.TXT 6.3 has
 * the layouts.
 */
#ifndef TRANSMUTE_IO_NPZ_H
#define TRANSMUTE_IO_NPZ_H

#include "sink.h"

#define TM_ZIP_LOCAL 0x04034b50u
#define TM_ZIP_ENTRY 0x02014b50u
#define TM_ZIP_END 0x06054b50u
#define TM_ZIP_END64 0x06064b50u
#define TM_ZIP_LOCATOR64 0x07064b50u

enum {
    TM_ZIP_LOCAL_SIZE = 30,
    TM_ZIP_ENTRY_SIZE = 46,
    TM_ZIP_END_SIZE = 22,
    TM_ZIP_END64_SIZE = 56,
    TM_ZIP_LOCATOR64_SIZE = 20,
    TM_ZIP_EXTRA64 = 1, /* the id of the extra field with 64-bit numbers */
    TM_ZIP_STORED = 0,
    TM_ZIP_DEFLATED = 8
};

/* What a field holds whose number stands elsewhere. */
#define TM_ZIP_FULL16 0xffffu
#define TM_ZIP_FULL32 0xffffffffu

/** What is written: `limit` is the least number that goes to a zip64 record, TM_ZIP_FULL32 but in
 *  tests, and `full_count` the least count of members that does. */
typedef struct tm_npz_content {
    const char *function;
    int count;
    const char *const *names;
    const tm_tensor *const *tensors;
    bool compressed;
    int64_t limit, full_count;
} tm_npz_content;

/** Writes an archive; a tm_fill_fn, its content a tm_npz_content that has been checked. */
bool tm_npz_write(tm_sink *sink, const void *content);

#endif
