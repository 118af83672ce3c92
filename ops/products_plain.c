/* products_plain.c: matrix products in plain C, for integers and wherever BLAS does not serve.
 *
 * The sum over n runs in ascending order whatever the steps, so the layout cannot change a bit of
 * the result. Integers wrap: they are multiplied and added as unsigned numbers.
 */
#include "complex_numbers.h"
#include "loops.h"
#include "products.h"

#define PLAIN(name, T)                                                                             \
    static void plain_##name(const tm_product *q)                                                  \
    {                                                                                              \
        const T *a = (const T *)(const void *)q->a.data;                                           \
        const T *b = (const T *)(const void *)q->b.data;                                           \
        T *c = (T *)(void *)q->c;                                                                  \
        for (int64_t i = 0; i < q->m; i++, a += q->a.row, c += q->c_row)                           \
            row_##name(q, a, b, c);                                                                \
    }

/* One row of C. Few columns: a sum in a register for each; many: B's rows added up in C. */
#define ROW(name, T)                                                                               \
    static void row_##name(const tm_product *q, const T *a, const T *b, T *c)                      \
    {                                                                                              \
        if (q->p < 4) {                                                                            \
            for (int64_t j = 0; j < q->p; j++) {                                                   \
                T sum = 0;                                                                         \
                for (int64_t k = 0; k < q->n; k++)                                                 \
                    sum = add_##name(sum, a[k * q->a.column], b[k * q->b.row + j * q->b.column]);  \
                c[j * q->c_column] = sum;                                                          \
            }                                                                                      \
            return;                                                                                \
        }                                                                                          \
        for (int64_t j = 0; j < q->p; j++)                                                         \
            c[j * q->c_column] = 0;                                                                \
        for (int64_t k = 0; k < q->n; k++) {                                                       \
            T factor = a[k * q->a.column];                                                         \
            const T *from = b + k * q->b.row;                                                      \
            if (q->b.column == 1 && q->c_column == 1) {                                            \
                for (int64_t j = 0; j < q->p; j++)                                                 \
                    c[j] = add_##name(c[j], factor, from[j]);                                      \
            } else {                                                                               \
                for (int64_t j = 0; j < q->p; j++)                                                 \
                    c[j * q->c_column] =                                                           \
                        add_##name(c[j * q->c_column], factor, from[j * q->b.column]);             \
            }                                                                                      \
        }                                                                                          \
    }

/* add_NAME(sum, x, y) is sum + x y, by an expression of them. */
#define PRODUCT(name, T, expression)                                                               \
    TM_INLINE T add_##name(T sum, T x, T y)                                                        \
    {                                                                                              \
        return expression;                                                                         \
    }                                                                                              \
    ROW(name, T)                                                                                   \
    PLAIN(name, T)

PRODUCT(8, uint8_t, (uint8_t)(sum + (uint32_t)x * y))
PRODUCT(16, uint16_t, (uint16_t)(sum + (uint32_t)x * y))
PRODUCT(32, uint32_t, sum + x * y)
PRODUCT(64, uint64_t, sum + x * y)
PRODUCT(float32, float, sum + x * y)
PRODUCT(float64, double, sum + x * y)
PRODUCT(complex64, tm_complex64, sum + tm_mul_complex64(x, y))
PRODUCT(complex128, tm_complex128, sum + tm_mul_complex128(x, y))

void tm_product_plain(const tm_product *q)
{
    switch (q->dtype) {
    case TM_FLOAT32:
        plain_float32(q);
        return;
    case TM_FLOAT64:
        plain_float64(q);
        return;
    case TM_COMPLEX64:
        plain_complex64(q);
        return;
    case TM_COMPLEX128:
        plain_complex128(q);
        return;
    default:
        break;
    }
    switch (tm_dtype_size(q->dtype)) { /* integers, signed or not */
    case 1:
        plain_8(q);
        break;
    case 2:
        plain_16(q);
        break;
    case 4:
        plain_32(q);
        break;
    default:
        plain_64(q);
        break;
    }
}
