/* plugin.c: an op in a shared object of its own, with the samples that the law checker judges it
 * by. Built with the public headers alone, for example
 *
 *     cc -shared -fPIC plugin.c -o plugin.so
 *     transmute law --load plugin.so smoothstep
 *     transmute call --load plugin.so smoothstep x.npy --vmap 0
 */
#include <transmute/transmute.h>

/* t * t * (3 - 2 * t) with x held between 0 and 1: from 0 to 1 without a corner. */
static tm_status smooth_f32(tm_call *call, char *const *ptr, const int64_t *step, int64_t n)
{
    (void)call;
    for (int64_t i = 0; i < n; i++) {
        float x = *(const float *)(ptr[0] + i * step[0]);
        float t = x < 0 ? 0 : x > 1 ? 1 : x; /* NaN stays */
        *(float *)(ptr[1] + i * step[1]) = t * t * (3 - 2 * t);
    }
    return TM_OK;
}

static const tm_loop loops[] = {{TM_FLOAT32, TM_FLOAT32, smooth_f32}, {0}};

static const tm_sample samples[] = {
    {"smoothstep", "f32[6]{-1 0 0.5 0.25 2 nan}", "f32[6]{0 0 0.5 0.15625 1 nan}", NULL, 0, 0},
    {"smoothstep", "f32[]{1}", "f32[]{1}", NULL, 0, 0},
    {"smoothstep", "f32[2,0,3]", "f32[2,0,3]", NULL, 0, 0},
    {"smoothstep", "i32[2]{0 1}", "f32[2]{0 1}", NULL, 0, 0},
    {"smoothstep", "f32[3,4]~special", NULL, NULL, 0, 0},
    {"smoothstep", "b8[2]", "!dtype: there is no kernel for dtype bool", NULL, 0, 0},
};
static const tm_op_samples all_samples = {sizeof samples / sizeof *samples, samples};

static tm_status load(tm_library *library)
{
    static const tm_op_def def = {.struct_size = sizeof def,
                                  .schema = "smoothstep(Tensor x) -> Tensor",
                                  .contract = TM_ELEMENTWISE,
                                  .doc = "A smooth step from 0 at x <= 0 to 1 at x >= 1.",
                                  .loops = loops,
                                  .thread_safe = true,
                                  .samples = &all_samples};
    return tm_library_register(library, &def) ? TM_OK : tm_error_code();
}

TM_PLUGIN("example", load)
