/* placement.c: outputs take over the order in memory of their leading input.
 *
 * A batch that lies innermost in the input is walked contiguously only if it lies innermost in the
 * output as well. Between logical dimensions a level never lies: reshape, say, would then copy
 * where it is a view of one example.
 */
#include "placement.h"

#include <string.h>

#include "numbers.h"
#include "tuning.h"

/* The mapped input with the most elements, whose order in memory the outputs take over. */
static int leading_input(const tm_plan *plan)
{
    int leading = -1;
    int64_t most = 1; /* with one element per example every order is the same */
    for (int k = 0; k < plan->num_inputs; k++) {
        int64_t numel = tm_handle_numel(plan->operand[k].tensor);
        if (numel > most && tm_handle_mapped(plan->operand[k].tensor)) {
            leading = k;
            most = numel;
        }
    }
    return leading;
}

/* `step`: of the input whose order is kept; NULL: in order of level. */
static void add_inner(tm_placement *place, int level, const int64_t *step, int operands)
{
    int at = place->count++;
    for (;
         step && at > 0 &&
         tm_magnitude(step[place->level[at - 1] * operands]) < tm_magnitude(step[level * operands]);
         at--)
        place->level[at] = place->level[at - 1];
    place->level[at] = (uint8_t)level;
    place->is_inner[level] = true;
}

/* Other kernels may write a new output as the row-major memory that it is for one example. */
static bool goes_by_strides(const tm_op *op)
{
    return op->def.contract == TM_ELEMENTWISE || op->def.contract == TM_REDUCTION ||
           op->def.strided;
}

/* The levels that lie inside the logical dimensions of the leading input. */
void tm_placement_choose(const tm_plan *plan, tm_placement *place)
{
    memset(place, 0, sizeof *place);
    if (!plan->num_levels || !goes_by_strides(plan->call->op) ||
        !tm_path_taken(TM_PATH_INNER, true))
        return;
    if (tm_path_taken(TM_PATH_INNER, false)) {
        for (int l = 0; l < plan->num_levels; l++)
            add_inner(place, l, NULL, 0);
        return;
    }
    int leading = leading_input(plan);
    if (leading < 0)
        return;
    const tm_tensor *x = plan->operand[leading].tensor;
    const int64_t *steps = plan->step + leading;
    int64_t least = INT64_MAX;
    for (int d = 0; d < x->ndim; d++)
        if (tm_handle_step(x, d) != 0 && tm_magnitude(tm_handle_step(x, d)) < least)
            least = tm_magnitude(tm_handle_step(x, d));
    for (int l = 0; l < plan->num_levels; l++) {
        int64_t step = tm_magnitude(steps[l * plan->num_operands]);
        if (step != 0 && step < least && plan->size[l] > 1)
            add_inner(place, l, steps, plan->num_operands);
    }
}
