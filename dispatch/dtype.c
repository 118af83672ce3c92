/* dtype.c: dtypes and promotion.
 *
 * Promotion goes by kind: bool < int < float < complex. Where kinds differ the wider kind's dtype
 * stands, whatever the sizes (int64 with float32 is float32), except that a complex result has at
 * least the float's precision. The rank of a tensor never matters.
 */
#include <transmute/types.h>

#include <string.h>

static const struct {
    const char *name;
    uint8_t size, kind;
} dtypes[TM_NUM_DTYPES] = {
    [TM_DTYPE_NONE] = {"none", 0, TM_KIND_NONE},
    [TM_BOOL] = {"bool", 1, TM_KIND_BOOL},
    [TM_INT8] = {"int8", 1, TM_KIND_INT},
    [TM_INT16] = {"int16", 2, TM_KIND_INT},
    [TM_INT32] = {"int32", 4, TM_KIND_INT},
    [TM_INT64] = {"int64", 8, TM_KIND_INT},
    [TM_UINT8] = {"uint8", 1, TM_KIND_INT},
    [TM_UINT16] = {"uint16", 2, TM_KIND_INT},
    [TM_UINT32] = {"uint32", 4, TM_KIND_INT},
    [TM_UINT64] = {"uint64", 8, TM_KIND_INT},
    [TM_FLOAT16] = {"float16", 2, TM_KIND_FLOAT},
    [TM_BFLOAT16] = {"bfloat16", 2, TM_KIND_FLOAT},
    [TM_FLOAT32] = {"float32", 4, TM_KIND_FLOAT},
    [TM_FLOAT64] = {"float64", 8, TM_KIND_FLOAT},
    [TM_COMPLEX64] = {"complex64", 8, TM_KIND_COMPLEX},
    [TM_COMPLEX128] = {"complex128", 16, TM_KIND_COMPLEX},
};

static bool known(tm_dtype dtype)
{
    return (int)dtype > TM_DTYPE_NONE && (int)dtype < TM_NUM_DTYPES;
}

size_t tm_dtype_size(tm_dtype dtype)
{
    return known(dtype) ? dtypes[dtype].size : 0;
}

const char *tm_dtype_name(tm_dtype dtype)
{
    return known(dtype) ? dtypes[dtype].name : "none";
}

tm_kind tm_dtype_kind(tm_dtype dtype)
{
    return known(dtype) ? (tm_kind)dtypes[dtype].kind : TM_KIND_NONE;
}

tm_dtype tm_dtype_from_name(const char *name)
{
    if (name)
        for (int i = TM_BOOL; i < TM_NUM_DTYPES; i++)
            if (strcmp(name, dtypes[i].name) == 0)
                return (tm_dtype)i;
    return TM_DTYPE_NONE;
}

static bool is_unsigned(tm_dtype dtype)
{
    return dtype >= TM_UINT8 && dtype <= TM_UINT64;
}

static tm_dtype promote_ints(tm_dtype a, tm_dtype b)
{
    if (is_unsigned(a) == is_unsigned(b))
        return tm_dtype_size(a) >= tm_dtype_size(b) ? a : b;
    tm_dtype u = is_unsigned(a) ? a : b;
    tm_dtype s = is_unsigned(a) ? b : a;
    if (tm_dtype_size(s) > tm_dtype_size(u))
        return s;
    switch (u) {
    case TM_UINT8:
        return TM_INT16;
    case TM_UINT16:
        return TM_INT32;
    case TM_UINT32:
        return TM_INT64;
    default:
        return TM_FLOAT64; /* no integer holds both uint64 and a negative number */
    }
}

tm_dtype tm_promote(tm_dtype a, tm_dtype b)
{
    if (a == b && known(a))
        return a;
    if (!known(a) || !known(b))
        return TM_DTYPE_NONE;
    tm_kind ka = tm_dtype_kind(a), kb = tm_dtype_kind(b);
    if (ka == kb) {
        if (ka == TM_KIND_INT)
            return promote_ints(a, b);
        if (ka == TM_KIND_FLOAT && tm_dtype_size(a) == tm_dtype_size(b))
            return TM_FLOAT32; /* float16 with bfloat16 */
        return tm_dtype_size(a) > tm_dtype_size(b) ? a : b;
    }
    tm_dtype wide = ka > kb ? a : b, narrow = ka > kb ? b : a;
    if (wide == TM_COMPLEX64 && narrow == TM_FLOAT64)
        return TM_COMPLEX128;
    return wide;
}

tm_dtype tm_promote_scalar(tm_dtype dtype, tm_kind kind)
{
    if (dtype != TM_DTYPE_NONE && !tm_dtype_size(dtype))
        return TM_DTYPE_NONE;
    if (kind <= tm_dtype_kind(dtype))
        return dtype;
    switch (kind) {
    case TM_KIND_BOOL:
        return TM_BOOL;
    case TM_KIND_INT:
        return TM_INT64;
    case TM_KIND_FLOAT:
        return TM_FLOAT32;
    case TM_KIND_COMPLEX:
        return dtype == TM_FLOAT64 ? TM_COMPLEX128 : TM_COMPLEX64;
    default:
        return dtype;
    }
}
