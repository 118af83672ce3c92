/* convolution_tiles.c: sums over taps, by what the processor has. */
#include "convolution_tiles.h"

#include "loops.h"
#define TM_REALS_BODY "convolution_tile.h"
#include "simd_reals.h"

int64_t tm_tap_lanes(tm_dtype dtype)
{
    const int64_t lanes = dtype == TM_FLOAT64 ? 2 : 4;
#ifdef TM_TARGET_AVX2
    const tm_simd level = tm_simd_level();
    return level == TM_SIMD_AVX512 ? 4 * lanes : level == TM_SIMD_AVX2 ? 2 * lanes : lanes;
#else
    return lanes;
#endif
}

void tm_tap_sums_run(tm_dtype dtype, const tm_tap_sums *s)
{
    TM_REALS_PICK(sums, dtype)(s);
}

/* -- Rows ---------------------------------------------------------------------------------------
 */

/* n items. The vectors at the end of a row overlap, so that it needs no loop over single items. */
#define ROW(name, T)                                                                               \
    typedef T name##_4 __attribute__((vector_size(4 * sizeof(T)), aligned(sizeof(T)), may_alias)); \
    typedef T name##_16                                                                            \
        __attribute__((vector_size(16 * sizeof(T)), aligned(sizeof(T)), may_alias));               \
    TM_INLINE void name##_row(const T *from, T *to, int64_t n)                                     \
    {                                                                                              \
        if (n >= 16) {                                                                             \
            for (int64_t i = 0; i < n; i = i + 16 < n && i + 32 > n ? n - 16 : i + 16)             \
                *(name##_16 *)(void *)(to + i) = *(const name##_16 *)(const void *)(from + i);     \
        } else if (n >= 4) {                                                                       \
            for (int64_t i = 0; i < n; i = i + 4 < n && i + 8 > n ? n - 4 : i + 4)                 \
                *(name##_4 *)(void *)(to + i) = *(const name##_4 *)(const void *)(from + i);       \
        } else {                                                                                   \
            for (int64_t i = 0; i < n; i++)                                                        \
                to[i] = from[i];                                                                   \
        }                                                                                          \
    }                                                                                              \
    TM_INLINE void name##_spread_body(const char *sums, const tm_sums_row *rows, int64_t num,      \
                                      char *to)                                                    \
    {                                                                                              \
        for (int64_t i = 0; i < num; i++)                                                          \
            name##_row((const T *)(const void *)sums + rows[i].from, (T *)(void *)to + rows[i].to, \
                       rows[i].n);                                                                 \
    }                                                                                              \
    TM_SIMD_VERSIONS(name##_spread, name##_spread_body,                                            \
                     (const char *sums, const tm_sums_row *rows, int64_t num, char *to),           \
                     (sums, rows, num, to))                                                        \
    TM_INLINE void name##_pack_body(const char *from, int64_t from_row, char *to, int64_t to_row,  \
                                    int64_t rows, int64_t n)                                       \
    {                                                                                              \
        for (int64_t i = 0; i < rows; i++, from += from_row, to += to_row)                         \
            name##_row((const T *)(const void *)from, (T *)(void *)to, n);                         \
    }                                                                                              \
    TM_SIMD_VERSIONS(                                                                              \
        name##_pack, name##_pack_body,                                                             \
        (const char *from, int64_t from_row, char *to, int64_t to_row, int64_t rows, int64_t n),   \
        (from, from_row, to, to_row, rows, n))
ROW(word4, tm_word4)
ROW(word8, tm_word8)

void tm_sums_spread(tm_dtype dtype, const char *sums, const tm_sums_row *rows, int64_t num,
                    char *to)
{
    (dtype == TM_FLOAT64 ? word8_spread : word4_spread)(sums, rows, num, to);
}

void tm_rows_pack(tm_dtype dtype, const char *from, int64_t from_row, char *to, int64_t to_row,
                  int64_t rows, int64_t n)
{
    (dtype == TM_FLOAT64 ? word8_pack : word4_pack)(from, from_row, to, to_row, rows, n);
}
