/* rank.c: the dispatcher's kernel_check.c with a check that counts batch dimensions too: the fault
 * that this library exists to rule out. */
#define tm_check_rank real_check_rank
#include "dispatch/kernel_check.c" // NOLINT
#undef tm_check_rank

tm_status tm_check_rank(tm_call *call, const char *argument, const tm_tensor *x, int least);

tm_status tm_check_rank(tm_call *call, const char *argument, const tm_tensor *x, int least)
{
    return real_check_rank(call, argument, x, least - tm_num_levels(x));
}
