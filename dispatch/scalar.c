/* scalar.c: host numbers. */
#include <transmute/types.h>

#include <math.h>

const tm_int_list tm_no_ints = {NULL, 0};

tm_scalar tm_scalar_bool(bool value)
{
    return (tm_scalar){.kind = TM_KIND_BOOL, .value.b = value};
}

tm_scalar tm_scalar_int(int64_t value)
{
    return (tm_scalar){.kind = TM_KIND_INT, .value.i = value};
}

tm_scalar tm_scalar_float(double value)
{
    return (tm_scalar){.kind = TM_KIND_FLOAT, .value.f = value};
}

tm_scalar tm_scalar_complex(double re, double im)
{
    return (tm_scalar){.kind = TM_KIND_COMPLEX, .value.c = {re, im}};
}

double tm_scalar_as_float(tm_scalar scalar)
{
    switch (scalar.kind) {
    case TM_KIND_BOOL:
        return scalar.value.b ? 1.0 : 0.0;
    case TM_KIND_INT:
        return (double)scalar.value.i;
    case TM_KIND_FLOAT:
        return scalar.value.f;
    case TM_KIND_COMPLEX:
        return scalar.value.c.re;
    default:
        return NAN;
    }
}
