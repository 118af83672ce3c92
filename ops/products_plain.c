/* products_plain.c: matrix products in plain C, for integers and wherever BLAS does not serve.
 *
 * The sum over n runs in ascending order whatever the steps, so the layout cannot change a bit of
 * the result. Integers wrap: they are multiplied and added as unsigned numbers.
 */
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
                    sum = (T)(sum + (T)(a[k * q->a.column] * b[k * q->b.row + j * q->b.column]));  \
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
                    c[j] = (T)(c[j] + (T)(factor * from[j]));                                      \
            } else {                                                                               \
                for (int64_t j = 0; j < q->p; j++)                                                 \
                    c[j * q->c_column] =                                                           \
                        (T)(c[j * q->c_column] + (T)(factor * from[j * q->b.column]));             \
            }                                                                                      \
        }                                                                                          \
    }

#define PRODUCT(name, T) ROW(name, T) PLAIN(name, T)
PRODUCT(uint8, uint8_t)
PRODUCT(uint32, uint32_t)
PRODUCT(uint64, uint64_t)
PRODUCT(float32, float)
PRODUCT(float64, double)

void tm_product_plain(const tm_product *q)
{
    switch (q->dtype) {
    case TM_UINT8:
        plain_uint8(q);
        break;
    case TM_INT32:
        plain_uint32(q);
        break;
    case TM_INT64:
        plain_uint64(q);
        break;
    case TM_FLOAT32:
        plain_float32(q);
        break;
    default:
        plain_float64(q);
        break;
    }
}
