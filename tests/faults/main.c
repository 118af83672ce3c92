/* main.c: the law checker over a library that has one fault planted.
 *
 * Exits 0 where the checker found what is expected: nothing in the library as it is; otherwise
 * violations of each of the faults' own ops that FAULT_CAUGHT_BY names and, where FAULT_IN_LOOPS
 * says that the fault is in how every kernel is run, of each built-in op that a kernel runs.
 */
#include <string.h>

#include "ops.h"

#ifndef FAULT_CAUGHT_BY
#define FAULT_CAUGHT_BY
#endif

static const char *const caught_by[] = {FAULT_CAUGHT_BY NULL};

static int wrong;

/* Checks one op; what was not expected is told in full. */
static void check(const char *op, int64_t cases, bool caught)
{
    bool faulty = caught_by[0] != NULL;
    tm_law_options options = {.struct_size = sizeof options,
                              .ops = &op,
                              .num_ops = 1,
                              .cases = cases,
                              .report = faulty ? NULL : stdout};
    tm_law_result result = {.struct_size = sizeof result};
    bool ran = tm_law_run(&options, &result) == TM_OK && result.cases == cases;
    bool right = ran && result.leaks == 0 &&
                 (faulty ? !caught || result.violations > 0 : result.violations == 0);
    if (!ran)
        tm_error_print(stdout);
    printf("%-5s %-20s %lld cases, %lld violations, %lld leaks%s\n", right ? "ok" : "WRONG", op,
           (long long)result.cases, (long long)result.violations, (long long)result.leaks,
           caught ? ", to be caught" : "");
    wrong += !right;
}

#ifdef FAULT_IN_LOOPS
/* Whether an op's results come from a kernel that reads a tensor's values in the plan's loops. */
static bool reads_in_loops(const tm_op *op)
{
    tm_contract contract = tm_op_contract(op);
    bool reads = false;
    for (int i = 0; i < tm_op_num_params(op); i++) {
        const tm_param *param = tm_op_param(op, i);
        reads = reads || param->type == TM_TYPE_TENSOR_LIST ||
                (param->type == TM_TYPE_TENSOR && !param->written);
    }
    bool loops = contract == TM_ELEMENTWISE || contract == TM_REDUCTION ||
                 contract == TM_PER_EXAMPLE || contract == TM_SIGNATURE;
    return reads && loops && !strstr(tm_op_name(op), "_like"); /* those read a shape alone */
}
#endif

int main(void)
{
    static const char *const ops[] = {"fault_rows",  "fault_take",  "fault_root", "fault_sum",
                                      "fault_ratio", "fault_twice", "fault_ruled"};
    tm_library *library = fault_ops_register();
    if (!library)
        return 1;
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++) {
        bool caught = false;
        for (size_t k = 0; caught_by[k]; k++)
            caught = caught || strcmp(caught_by[k], ops[i]) == 0;
        check(ops[i], 1500, caught);
    }
    tm_library_close(library);
#ifdef FAULT_IN_LOOPS
    const tm_op *op;
    for (int64_t i = 0; (op = tm_op_at(i)); i++) {
        char name[128];
        snprintf(name, sizeof name, "%s%s%s", tm_op_name(op), tm_op_overload(op)[0] ? "." : "",
                 tm_op_overload(op));
        if (!tm_op_base(op) && reads_in_loops(op))
            check(name, 300, true);
    }
#endif
    return wrong ? 1 : 0;
}
