/* cast.c: element conversions, one small loop per pair of dtypes, and blocks of elements. */
#include "cast.h"

#include <string.h>

typedef uint8_t bool8;

/* One X(name, type) per dtype that converts. */
#define DTYPES(X)                                                                                  \
    X(BOOL, bool8)                                                                                 \
    X(UINT8, uint8_t)                                                                              \
    X(INT32, int32_t)                                                                              \
    X(INT64, int64_t)                                                                              \
    X(FLOAT32, float)                                                                              \
    X(FLOAT64, double)

#define IS_FLOAT(type) ((type)0.5 != 0)

/* Float to integer: NaN becomes 0, values beyond the range its ends. INT64_MAX rounds up to
 * 2^63 as a double, which is the first value beyond the range, so >= is right for it too. */
#define SATURATE(type, low, high)                                                                  \
    static inline type saturate_##type(double v)                                                   \
    {                                                                                              \
        if (!(v == v))                                                                             \
            return 0;                                                                              \
        if (v <= (double)(low))                                                                    \
            return low;                                                                            \
        if (v >= (double)(high))                                                                   \
            return high;                                                                           \
        return (type)v;                                                                            \
    }
SATURATE(uint8_t, 0, UINT8_MAX)
SATURATE(int32_t, INT32_MIN, INT32_MAX)
SATURATE(int64_t, INT64_MIN, INT64_MAX)

#define TO_BOOL(v) ((bool8)((v) != 0))
#define CONVERT_BOOL(from, v) TO_BOOL(v)
#define CONVERT_UINT8(from, v) (IS_FLOAT(from) ? saturate_uint8_t((double)(v)) : (uint8_t)(v))
#define CONVERT_INT32(from, v) (IS_FLOAT(from) ? saturate_int32_t((double)(v)) : (int32_t)(v))
#define CONVERT_INT64(from, v) (IS_FLOAT(from) ? saturate_int64_t((double)(v)) : (int64_t)(v))
#define CONVERT_FLOAT32(from, v) ((float)(v))
#define CONVERT_FLOAT64(from, v) ((double)(v))

#define CAST(from_name, from, to_name, to)                                                         \
    static void cast_##from_name##_##to_name(const char *src, int64_t src_step, char *dst,         \
                                             int64_t dst_step, int64_t n)                          \
    {                                                                                              \
        if (src_step == (int64_t)sizeof(from) && dst_step == (int64_t)sizeof(to)) {                \
            const from *restrict s = (const from *)(const void *)src;                              \
            to *restrict d = (to *)(void *)dst;                                                    \
            for (int64_t i = 0; i < n; i++)                                                        \
                d[i] = CONVERT_##to_name(from, s[i]);                                              \
            return;                                                                                \
        }                                                                                          \
        for (int64_t i = 0; i < n; i++, src += src_step, dst += dst_step) {                        \
            from v = *(const from *)(const void *)src;                                             \
            *(to *)(void *)dst = CONVERT_##to_name(from, v);                                       \
        }                                                                                          \
    }

#define CASTS_FROM(name, type)                                                                     \
    CAST(name, type, BOOL, bool8)                                                                  \
    CAST(name, type, UINT8, uint8_t)                                                               \
    CAST(name, type, INT32, int32_t)                                                               \
    CAST(name, type, INT64, int64_t)                                                               \
    CAST(name, type, FLOAT32, float)                                                               \
    CAST(name, type, FLOAT64, double)
DTYPES(CASTS_FROM)

#define TABLE_ROW(name, type)                                                                      \
    [TM_##name] = {                                                                                \
        [TM_BOOL] = cast_##name##_BOOL,       [TM_UINT8] = cast_##name##_UINT8,                    \
        [TM_INT32] = cast_##name##_INT32,     [TM_INT64] = cast_##name##_INT64,                    \
        [TM_FLOAT32] = cast_##name##_FLOAT32, [TM_FLOAT64] = cast_##name##_FLOAT64,                \
    },
static const tm_cast_fn casts[TM_NUM_DTYPES][TM_NUM_DTYPES] = {DTYPES(TABLE_ROW)};

#define COPY(bytes)                                                                                \
    static void copy_##bytes(const char *src, int64_t src_step, char *dst, int64_t dst_step,       \
                             int64_t n)                                                            \
    {                                                                                              \
        if (src_step == (bytes) && dst_step == (bytes)) {                                          \
            memcpy(dst, src, (size_t)n *(bytes));                                                  \
            return;                                                                                \
        }                                                                                          \
        for (int64_t i = 0; i < n; i++, src += src_step, dst += dst_step)                          \
            memcpy(dst, src, bytes);                                                               \
    }
COPY(1)
COPY(2)
COPY(4)
COPY(8)
COPY(16)

