/* index.c: the dispatcher's fail.c with a wrong index in the error.
 *
 * FAULT_WRONG_INDEX: the context names the example after the one that failed.
 * FAULT_WRONG_LOGICAL_INDEX: the message's "(at index ...)" does.
 */
#define tm_plan_failed real_plan_failed
#include "dispatch/fail.c" // NOLINT
#undef tm_plan_failed

void tm_plan_failed(tm_plan *plan, tm_call *call, int64_t flat, int num_logical,
                    const int64_t *logical_size);

void tm_plan_failed(tm_plan *plan, tm_call *call, int64_t flat, int num_logical,
                    const int64_t *logical_size)
{
#if defined FAULT_WRONG_INDEX
    real_plan_failed(plan, call, flat, num_logical, logical_size);
    int last = call->num_failed_levels - 1;
    if (last >= 0) {
        tm_error_level *level = &call->failed_levels[last];
        level->index = (level->index + 1) % level->size;
    }
#elif defined FAULT_WRONG_LOGICAL_INDEX
    bool wrong = plan->num_levels > 0 && num_logical > 0 && flat > 0;
    real_plan_failed(plan, call, wrong ? flat - 1 : flat, num_logical, logical_size);
#else
#error "which fault?"
#endif
}
