/* base.h: limits, linkage and the constants every other header needs. */
#ifndef TRANSMUTE_BASE_H
#define TRANSMUTE_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define TM_API __attribute__((visibility("default")))
#define TM_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))
#else
#define TM_API
#define TM_PRINTF(fmt, args)
#endif

#ifdef __cplusplus
#define TM_BEGIN extern "C" {
#define TM_END }
#else
#define TM_BEGIN
#define TM_END
#endif

#define TM_VERSION_MAJOR 0
#define TM_VERSION_MINOR 1
#define TM_VERSION_PATCH 0

/** The most logical dimensions a tensor can have. */
#define TM_MAX_NDIM 32
/** The most vmap levels that can be open in one thread. */
#define TM_MAX_LEVELS 16
/** The most parameters an op can have. */
#define TM_MAX_ARGS 24
/** The most outputs an op can have. */
#define TM_MAX_OUTPUTS 6

/** An in_dim or out_dim that says "this tensor has no dimension at this level". Never a dimension:
 *  -1 is the last dimension, as everywhere. */
#define TM_NOT_MAPPED INT64_MIN

TM_BEGIN

typedef struct tm_tensor tm_tensor;
typedef struct tm_storage tm_storage;
typedef struct tm_scope tm_scope;
typedef struct tm_call tm_call;
typedef struct tm_op tm_op;
typedef struct tm_mode tm_mode;
typedef struct tm_vmap_level tm_vmap_level;
typedef struct tm_library tm_library;
typedef struct tm_generator tm_generator;

/** A plain C function of any type; cast back to its own type before a call. */
typedef void (*tm_fn)(void);

TM_END
#endif
