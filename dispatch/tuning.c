/* tuning.c: the switches between several ways to the same result, and what sets them at start. */
#include "tuning.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"

_Atomic unsigned char tm_simd_chosen;
_Atomic unsigned char tm_path_uses[TM_NUM_PATHS];

static const char *const simd_names[] = {"portable", "avx2", "avx512"};
static const char *const path_names[TM_NUM_PATHS] = {
    [TM_PATH_FLAT] = "flat",   [TM_PATH_DIRECT] = "direct", [TM_PATH_INNER] = "inner",
    [TM_PATH_SPLIT] = "split", [TM_PATH_LANES] = "lanes",   [TM_PATH_STREAM] = "stream",
};
static const char *const use_names[] = {"auto", "off", "on"};

enum { NUM_SIMD = sizeof simd_names / sizeof *simd_names };

static tm_simd simd_of_processor(void)
{
#if defined(__x86_64__) && defined(__GNUC__)
    __builtin_cpu_init();
    if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma"))
        return TM_SIMD_PORTABLE;
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
        return TM_SIMD_AVX512;
    return TM_SIMD_AVX2;
#else
    return TM_SIMD_PORTABLE;
#endif
}

const char *tm_simd_name(tm_simd level)
{
    return (unsigned)level < NUM_SIMD ? simd_names[level] : NULL;
}

tm_status tm_set_simd(tm_simd level)
{
    tm_simd most = simd_of_processor();
    if (!tm_simd_name(level))
        return tm_error_set(TM_ERR_VALUE, "set_simd", "level", "level must be in 0..%d, got %d",
                            NUM_SIMD - 1, (int)level);
    if (level > most)
        return tm_error_set(TM_ERR_VALUE, "set_simd", "level",
                            "level must be one that the processor has, at most %s, got %s",
                            tm_simd_name(most), tm_simd_name(level));
    atomic_store_explicit(&tm_simd_chosen, (unsigned char)level, memory_order_relaxed);
    return TM_OK;
}

tm_simd tm_get_simd(void)
{
    return tm_simd_level();
}

const char *tm_path_name(tm_path path)
{
    return (unsigned)path < TM_NUM_PATHS ? path_names[path] : NULL;
}

tm_status tm_set_path(tm_path path, tm_path_use use)
{
    if (!tm_path_name(path))
        return tm_error_set(TM_ERR_VALUE, "set_path", "path", "path must be in 0..%d, got %d",
                            TM_NUM_PATHS - 1, (int)path);
    if ((unsigned)use > TM_PATH_ON)
        return tm_error_set(TM_ERR_VALUE, "set_path", "use", "use must be in 0..%d, got %d",
                            (int)TM_PATH_ON, (int)use);
    atomic_store_explicit(&tm_path_uses[path], (unsigned char)use, memory_order_relaxed);
    return TM_OK;
}

tm_path_use tm_get_path(tm_path path)
{
    if (!tm_path_name(path))
        return TM_PATH_AUTO;
    return (tm_path_use)atomic_load_explicit(&tm_path_uses[path], memory_order_relaxed);
}

/* The place of a word in a list of names, or -1. */
static int find(const char *word, size_t length, const char *const *names, int count)
{
    for (int i = 0; i < count; i++)
        if (strlen(names[i]) == length && memcmp(names[i], word, length) == 0)
            return i;
    return -1;
}

/* Reads NAME=USE,... into `uses`. False, with the offending part, where it cannot. */
static bool read_paths(const char *text, unsigned char *uses, const char **wrong, int *wrong_length)
{
    while (*text) {
        size_t length = strcspn(text, ","), name = strcspn(text, "=,");
        int path = find(text, name, path_names, TM_NUM_PATHS);
        int use = name < length ? find(text + name + 1, length - name - 1, use_names, 3) : -1;
        if (path < 0 || use < 0) {
            *wrong = text;
            *wrong_length = (int)length;
            return false;
        }
        uses[path] = (unsigned char)use;
        text += length + (text[length] == ',');
    }
    return true;
}

tm_status tm_set_paths(const char *text)
{
    unsigned char uses[TM_NUM_PATHS];
    const char *wrong;
    int length;
    if (!text)
        return tm_error_set(TM_ERR_VALUE, "set_paths", "text", "text must not be NULL");
    for (int i = 0; i < TM_NUM_PATHS; i++)
        uses[i] = (unsigned char)tm_get_path((tm_path)i);
    if (!read_paths(text, uses, &wrong, &length))
        return tm_error_set(TM_ERR_VALUE, "set_paths", "text",
                            "text must be PATH=auto, PATH=off or PATH=on, several with commas, "
                            "got '%.*s'",
                            length, wrong);
    for (int i = 0; i < TM_NUM_PATHS; i++)
        atomic_store_explicit(&tm_path_uses[i], uses[i], memory_order_relaxed);
    return TM_OK;
}

/* There is no caller yet who could be given an error, and an environment that says one thing while
 * another is done would deceive whoever measures. */
__attribute__((constructor)) static void read_environment(void)
{
    tm_simd most = simd_of_processor(), level = most;
    const char *text = getenv("TRANSMUTE_SIMD");
    if (text) {
        int wanted = find(text, strlen(text), simd_names, NUM_SIMD);
        if (wanted < 0 || wanted > (int)most)
            fprintf(stderr,
                    "transmute: TRANSMUTE_SIMD=%s: not portable, avx2 or avx512, or more "
                    "than the processor has; using %s\n",
                    text, tm_simd_name(most));
        else
            level = (tm_simd)wanted;
    }
    atomic_store_explicit(&tm_simd_chosen, (unsigned char)level, memory_order_relaxed);
    unsigned char uses[TM_NUM_PATHS] = {0};
    const char *wrong;
    int length;
    text = getenv("TRANSMUTE_PATHS");
    if (!text)
        return;
    if (!read_paths(text, uses, &wrong, &length))
        fprintf(stderr,
                "transmute: TRANSMUTE_PATHS: '%.*s' is not PATH=auto, off or on; "
                "ignoring all of it\n",
                length, wrong);
    else
        for (int i = 0; i < TM_NUM_PATHS; i++)
            atomic_store_explicit(&tm_path_uses[i], uses[i], memory_order_relaxed);
}
