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

static void lines_sse2(char *to, const char *from, int64_t lines)
{
    for (; lines > 0; lines--, to += TM_LINE, from += TM_LINE) {
        const __m128i a = _mm_loadu_si128((const __m128i *)(const void *)from);
        const __m128i b = _mm_loadu_si128((const __m128i *)(const void *)(from + 16));
        const __m128i c = _mm_loadu_si128((const __m128i *)(const void *)(from + 32));
        const __m128i d = _mm_loadu_si128((const __m128i *)(const void *)(from + 48));
        _mm_stream_si128((__m128i *)(void *)to, a);
        _mm_stream_si128((__m128i *)(void *)(to + 16), b);
        _mm_stream_si128((__m128i *)(void *)(to + 32), c);
        _mm_stream_si128((__m128i *)(void *)(to + 48), d);
    }
}

__attribute__((target("avx512f"))) static void lines_avx512(char *to, const char *from,
                                                            int64_t lines)
{
    for (; lines > 0; lines--, to += TM_LINE, from += TM_LINE)
        _mm512_stream_si512((__m512i *)(void *)to, _mm512_loadu_si512(from));
}

void tm_bypass_copy(void *to, const void *from, int64_t bytes)
{
    char *dst = to;
    const char *src = from;
    int64_t head = (int64_t)(-(uintptr_t)dst % TM_LINE);
    if (head > bytes)
        head = bytes;
    if (head > 0)
        memcpy(dst, src, (size_t)head);
    int64_t lines = (bytes - head) / TM_LINE, body = lines * TM_LINE;
    if (tm_simd_level() == TM_SIMD_AVX512)
        lines_avx512(dst + head, src + head, lines);
    else
        lines_sse2(dst + head, src + head, lines);
    if (head + body < bytes)
        memcpy(dst + head + body, src + head + body, (size_t)(bytes - head - body));
}

void tm_bypass_end(void)
{
    _mm_sfence();
}

#else

void tm_bypass_copy(void *to, const void *from, int64_t bytes)
{
    memcpy(to, from, (size_t)bytes);
}

void tm_bypass_end(void)
{
}

#endif
