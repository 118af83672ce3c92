/* test_fourier.c: a transform's bits depend on its line alone: not on the lines beside it, on how
 * they lie, or on the level of vector instructions.
 */
#include <string.h>

#include "support.h"

enum { LINES = 37 };

static tm_tensor *transformed(const tm_tensor *x, int which, int64_t n)
{
    switch (which) {
    case 0:
        return tm_fft(x, &n, -1, "backward");
    case 1:
        return tm_ifft(x, &n, -1, "ortho");
    case 2:
        return tm_irfft(x, &n, -1, "backward");
    case 3:
        return tm_hfft(x, &n, -1, "forward");
    case 4:
        return tm_rfft(tm_real(x), &n, -1, "backward");
    default:
        return tm_ihfft(tm_real(x), &n, -1, "ortho");
    }
}

/* (LINES, size) complex numbers. */
static tm_tensor *numbers(tm_dtype dtype, int64_t size)
{
    tm_tensor *x = tm_zeros(TM_INTS(LINES, size), TM_COMPLEX128);
    double *data = tm_mutable_data(x);
    uint64_t state = 1;
    for (int64_t i = 0; i < 2 * tm_numel(x); i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        data[i] = (double)(state >> 40) / (1 << 23) - 1;
    }
    return tm_astype(x, dtype);
}

static void assert_same(const tm_tensor *x, const tm_tensor *y)
{
    tm_tensor *a = tm_clone(x), *b = tm_clone(y);
    ck_assert_int_eq(tm_dtype_of(a), tm_dtype_of(b));
    ck_assert_int_eq(tm_numel(a), tm_numel(b));
    ck_assert_int_eq(
        memcmp(tm_data(a), tm_data(b), (size_t)tm_numel(a) * tm_dtype_size(tm_dtype_of(a))), 0);
}

static tm_tensor *batched(const tm_tensor *x, int axis, int which, int64_t n)
{
    tm_vmap_options options = {.struct_size = sizeof options};
    tm_vmap_level *level = tm_vmap_push(&options);
    tm_tensor *y = tm_vmap_out(level, transformed(tm_vmap_in(level, x, axis), which, n), 0);
    tm_vmap_pop(level);
    return y;
}

static void check_length(tm_dtype dtype, int64_t size, int64_t n)
{
    const tm_simd most = tm_get_simd();
    tm_tensor *x = numbers(dtype, size);
    tm_tensor *by_columns = tm_clone(tm_permute_dims(x, TM_INTS(1, 0)));
    for (int which = 0; which < 6; which++) {
        tm_tensor *each[LINES];
        tm_set_simd(TM_SIMD_PORTABLE);
        for (int i = 0; i < LINES; i++)
            each[i] = transformed(tm_select(x, 0, i), which, n);
        tm_tensor *right =
            MADE(tm_stack((tm_tensor_list){(const tm_tensor *const *)each, LINES}, 0));
        for (int level = TM_SIMD_PORTABLE; level <= (int)most; level++) {
            tm_set_simd((tm_simd)level);
            assert_same(transformed(x, which, n), right);
            assert_same(batched(x, 0, which, n), right);
            assert_same(batched(by_columns, 1, which, n), right);
            assert_same(transformed(tm_select(x, 0, 3), which, n), each[3]);
        }
    }
    tm_set_simd(most);
}

START_TEST(bits_depend_on_the_line_alone)
{
    static const int64_t lengths[] = {1, 2, 3, 7, 16, 24, 33, 60, 64, 97, 128};
    for (int i = 0; i < COUNT(lengths); i++)
        for (int wide = 0; wide < 2; wide++) {
            tm_scope *scope = tm_scope_push();
            tm_dtype dtype = wide ? TM_COMPLEX128 : TM_COMPLEX64;
            check_length(dtype, lengths[i], lengths[i]);
            check_length(dtype, lengths[i], lengths[i] + 5); /* padded */
            check_length(dtype, lengths[i] + 3, lengths[i]); /* cut */
            tm_scope_pop(scope);
        }
}
END_TEST

/* One wave in, one number out, and back; of lengths whose lines fill the lanes and lengths too long
 * for that. */
START_TEST(a_wave_is_one_number)
{
    static const int64_t lengths[] = {64, 1024, 4096, 40000};
    for (int i = 0; i < COUNT(lengths); i++) {
        const int64_t n = lengths[i];
        tm_scope *scope = tm_scope_push();
        tm_tensor *spectrum = tm_zeros(TM_INTS(LINES, n), TM_COMPLEX64);
        for (int64_t l = 0; l < LINES; l++)
            ((float *)tm_mutable_data(spectrum))[(l * n + (l * 7 + 3) % n) * 2] = 1;
        tm_tensor *wave = batched(spectrum, 0, 1, n);
        tm_tensor *back = tm_fft(wave, NULL, -1, "ortho");
        tm_tensor *error = tm_amax(tm_abs(tm_sub(back, spectrum)), NULL, false);
        ck_assert_double_lt(test_value(MADE(error), 0), 1e-6);
        tm_scope_pop(scope);
    }
}
END_TEST

Suite *fourier_suite(void)
{
    const TTest *const tests[] = {bits_depend_on_the_line_alone, a_wave_is_one_number};
    return test_suite("fourier", tests, COUNT(tests));
}
