/* vmap_place.c: results of pieces that are made where they belong.
 *
 * The storage that becomes a result is, piece after piece, the same one in order of making, if the
 * function does the same each time. From the second piece on it is offered its part of the whole as
 * a seat. Whatever comes of it, the whole is right: what is not the result itself, lying as it
 * must, is copied; and nothing is copied into the whole, or leaves with it, while another storage
 * stands there.
 */
#include "vmap_place.h"

#include <string.h>

#include "dispatch/bypass.h"
#include "dispatch/scope.h"

/* Bytes of the example in a whole whose first dimension is the batch; no levels outside it. */
static int64_t bytes_of_example(const tm_tensor *whole, int64_t batch)
{
    return batch > 0 ? whole->storage->bytes / batch : 0;
}

static bool has_seats(const tm_tensor *whole)
{
    return whole->storage->root == whole->storage && !tm_handle_mapped(whole);
}

tm_seat *tm_places_offer(tm_thread *thread, int n, tm_place *places, tm_tensor *const *whole,
                         int64_t first, int64_t size, int64_t batch)
{
    tm_seat *before = thread->seats;
    thread->seats = NULL;
    for (int i = 0; i < n; i++) {
        if (!places[i].nth || !whole[i] || !has_seats(whole[i]))
            continue;
        tm_storage *host = whole[i]->storage;
        int64_t bytes = bytes_of_example(whole[i], batch);
        places[i].seat = (tm_seat){.next = thread->seats,
                                   .serial = thread->storages + places[i].nth,
                                   .bytes = size * bytes,
                                   .data = host->data + first * bytes,
                                   .host = host,
                                   .cold = tm_bypass_pays(2 * host->bytes)};
        if (size * bytes > 0)
            thread->seats = &places[i].seat;
    }
    return before;
}

/* Whether y's elements are one run from `data` on. */
static bool is_run(const tm_tensor *y, const char *data)
{
    int64_t step = 1;
    bool run = !tm_handle_mapped(y) && tm_handle_data(y) == data;
    for (int d = y->ndim; run && d-- > 0; step *= y->shape[d])
        run = y->shape[d] < 2 || y->strides[d] == step;
    return run;
}

void tm_place_learn(tm_place *place, const tm_tensor *y, int dim, uint32_t before)
{
    const tm_storage *root = y->storage->root;
    bool all = tm_handle_numel(y) * tm_item_size(y->dtype) == root->bytes && is_run(y, root->data);
    place->nth = dim == 0 && all ? root->serial - before : 0;
}

bool tm_place_holds(const tm_tensor *whole, const tm_tensor *y, int dim, int64_t first,
                    int64_t batch)
{
    return dim == 0 && has_seats(whole) && y->storage->root->keeps == whole->storage &&
           is_run(y, whole->storage->data + first * bytes_of_example(whole, batch));
}

tm_status tm_place_clear(tm_thread *thread, tm_tensor **whole, int64_t done, int64_t batch)
{
    tm_tensor *old = *whole;
    tm_storage *from = old->storage;
    if (!has_seats(old) || atomic_load_explicit(&from->refs, memory_order_acquire) == 1)
        return TM_OK;
    tm_tensor *moved =
        tm_handle_new_storage(thread, (tm_dtype)old->dtype, old->ndim, old->shape, from->bytes, 0);
    if (!moved)
        return tm_error_memory("vmap", from->bytes);
    memcpy(moved->storage->data, from->data, (size_t)(done * bytes_of_example(old, batch)));
    *whole = tm_scope_adopt(thread, moved);
    tm_release(old);
    return TM_OK;
}