tm_cast_fn tm_cast(tm_dtype from, tm_dtype to)
{
    if (from != to)
        return tm_dtype_size(from) && tm_dtype_size(to) ? casts[from][to] : NULL;
    switch (tm_dtype_size(from)) {
    case 1:
        return copy_1;
    case 2:
        return copy_2;
    case 4:
        return copy_4;
    case 8:
        return copy_8;
    case 16:
        return copy_16;
    default:
        return NULL;
    }
}

static int64_t magnitude(int64_t v)
{
    return v < 0 ? -v : v;
}

/* Orders dimensions by the destination's step, largest first, and merges neighbours that both
 * sides walk as one. Returns how many are left; *empty where there is nothing to copy. */
static int simplify(int n, const int64_t *size, const tm_copy_side *to, const tm_copy_side *from,
                    int64_t *out_size, int64_t *to_step, int64_t *from_step, bool *empty)
{
    int kept = 0;
    *empty = false;
    for (int i = 0; i < n; i++) {
        if (size[i] == 0)
            *empty = true;
        if (size[i] == 1)
            continue;
        int at = kept++;
        while (at > 0 && magnitude(to_step[at - 1]) < magnitude(to->step[i])) {
            out_size[at] = out_size[at - 1];
            to_step[at] = to_step[at - 1];
            from_step[at] = from_step[at - 1];
            at--;
        }
        out_size[at] = size[i];
        to_step[at] = to->step[i];
        from_step[at] = from->step[i];
    }
    int last = 0;
    for (int i = 1; i < kept; i++) {
        if (to_step[last] == to_step[i] * out_size[i] &&
            from_step[last] == from_step[i] * out_size[i]) {
            out_size[last] *= out_size[i];
            to_step[last] = to_step[i];
            from_step[last] = from_step[i];
        } else {
            last++;
            out_size[last] = out_size[i];
            to_step[last] = to_step[i];
            from_step[last] = from_step[i];
        }
    }
    return kept ? last + 1 : 0;
}

void tm_copy(int n, const int64_t *size, const tm_copy_side *to, const tm_copy_side *from)
{
    int64_t sizes[TM_COPY_DIMS], to_step[TM_COPY_DIMS], from_step[TM_COPY_DIMS];
    bool empty;
    int dims = simplify(n, size, to, from, sizes, to_step, from_step, &empty);
    tm_cast_fn copy = tm_cast(from->dtype, to->dtype);
    if (empty || !copy)
        return;
    if (dims == 0) {
        copy(from->base, 0, to->base, 0, 1);
        return;
    }
    int inner = dims - 1;
    int64_t index[TM_COPY_DIMS] = {0};
    const char *src = from->base;
    char *dst = to->base;
    for (;;) {
        copy(src, from_step[inner], dst, to_step[inner], sizes[inner]);
        int d = inner;
        while (d-- > 0) {
            src += from_step[d];
            dst += to_step[d];
            if (++index[d] < sizes[d])
                break;
            index[d] = 0;
            src -= from_step[d] * sizes[d];
            dst -= to_step[d] * sizes[d];
        }
        if (d < 0)
            return;
    }
}

bool tm_scalar_store(tm_scalar scalar, tm_dtype dtype, void *to)
{
    bool8 b = scalar.kind == TM_KIND_BOOL && scalar.value.b;
    switch (scalar.kind) {
    case TM_KIND_BOOL: {
        tm_cast_fn cast = tm_cast(TM_BOOL, dtype);
        if (cast)
            cast((const char *)&b, 0, to, 0, 1);
        return cast != NULL;
    }
    case TM_KIND_INT: {
        tm_cast_fn cast = tm_cast(TM_INT64, dtype);
        if (cast)
            cast((const char *)&scalar.value.i, 0, to, 0, 1);
        return cast != NULL;
    }
    case TM_KIND_FLOAT: {
        tm_cast_fn cast = tm_cast(TM_FLOAT64, dtype);
        if (cast)
            cast((const char *)&scalar.value.f, 0, to, 0, 1);
        return cast != NULL;
    }
    default:
        return false; /* complex dtypes have no conversions yet */
    }
}

tm_scalar tm_scalar_load(tm_dtype dtype, const void *from)
{
    tm_scalar scalar = {.kind = TM_KIND_NONE};
    switch (tm_dtype_kind(dtype)) {
    case TM_KIND_BOOL:
        return tm_scalar_bool(*(const bool8 *)from != 0);
    case TM_KIND_INT: {
        int64_t v;
        tm_cast_fn cast = tm_cast(dtype, TM_INT64);
        if (!cast)
            return scalar;
        cast(from, 0, (char *)&v, 0, 1);
        return tm_scalar_int(v);
    }
    case TM_KIND_FLOAT: {
        double v;
        tm_cast_fn cast = tm_cast(dtype, TM_FLOAT64);
        if (!cast)
            return scalar;
        cast(from, 0, (char *)&v, 0, 1);
        return tm_scalar_float(v);
    }
    default:
        return scalar;
    }
}
