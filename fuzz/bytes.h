/* bytes.h: a fuzzer's input, read from the front.
 *
 * Past the end every read gives 0, so any input is a whole one and a longer one only says more.
 */
#ifndef TM_FUZZ_BYTES_H
#define TM_FUZZ_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct fuzz_bytes {
    const uint8_t *at;
    size_t left;
} fuzz_bytes;

static inline uint8_t fuzz_byte(fuzz_bytes *bytes)
{
    if (bytes->left == 0)
        return 0;
    bytes->left--;
    return *bytes->at++;
}

/** 0 <= result < n, for n of at most 256; 0 where n is 0. */
static inline int fuzz_below(fuzz_bytes *bytes, int n)
{
    uint8_t byte = fuzz_byte(bytes);
    return n > 0 ? byte % n : 0;
}

/** True in about one of n. */
static inline bool fuzz_one_in(fuzz_bytes *bytes, int n)
{
    return fuzz_below(bytes, n) == n - 1;
}

static inline uint64_t fuzz_word(fuzz_bytes *bytes)
{
    uint64_t word = 0;
    for (int i = 0; i < 8; i++)
        word = word << 8 | fuzz_byte(bytes);
    return word;
}

/** Mostly a small number, sometimes one at an edge, sometimes any. */
static inline int64_t fuzz_int(fuzz_bytes *bytes)
{
    static const int64_t edges[] = {INT64_MIN,        INT64_MIN + 1,    INT64_MAX,
                                    INT64_MAX - 1,    INT32_MIN,        INT32_MAX,
                                    INT64_C(1) << 31, INT64_C(1) << 32, INT64_C(1) << 62,
                                    INT64_MIN / 2,    UINT32_MAX,       INT64_MAX / 8};
    int byte = fuzz_byte(bytes);
    if (byte < 224)
        return byte % 16 - 5;
    if (byte < 254)
        return edges[byte % (int)(sizeof edges / sizeof edges[0])];
    return (int64_t)fuzz_word(bytes);
}

/** Copies what comes before the next `end` byte, or all there is, as a string; what does not fit is
 *  passed over. Returns its length. */
static inline size_t fuzz_text(fuzz_bytes *bytes, char end, char *text, size_t size)
{
    size_t length = 0;
    while (bytes->left > 0) {
        char c = (char)fuzz_byte(bytes);
        if (c == end || c == '\0')
            break;
        if (length + 1 < size)
            text[length++] = c;
    }
    text[length] = '\0';
    return length;
}

#endif
