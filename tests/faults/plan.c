/* plan.c: the dispatcher's transmute.c with a fault in the loops it makes of batch entries.
 *
 * The file is compiled here as it stands, its one entry under another name; this one calls it and
 * then spoils the first input's step along the outermost level. All stays inside the input's own
 * memory, so that nothing but the values goes wrong.
 */
#define tm_transmute real_transmute
#include "dispatch/transmute.c" // NOLINT
#undef tm_transmute

tm_status tm_transmute(tm_call *call, tm_plan *plan);

tm_status tm_transmute(tm_call *call, tm_plan *plan)
{
    tm_status status = real_transmute(call, plan);
    if (status != TM_OK || plan->num_levels == 0 || plan->num_inputs == 0)
        return status;
    int64_t *step = &plan->step[0];
#if defined FAULT_SHIFTED_STRIDE
    int64_t item = (int64_t)tm_dtype_size((tm_dtype)plan->operand[0].tensor->dtype);
    if (*step >= 2 * item)
        *step -= item;
#elif defined FAULT_SWAPPED_EXAMPLES
    if (plan->size[0] == 2) {
        plan->operand[0].base += *step;
        *step = -*step;
    }
#elif defined FAULT_REPEATED_EXAMPLE
    *step = 0;
#else
#error "which fault?"
#endif
    return status;
}
