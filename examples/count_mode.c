/* count_mode.c: a mode of one's own. It counts calls by op and declines them all, so that nothing
 * else changes; under vmap it sees one call, whatever the batch size.
 */
#include <string.h>
#include <transmute/transmute.h>

typedef struct counts {
    int num;
    struct {
        const char *op;
        int calls;
    } of[16];
} counts;

static tm_mode_answer count(tm_call *call, void *state)
{
    counts *c = state;
    const char *op = tm_op_name(tm_call_op(call));
    int i = 0;
    while (i < c->num && strcmp(c->of[i].op, op) != 0)
        i++;
    if (i == c->num && i < 16)
        c->of[c->num++].op = op;
    if (i < 16)
        c->of[i].calls++;
    return TM_MODE_DECLINE;
}

int main(void)
{
    static const tm_mode_def def = {
        .struct_size = sizeof(tm_mode_def), .name = "count", .handle = count};
    counts seen = {0};
    tm_scope *scope = tm_scope_push();
    tm_tensor *x = tm_from_data(TM_FLOAT32, 2, TM_INTS(2, 2).data, (float[]){1, 2, 3, 4});
    tm_mode *mode = tm_mode_push(&def, &seen);
    tm_tensor *y = tm_triu(tm_add(x, x), 0);
    tm_vmap_level *v = tm_vmap_push(NULL);
    tm_tensor *row = tm_vmap_in(v, y, 0);
    tm_tensor *z = tm_vmap_out(v, tm_add(row, row), 0);
    tm_vmap_pop(v);
    tm_mode_pop(mode);
    tm_print(stdout, z);
    for (int i = 0; i < seen.num; i++)
        printf("%s %d\n", seen.of[i].op, seen.of[i].calls);
    tm_scope_pop(scope);
    return 0;
}
