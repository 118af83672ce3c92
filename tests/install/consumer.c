/* consumer.c: rows of a matrix, sorted one by one under a vmap. */
#include <stdio.h>

#include <transmute/transmute.h>

int main(void)
{
    tm_scope *scope = tm_scope_push();
    const float data[] = {3, 1, 2, 9, 7, 8};
    tm_tensor *x = tm_from_data(TM_FLOAT32, 2, (const int64_t[]){2, 3}, data);
    tm_vmap_level *level = tm_vmap_push(NULL);
    tm_tensor *sorted = tm_sort(tm_vmap_in(level, x, 0), 0, false, true);
    tm_tensor *y = tm_vmap_out(level, sorted, 0);
    tm_status status = tm_vmap_pop(level);
    if (!y || status != TM_OK || tm_print(stdout, y) != TM_OK) {
        fprintf(stderr, "%s\n", tm_error_message());
        return 1;
    }
    return tm_scope_pop(scope);
}
