/* transmute.h: everything public.
 *
 * transmute dispatches tensor ops through a stack of modes. Its vmap mode rewrites handles so that
 * a kernel written for one example, checks included, runs over a batch without knowing it.
 *
 *     #include <transmute/transmute.h>
 *
 *     int main(void)
 *     {
 *         tm_scope *scope = tm_scope_push();
 *         tm_tensor *x = tm_rand(TM_INTS(32, 2), TM_FLOAT32, NULL);
 *
 *         tm_vmap_level *v = tm_vmap_push(NULL);
 *         tm_tensor *row = tm_vmap_in(v, x, 0);       shape (2,): one example
 *         tm_tensor *bad = tm_triu(row, 0);           NULL: a row has one dimension
 *         tm_error_print(stderr);                     error: triu: x must have at least 2 ...
 *         tm_tensor *y = tm_vmap_out(v, tm_exp(row), 0);
 *         tm_vmap_pop(v);
 *
 *         tm_print(stdout, y);
 *         return tm_scope_pop(scope);                 releases x and y
 *     }
 *
 * base.h      limits and linkage            dispatch.h  ops as data: find, call, register
 * types.h     dtypes, scalars, lists        kernel.h    for authors of metas and kernels
 * error.h     the error record              modes.h     the mode stack, vmap, trace
 * memory.h    the allocator                 ops.h       every built-in op, typed (generated)
 * tensor.h    handles and scopes            io.h, law.h files and printing; the law checker
 * dlpack.h, which is to be included by itself, shares tensors with other libraries.
 * plugin.h    ops from shared objects        tuning.h    which of several ways are taken
 */
#ifndef TRANSMUTE_TRANSMUTE_H
#define TRANSMUTE_TRANSMUTE_H

#include <transmute/base.h>
#include <transmute/dispatch.h>
#include <transmute/error.h>
#include <transmute/io.h>
#include <transmute/kernel.h>
#include <transmute/law.h>
#include <transmute/memory.h>
#include <transmute/modes.h>
#include <transmute/ops.h>
#include <transmute/plugin.h>
#include <transmute/tensor.h>
#include <transmute/tuning.h>
#include <transmute/types.h>

#endif
