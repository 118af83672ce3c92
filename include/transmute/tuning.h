/* tuning.h: which of several ways to the same result are taken.
 *
 * A call is right without any of this: the library chooses by sizes and by what the processor has.
 * The switches are for whoever measures, and for tests that hold one way against another. They are
 * the process's; set them while no call runs. At start they are read from the environment:
 *
 *     TRANSMUTE_SIMD=portable             or avx2, avx512
 *     TRANSMUTE_PATHS=flat=off,inner=on   names as tm_path_name has them; auto, off or on
 */
#ifndef TRANSMUTE_TUNING_H
#define TRANSMUTE_TUNING_H

#include <transmute/error.h>

TM_BEGIN

/** The vector instructions that kernels use. */
typedef enum tm_simd {
    TM_SIMD_PORTABLE, /**< what the compiler was told it may use everywhere */
    TM_SIMD_AVX2,     /**< AVX2 and FMA */
    TM_SIMD_AVX512    /**< AVX-512 F, BW, DQ and VL */
} tm_simd;

/** At first the most that the processor has. TM_ERR_VALUE for more than that. */
TM_API tm_status tm_set_simd(tm_simd level);
TM_API tm_simd tm_get_simd(void);
/** "portable", "avx2", "avx512"; NULL for no level. */
TM_API const char *tm_simd_name(tm_simd level);

/** The ways that can be forced. */
typedef enum tm_path {
    TM_PATH_FLAT,   /**< elementwise, all operands one run: nothing is planned */
    TM_PATH_DIRECT, /**< per example or reduction, not mapped: nothing is planned */
    TM_PATH_INNER,  /**< outputs with the batch inside the logical dimensions */
    TM_PATH_SPLIT,  /**< work split over threads, where a thread may use several */
    TM_PATH_LANES,  /**< examples side by side in SIMD lanes, where the op has a kernel for it */
    TM_PATH_STREAM, /**< results larger than the caches written past them */
    TM_NUM_PATHS
} tm_path;

typedef enum tm_path_use {
    TM_PATH_AUTO, /**< where it pays */
    TM_PATH_OFF,  /**< never */
    TM_PATH_ON    /**< wherever it is possible */
} tm_path_use;

/** TM_ERR_VALUE for a path or use that does not exist. */
TM_API tm_status tm_set_path(tm_path path, tm_path_use use);
/** TM_PATH_AUTO for a path that does not exist. */
TM_API tm_path_use tm_get_path(tm_path path);
/** "flat", "direct", ...; NULL for no path. */
TM_API const char *tm_path_name(tm_path path);

/** Sets paths from a text as TRANSMUTE_PATHS has it. TM_ERR_VALUE, and nothing is set, where it is
 *  not understood. */
TM_API tm_status tm_set_paths(const char *text);

TM_END
#endif
