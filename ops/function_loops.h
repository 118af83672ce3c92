/* function_loops.h: elementwise loops that go through the functions of functions.h.
 *
 * Runs that are not contiguous are gathered into a buffer, a block at a time, so that an element's
 * bits do not depend on the layout.
 */
#ifndef TM_OPS_FUNCTION_LOOPS_H
#define TM_OPS_FUNCTION_LOOPS_H

#include "functions.h"
#include "loops.h"

enum { TM_FUNCTION_BLOCK = 256 };

/* A loop of a function alone. */
#define TM_FUNCTION_LOOP(name, type, run)                                                          \
    static tm_status name(tm_call *call, char *const *ptr, const int64_t *step, int64_t n)         \
    {                                                                                              \
        const int64_t item = (int64_t)sizeof(type);                                                \
        (void)call;                                                                                \
        if (step[0] == item && step[1] == item) {                                                  \
            run((const type *)(const void *)ptr[0], (type *)(void *)ptr[1], n);                    \
            return TM_OK;                                                                          \
        }                                                                                          \
        type block[TM_FUNCTION_BLOCK];                                                             \
        for (int64_t at = 0; at < n; at += TM_FUNCTION_BLOCK) {                                    \
            const int64_t m = n - at < TM_FUNCTION_BLOCK ? n - at : TM_FUNCTION_BLOCK;             \
            for (int64_t i = 0; i < m; i++)                                                        \
                block[i] = TM_CONST_AT(type, ptr[0] + (at + i) * step[0]);                         \
            run(block, block, m);                                                                  \
            for (int64_t i = 0; i < m; i++)                                                        \
                TM_AT(type, ptr[1] + (at + i) * step[1]) = block[i];                               \
        }                                                                                          \
        return TM_OK;                                                                              \
    }

/* Both floats' loops of a function of functions.h. */
#define TM_FUNCTION_LOOPS(name)                                                                    \
    TM_FUNCTION_LOOP(name##_float32, float, tm_##name##_float32_run)                               \
    TM_FUNCTION_LOOP(name##_float64, double, tm_##name##_float64_run)

/* A loop over a, b and c (of one or two inputs, b and c are the last): `before` is what the
 * function is taken of, `after` the result, in which t is what it gave. */
#define TM_THROUGH_LOOP(name, type, inputs, run, before, after)                                    \
    TM_INLINE type name##_before_of(type a, type b, type c)                                        \
    {                                                                                              \
        (void)a, (void)b, (void)c;                                                                 \
        return before;                                                                             \
    }                                                                                              \
    TM_INLINE type name##_after_of(type a, type b, type c, type t)                                 \
    {                                                                                              \
        (void)a, (void)b, (void)c;                                                                 \
        return after;                                                                              \
    }                                                                                              \
    TM_INLINE void name##_block(char *const *p, int64_t sa, int64_t sb, int64_t sc, int64_t so,    \
                                type *t, int64_t m)                                                \
    {                                                                                              \
        TM_INDEPENDENT                                                                             \
        for (int64_t i = 0; i < m; i++)                                                            \
            t[i] = name##_before_of(TM_CONST_AT(type, p[0] + i * sa),                              \
                                    TM_CONST_AT(type, p[1] + i * sb),                              \
                                    TM_CONST_AT(type, p[2] + i * sc));                             \
        run(t, t, m);                                                                              \
        TM_INDEPENDENT                                                                             \
        for (int64_t i = 0; i < m; i++)                                                            \
            TM_AT(type, p[3] + i * so) = name##_after_of(TM_CONST_AT(type, p[0] + i * sa),         \
                                                         TM_CONST_AT(type, p[1] + i * sb),         \
                                                         TM_CONST_AT(type, p[2] + i * sc), t[i]);  \
    }                                                                                              \
    TM_INLINE void name##_dense(char *const *p, type *t, int64_t m)                                \
    {                                                                                              \
        const int64_t item = (int64_t)sizeof(type);                                                \
        if ((inputs) == 1)                                                                         \
            name##_block(p, item, item, item, item, t, m);                                         \
        else                                                                                       \
            name##_block(p, item, 0, 0, item, t, m);                                               \
    }                                                                                              \
    TM_SIMD_VERSIONS(name##_version, name##_dense, (char *const *p, type *t, int64_t m),           \
                     (p, t, m))                                                                    \
    static tm_status name(tm_call *call, char *const *ptr, const int64_t *step, int64_t n)         \
    {                                                                                              \
        enum { LAST = (inputs)-1, B = LAST < 1 ? LAST : 1 };                                       \
        const int64_t item = (int64_t)sizeof(type), so = step[inputs];                             \
        const int64_t sa = step[0], sb = step[B], sc = step[LAST];                                 \
        const int dense = sa == item && so == item && ((inputs) == 1 || (sb == 0 && sc == 0));     \
        type t[TM_FUNCTION_BLOCK];                                                                 \
        char *p[] = {ptr[0], ptr[B], ptr[LAST], ptr[inputs]};                                      \
        (void)call;                                                                                \
        for (int64_t at = 0; at < n; at += TM_FUNCTION_BLOCK) {                                    \
            const int64_t m = n - at < TM_FUNCTION_BLOCK ? n - at : TM_FUNCTION_BLOCK;             \
            if (dense)                                                                             \
                name##_version(p, t, m);                                                           \
            else                                                                                   \
                name##_block(p, sa, sb, sc, so, t, m);                                             \
            p[0] += m * sa;                                                                        \
            p[1] += m * sb;                                                                        \
            p[2] += m * sc;                                                                        \
            p[3] += m * so;                                                                        \
        }                                                                                          \
        return TM_OK;                                                                              \
    }

#endif
