/* bypass.c: non-temporal stores, a cache line at a time, where the processor has them. */
#include "bypass.h"

#include <string.h>
#include <unistd.h>

enum {
    MIB = 1 << 20,
    ASSUMED_CORE = MIB,
    ASSUMED_LAST = 16 * MIB,
    MOST_LAST = 32 * MIB /* systems name what all cores and machines beside us share */
};

/* -- Caches ----------------------------------------------------------------------------------- */

static int64_t core_bytes = ASSUMED_CORE, last_bytes = ASSUMED_LAST;

__attribute__((constructor)) static void ask_system(void)
{
#ifdef _SC_LEVEL2_CACHE_SIZE
    long l2 = sysconf(_SC_LEVEL2_CACHE_SIZE), l3 = sysconf(_SC_LEVEL3_CACHE_SIZE);
    if (l2 > 0)
        core_bytes = l2;
    if (l2 > 0 || l3 > 0)
        last_bytes = l3 > 0 ? l3 : l2;
    if (last_bytes > MOST_LAST)
        last_bytes = MOST_LAST;
#endif
}

int64_t tm_cache_core(void)
{
    return core_bytes;
}

int64_t tm_cache_last(void)
{
    return last_bytes;
}

/* -- Stores ----------------------------------------------------------------------------------- */

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>

#include "simd.h"

TM_INLINE void line_sse2(char *to, const char *from)
{
    const __m128i a = _mm_loadu_si128((const __m128i *)(const void *)from);
    const __m128i b = _mm_loadu_si128((const __m128i *)(const void *)(from + 16));
    const __m128i c = _mm_loadu_si128((const __m128i *)(const void *)(from + 32));
    const __m128i d = _mm_loadu_si128((const __m128i *)(const void *)(from + 48));
    _mm_stream_si128((__m128i *)(void *)to, a);
    _mm_stream_si128((__m128i *)(void *)(to + 16), b);
    _mm_stream_si128((__m128i *)(void *)(to + 32), c);
    _mm_stream_si128((__m128i *)(void *)(to + 48), d);
}

TM_TARGET_AVX512 TM_INLINE void line_avx512(char *to, const char *from)
{
    _mm512_stream_si512((__m512i *)(void *)to, _mm512_loadu_si512(from));
}

/* Rows of whole lines, with those of `count` others fetched beside each line. */
#define ROWS(line, count)                                                                          \
    do {                                                                                           \
        uintptr_t at[(count) + 1];                                                                 \
        int64_t step[(count) + 1];                                                                 \
        TM_UNROLLED                                                                                \
        for (int k = 0; k < (count); k++) {                                                        \
            at[k] = ahead->at[k];                                                                  \
            step[k] = ahead->step[k];                                                              \
        }                                                                                          \
        for (; rows > 0; rows--, to += to_step)                                                    \
            for (int64_t i = 0; i < bytes; i += TM_LINE, from += TM_LINE) {                        \
                line(to + i, from);                                                                \
                TM_UNROLLED                                                                        \
                for (int k = 0; k < (count); k++) {                                                \
                    __builtin_prefetch((const void *)at[k], 0, 3);                                 \
                    at[k] += (uintptr_t)step[k];                                                   \
                }                                                                                  \
            }                                                                                      \
        TM_UNROLLED                                                                                \
        for (int k = 0; k < (count); k++)                                                          \
            ahead->at[k] = at[k];                                                                  \
    } while (0)
#define ROWS_OF(target, name, line)                                                                \
    target static void name(char *to, int64_t to_step, const char *from, int64_t bytes,            \
                            int64_t rows, tm_ahead *ahead)                                         \
    {                                                                                              \
        if (ahead->count == 0)                                                                     \
            ROWS(line, 0);                                                                         \
        else if (ahead->count == 1)                                                                \
            ROWS(line, 1);                                                                         \
        else if (ahead->count == 2)                                                                \
            ROWS(line, 2);                                                                         \
        else if (ahead->count == 3)                                                                \
            ROWS(line, 3);                                                                         \
        else                                                                                       \
            ROWS(line, 4);                                                                         \
    }
ROWS_OF(, rows_sse2, line_sse2)
ROWS_OF(TM_TARGET_AVX512, rows_avx512, line_avx512)

TM_INLINE void whole_lines(char *to, int64_t to_step, const char *from, int64_t bytes, int64_t rows,
                           tm_ahead *ahead)
{
    (tm_simd_level() == TM_SIMD_AVX512 ? rows_avx512 : rows_sse2)(to, to_step, from, bytes, rows,
                                                                  ahead);
}

void tm_bypass_rows(void *to, int64_t to_step, const void *from, int64_t bytes, int64_t rows,
                    tm_ahead *ahead)
{
    char *dst = to;
    const char *src = from;
    if (((uint64_t)(uintptr_t)dst | (uint64_t)to_step | (uint64_t)bytes) % TM_LINE == 0) {
        whole_lines(dst, to_step, src, bytes, rows, ahead);
        return;
    }
    for (; rows > 0; rows--, dst += to_step, src += bytes) {
        int64_t head = (int64_t)(-(uintptr_t)dst % TM_LINE);
        if (head > bytes)
            head = bytes;
        if (head > 0)
            memcpy(dst, src, (size_t)head);
        int64_t body = (bytes - head) / TM_LINE * TM_LINE;
        whole_lines(dst + head, 0, src + head, body, 1, ahead);
        if (head + body < bytes)
            memcpy(dst + head + body, src + head + body, (size_t)(bytes - head - body));
    }
}

void tm_bypass_end(void)
{
    _mm_sfence();
}

#else

void tm_bypass_rows(void *to, int64_t to_step, const void *from, int64_t bytes, int64_t rows,
                    tm_ahead *ahead)
{
    (void)ahead;
    for (int64_t i = 0; i < rows; i++)
        memcpy((char *)to + i * to_step, (const char *)from + i * bytes, (size_t)bytes);
}

void tm_bypass_end(void)
{
}

#endif

void tm_bypass_copy(void *to, const void *from, int64_t bytes)
{
    tm_ahead nothing = {.count = 0};
    tm_bypass_rows(to, 0, from, bytes, 1, &nothing);
}
