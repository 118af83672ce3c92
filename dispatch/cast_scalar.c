/* cast_scalar.c: numbers of the host as elements, and elements as numbers of the host. */
#include "cast.h"

bool tm_scalar_store(tm_scalar scalar, tm_dtype dtype, void *to)
{
    static const tm_dtype of_kind[] = {[TM_KIND_BOOL] = TM_BOOL,
                                       [TM_KIND_INT] = TM_INT64,
                                       [TM_KIND_FLOAT] = TM_FLOAT64,
                                       [TM_KIND_COMPLEX] = TM_COMPLEX128};
    if (scalar.kind < TM_KIND_BOOL || scalar.kind > TM_KIND_COMPLEX)
        return false;
    tm_cast_fn cast = tm_cast(of_kind[scalar.kind], dtype);
    if (cast)
        cast((const char *)&scalar.value, 0, to, 0, 1);
    return cast != NULL;
}

tm_scalar tm_scalar_load(tm_dtype dtype, const void *from)
{
    tm_scalar scalar = {.kind = tm_dtype_kind(dtype)};
    switch (scalar.kind) {
    case TM_KIND_BOOL:
        return tm_scalar_bool(*(const uint8_t *)from != 0);
    case TM_KIND_INT:
        tm_cast(dtype, TM_INT64)(from, 0, (char *)&scalar.value.i, 0, 1);
        break;
    case TM_KIND_FLOAT:
        tm_cast(dtype, TM_FLOAT64)(from, 0, (char *)&scalar.value.f, 0, 1);
        break;
    case TM_KIND_COMPLEX:
        tm_cast(dtype, TM_COMPLEX128)(from, 0, (char *)&scalar.value.c, 0, 1);
        break;
    default:
        break;
    }
    return scalar;
}
