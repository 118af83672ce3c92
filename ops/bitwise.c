/* bitwise.c: bits of integers and bools, and shifts.
 *
 * A bool is one bit. A negative shift count is a failure of its element; one of at least the
 * dtype's width shifts every bit out: 0 is left, to the right of a negative number -1.
 */
#include "loops.h"
#include "ops_kernels.h"
#include "scalars.h"

#define AND(name, type, wide) TM_BINARY_LOOP(name, type, type, (type)(a & b))
#define OR(name, type, wide) TM_BINARY_LOOP(name, type, type, (type)(a | b))
#define XOR(name, type, wide) TM_BINARY_LOOP(name, type, type, (type)(a ^ b))
#define NOT(name, type, wide) TM_UNARY_LOOP(name, type, type, (type)(~(wide)a))
TM_INTEGERS(AND, and)
TM_INTEGERS(OR, or)
TM_INTEGERS(XOR, xor)
TM_INTEGERS(NOT, not )
TM_UNARY_LOOP(not_bool, uint8_t, uint8_t, !a)

const tm_loop tm_bitwise_and_loops[] = {
    TM_INTEGER_LOOPS(and), TM_LOOP_ROW(TM_BOOL, TM_BOOL, and_uint8), {0}};
const tm_loop tm_bitwise_or_loops[] = {
    TM_INTEGER_LOOPS(or), TM_LOOP_ROW(TM_BOOL, TM_BOOL, or_uint8), {0}};
const tm_loop tm_bitwise_xor_loops[] = {
    TM_INTEGER_LOOPS(xor), TM_LOOP_ROW(TM_BOOL, TM_BOOL, xor_uint8), {0}};
const tm_loop tm_bitwise_not_loops[] = {
    TM_INTEGER_LOOPS(not ), TM_LOOP_ROW(TM_BOOL, TM_BOOL, not_bool), {0}};

TM_SCALAR_METAS(bitwise_and)
TM_SCALAR_METAS(bitwise_or)
TM_SCALAR_METAS(bitwise_xor)

/* -- Shifts ----------------------------------------------------------------------------------- */

#define BITS(type) (8 * sizeof(type))
#define LEFT(type, wide, a, b) ((type)((size_t)(b) < BITS(type) ? (wide)(a) << (b) : 0))
#define UNSIGNED_SHIFTS(suffix, type, wide)                                                        \
    TM_BINARY_LOOP(left_##suffix, type, type, LEFT(type, wide, a, b))                              \
    TM_BINARY_LOOP(right_##suffix, type, type, (type)(b < BITS(type) ? a >> b : 0))
UNSIGNED_SHIFTS(uint8, uint8_t, uint32_t)
UNSIGNED_SHIFTS(uint16, uint16_t, uint32_t)
UNSIGNED_SHIFTS(uint32, uint32_t, uint32_t)
UNSIGNED_SHIFTS(uint64, uint64_t, uint64_t)

#define SIGNED_SHIFT(name, type, expression)                                                       \
    TM_CHECKED_LOOP(name, type, expression, b < 0, "x2 must not be negative, got %lld",            \
                    (long long)b)
#define SIGNED_SHIFTS(suffix, type, wide)                                                          \
    SIGNED_SHIFT(left_##suffix, type, LEFT(type, wide, a, b))                                      \
    SIGNED_SHIFT(right_##suffix, type,                                                             \
                 (type)(a >> ((size_t)b < BITS(type) ? (size_t)b : BITS(type) - 1)))
SIGNED_SHIFTS(int8, int8_t, uint32_t)
SIGNED_SHIFTS(int16, int16_t, uint32_t)
SIGNED_SHIFTS(int32, int32_t, uint32_t)
SIGNED_SHIFTS(int64, int64_t, uint64_t)

const tm_loop tm_bitwise_left_shift_loops[] = {TM_INTEGER_LOOPS(left), {0}};
const tm_loop tm_bitwise_right_shift_loops[] = {TM_INTEGER_LOOPS(right), {0}};

/* The count is known here, so the loops cannot fail. */
static tm_status by_number(tm_call *call, const tm_loop *loops, const tm_tensor *x,
                           const char *argument, tm_scalar scalar)
{
    tm_status status = tm_elementwise_scalar_meta(call, loops, x, argument, scalar);
    if (status == TM_OK && scalar.kind == TM_KIND_INT && scalar.value.i < 0)
        return tm_fail_arg(call, TM_ERR_VALUE, argument, "%s must not be negative, got %lld",
                           argument, (long long)scalar.value.i);
    return status;
}

TM_SCALAR_META(bitwise_left_shift, by_number)
TM_SCALAR_META(bitwise_right_shift, by_number)
TM_RSCALAR_META(bitwise_left_shift, tm_elementwise_scalar_meta)
TM_RSCALAR_META(bitwise_right_shift, tm_elementwise_scalar_meta)
