/* nested.c: two levels with different in_dims. The function adds a row to a number; it is mapped
 * over the columns of `numbers` (outer), and inside over its elements and the rows of x (inner).
 */
#include <transmute/transmute.h>

/* One row and one number. */
static tm_status one_row(void *user, const tm_tensor *const *in, tm_tensor **out)
{
    (void)user;
    out[0] = tm_add(in[0], in[1]);
    return out[0] ? TM_OK : tm_error_code();
}

/* A matrix and a column of numbers, one for each row; the rows come out as columns. */
static tm_status one_column(void *user, const tm_tensor *const *in, tm_tensor **out)
{
    const int64_t in_dims[] = {0, 0}, out_dims[] = {-1};
    return tm_vmap(one_row, user, NULL, 2, in, in_dims, 1, out, out_dims);
}

int main(void)
{
    tm_scope *scope = tm_scope_push();
    tm_tensor *x = tm_from_data(TM_FLOAT32, 2, TM_INTS(2, 3).data, (float[]){1, 2, 3, 4, 5, 6});
    tm_tensor *numbers =
        tm_from_data(TM_FLOAT32, 2, TM_INTS(2, 2).data, (float[]){10, 100, 20, 200});
    const tm_tensor *in[] = {x, numbers};
    tm_tensor *y;
    if (tm_vmap(one_column, NULL, NULL, 2, in, (int64_t[]){TM_NOT_MAPPED, 1}, 1, &y, NULL) == TM_OK)
        tm_print(stdout, y);

    /* Mapped over the rows of x and its columns: 2 examples of one, 3 of the other. */
    in[1] = x;
    if (tm_vmap(one_column, NULL, NULL, 2, in, (int64_t[]){0, 1}, 1, &y, NULL) != TM_OK)
        printf("%s\n", tm_error_message());
    tm_scope_pop(scope);
    return 0;
}
