/* slow.c: an op that takes its time. */
#define _POSIX_C_SOURCE 199309L /* nanosleep */
#include <time.h>

#include <transmute/transmute.h>

static tm_status meta(tm_call *call, const tm_tensor *x, double seconds)
{
    (void)seconds;
    return tm_output_like(call, 0, x);
}

static tm_status impl(tm_call *call, const tm_tensor *x, double seconds, tm_tensor *out)
{
    (void)call;
    (void)x;
    (void)out;
    struct timespec time = {(time_t)seconds, (long)((seconds - (double)(time_t)seconds) * 1e9)};
    nanosleep(&time, NULL);
    return TM_OK;
}

static tm_status enter(tm_library *library)
{
    static const tm_op_def def = {.struct_size = sizeof def,
                                  .schema = "slow(Tensor x, float seconds) -> Tensor",
                                  .contract = TM_PER_EXAMPLE,
                                  .meta = (tm_fn)meta,
                                  .impl = (tm_fn)impl};
    return tm_library_register(library, &def) ? TM_OK : tm_error_code();
}

TM_PLUGIN("slow", enter)
