/* samples.h: how the tables of samples are written; the language is in law.h. */
#ifndef TM_OPS_SAMPLES_H
#define TM_OPS_SAMPLES_H

#include "ops_kernels.h"

/** A call with a known result, to the last bit. */
#define TM_EXACT(op, args, expected)                                                               \
    {                                                                                              \
        op, args, expected, NULL, 0, 0                                                             \
    }
/** A call with a known result, |difference| <= atol + rtol * |expected|. */
#define TM_NEAR(op, args, expected, rtol, atol)                                                    \
    {                                                                                              \
        op, args, expected, NULL, rtol, atol                                                       \
    }
/** A call whose batches are held against its examples alone. */
#define TM_LAW(op, args)                                                                           \
    {                                                                                              \
        op, args, NULL, NULL, 0, 0                                                                 \
    }
/** A call whose result a function judges besides. */
#define TM_JUDGED(op, args, check)                                                                 \
    {                                                                                              \
        op, args, NULL, check, 0, 0                                                                \
    }
/** A call that fails: "CODE: MESSAGE". */
#define TM_FAILS(op, args, error)                                                                  \
    {                                                                                              \
        op, args, "!" error, NULL, 0, 0                                                            \
    }

/** The samples of a family, from its array of rows. */
#define TM_SAMPLES(family, rows)                                                                   \
    const tm_op_samples tm_samples_##family = {sizeof(rows) / sizeof(rows)[0], rows}

#endif
