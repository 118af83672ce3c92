/* transmute in 300 lines: the whole idea as one C program that needs no library.
 *
 *     cc -O2 transmute-in-300-lines.c && ./a.out
 *
 * vmap takes a function that was written for ONE example and runs it over a batch. Usually each op
 * has a batching rule for that, which moves the batch in front and calls the op on the larger
 * tensor. Then the op's checks look at something that is not the example, and wrong calls pass.
 *
 * Here no op has a rule. vmap rewrites the HANDLE: the batch dimension leaves the shape and becomes
 * an entry beside it. Checks see the shape, which is one example's; the dispatcher turns entries
 * into loops; the kernel is called for one example at a time. To be read from the top.
 */
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_NDIM = 8, MAX_LEVELS = 4, MEMORY = 1 << 14 };

/* -- 1. The handle ---------------------------------------------------------------------------- */

/* A dimension that has left the shape: which vmap took it, and how far apart its examples lie. */
typedef struct entry {
    int level;   /* 0 is the outermost vmap; the level knows the size */
    long stride; /* in elements, like all strides */
} entry;

typedef struct tensor {
    int ndim; /* these three lines are all that checks and kernels look at: one example */
    long shape[MAX_NDIM], stride[MAX_NDIM];
    float *data; /* the first element; while a kernel runs, of its example */

    int num_entries;
    entry entries[MAX_LEVELS]; /* outermost first */
} tensor;

/* Zeroed, and kept to the end: the library has scopes, reference counts and errors instead. */
static void *allocate(size_t size)
{
    static max_align_t memory[MEMORY];
    static size_t used;
    void *block = &memory[used];
    used += size / sizeof *memory + 1;
    if (used > MEMORY)
        abort();
    return block;
}

static tensor *copy_handle(const tensor *x)
{
    return memcpy(allocate(sizeof *x), x, sizeof *x);
}

static long count_elements(const tensor *x)
{
    long count = 1;
    for (int d = 0; d < x->ndim; d++)
        count *= x->shape[d];
    return count;
}

/* Element n of x, counted along the last axis first. */
static float *element(const tensor *x, long n)
{
    float *at = x->data;
    for (int d = x->ndim; d-- > 0; n /= x->shape[d])
        at += n % x->shape[d] * x->stride[d];
    return at;
}

/* -- 2. Errors: the first one stands until it is shown, and NULL passes through --------------- */

static char message[200], where[100];

static bool fail(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    if (!*message)
        vsnprintf(message, sizeof message, format, args);
    va_end(args);
    return false;
}

/* "(2, 3)", "(2,)" or "()", until the next call. */
static const char *shape_text(const tensor *x)
{
    static char text[MAX_NDIM * 24];
    size_t n = (size_t)snprintf(text, sizeof text, "(");
    for (int d = 0; d < x->ndim; d++)
        n += (size_t)snprintf(text + n, sizeof text - n, d ? ", %ld" : "%ld", x->shape[d]);
    snprintf(text + n, sizeof text - n, x->ndim == 1 ? ",)" : ")");
    return text;
}

/* -- 3. vmap: the handle is rewritten, no element moves --------------------------------------- */

static int num_levels;
static long batch_size[MAX_LEVELS]; /* of each open level */

static void vmap_push(long size)
{
    batch_size[num_levels++] = size;
}

static void vmap_pop(void)
{
    num_levels--;
}

/* x with axis `axis` moved from its shape to its entries: it now stands for one example. */
static tensor *vmap_in(const tensor *x, int axis)
{
    int level = num_levels - 1;
    if (!x)
        return NULL;
    if (axis >= x->ndim || x->shape[axis] != batch_size[level])
        return fail("vmap: %s has no axis of that size", shape_text(x)), NULL;
    tensor *one = copy_handle(x);
    one->entries[one->num_entries++] = (entry){level, x->stride[axis]};
    one->ndim--;
    for (int d = axis; d < one->ndim; d++) {
        one->shape[d] = x->shape[d + 1];
        one->stride[d] = x->stride[d + 1];
    }
    return one;
}

/* The reverse: the innermost level's entry becomes axis 0. What has no such entry is the same for
 * all examples: it is repeated, by a stride of 0. */
static tensor *vmap_out(const tensor *y)
{
    if (!y)
        return NULL;
    tensor *all = copy_handle(y);
    int level = num_levels - 1, last = y->num_entries - 1;
    bool mapped = last >= 0 && y->entries[last].level == level;
    all->num_entries -= mapped;
    all->ndim++;
    for (int d = 0; d < y->ndim; d++) {
        all->shape[d + 1] = y->shape[d];
        all->stride[d + 1] = y->stride[d];
    }
    all->shape[0] = batch_size[level];
    all->stride[0] = mapped ? y->entries[last].stride : 0;
    return all;
}

/* -- 4. The dispatcher: it names no op, and is alone in knowing of entries -------------------- */

struct op {
    int num_inputs;                                /* 1 or 2 */
    bool (*meta)(const tensor *in, tensor *out);   /* checks, and says what shape out has */
    bool (*kernel)(const tensor *in, tensor *out); /* computes; may fail because of a value */
};

static const entry *find_entry(const tensor *x, int level)
{
    for (int i = 0; i < x->num_entries; i++)
        if (x->entries[i].level == level)
            return &x->entries[i];
    return NULL; /* not mapped there: the same for all examples */
}

/* One loop for each of out's entries from `depth` on; in the innermost, the kernel. The handles are
 * copies, whose data moves from example to example. */
static bool run(const struct op *op, const tensor *in, tensor out, int depth)
{
    if (depth == out.num_entries)
        return op->kernel(in, &out);
    tensor one[] = {in[0], in[1]};
    int level = out.entries[depth].level;
    for (long b = 0; b < batch_size[level]; b++) {
        if (!run(op, one, out, depth + 1)) {
            size_t n = strlen(where);
            snprintf(where + n, sizeof where - n, ", example %ld of level %d", b, level);
            return false;
        }
        for (int i = 0; i < 2; i++)
            one[i].data += find_entry(&in[i], level) ? find_entry(&in[i], level)->stride : 0;
        out.data += out.entries[depth].stride;
    }
    return true;
}

static tensor *call(const struct op *op, const tensor *x1, const tensor *x2)
{
    if (op->num_inputs == 1)
        x2 = x1;
    if (!x1 || !x2)
        return NULL;
    tensor in[] = {*x1, *x2}, *out = copy_handle(&(tensor){0});
    if (!op->meta(in, out)) /* once, however many examples there are */
        return NULL;

    long count = 1; /* out's memory: its own dimensions innermost, the levels around them */
    for (int d = out->ndim; d-- > 0; count *= out->shape[d])
        out->stride[d] = count;
    for (int level = 0; level < num_levels; level++)
        if (find_entry(x1, level) || find_entry(x2, level))
            out->entries[out->num_entries++].level = level;
    for (int i = out->num_entries; i-- > 0; count *= batch_size[out->entries[i].level])
        out->entries[i].stride = count;
    out->data = allocate((size_t)count * sizeof(float));
    return run(op, in, *out, 0) ? out : NULL;
}

/* -- 5. Ops: look for the batch; there is none ------------------------------------------------ */

static bool triu_meta(const tensor *x, tensor *out)
{
    if (x->ndim < 2)
        return fail("triu: x must have at least 2 dimensions, got shape %s", shape_text(x));
    memcpy(out->shape, x->shape, sizeof out->shape);
    out->ndim = x->ndim;
    return true;
}

static bool triu_kernel(const tensor *x, tensor *out) /* of each matrix: zeros below the diagonal */
{
    long rows = x->shape[x->ndim - 2], columns = x->shape[x->ndim - 1];
    for (long n = 0; n < count_elements(x); n++)
        *element(out, n) = n % columns >= n / columns % rows ? *element(x, n) : 0;
    return true;
}

static bool project_meta(const tensor *x, tensor *out)
{
    out->ndim = 0;
    return (x[0].ndim == 1 && x[1].ndim == 1 && x[0].shape[0] == x[1].shape[0]) ||
           fail("project: x1 and x2 must be vectors of one size");
}

static bool project_kernel(const tensor *x, tensor *out) /* how many x2 there are in x1 */
{
    float dot = 0, square = 0;
    for (long i = 0; i < x[0].shape[0]; i++) {
        dot += *element(&x[0], i) * *element(&x[1], i);
        square += *element(&x[1], i) * *element(&x[1], i);
    }
    if (square == 0)
        return fail("project: x2 must not be 0");
    *out->data = dot / square;
    return true;
}

static const struct op triu = {1, triu_meta, triu_kernel};
static const struct op project = {2, project_meta, project_kernel};

/* -- 6. What comes of it ---------------------------------------------------------------------- */

static void show(const char *what, const tensor *x)
{
    printf("%s\n  %s%s%s", what, x ? "shape " : "error: ", x ? shape_text(x) : message, where);
    for (long n = 0; x && n < count_elements(x); n++)
        printf("%s%g", x->ndim && n % x->shape[x->ndim - 1] ? " " : "\n  ", *element(x, n));
    printf("\n");
    *message = *where = '\0';
}

int main(void)
{
    float numbers[18], directions[] = {1, 1, 1, 2, 0, -2};
    for (int i = 0; i < 18; i++)
        numbers[i] = (float)i;
    tensor x = {3, {2, 3, 3}, {9, 3, 1}, numbers, 0, {{0}}};
    tensor w = {2, {2, 3}, {3, 1}, directions, 0, {{0}}};

    vmap_push(2); /* over the matrices of x, each with its own row of w */
    tensor *matrix = vmap_in(&x, 0), *direction = vmap_in(&w, 0);
    show("triu of each matrix", vmap_out(call(&triu, matrix, NULL)));

    vmap_push(3); /* in it, over the rows of the matrix */
    tensor *row = vmap_in(matrix, 0);
    show("triu of each row: it has one dimension, and the one check there is says so",
         call(&triu, row, NULL));
    tensor *all = vmap_out(call(&project, row, direction)); /* w is not mapped at this level */
    vmap_pop();
    all = vmap_out(all);
    vmap_pop();
    show("each row projected: two levels of vmap", all);

    bool same = true; /* the law: as if each example had been alone */
    for (int i = 0; i < 6; i++) {
        tensor one = {1, {3}, {1}, numbers + 3 * i, 0, {{0}}};
        tensor its = {1, {3}, {1}, directions + i / 3 * 3, 0, {{0}}};
        same = same && *element(call(&project, &one, &its), 0) == *element(all, i);
    }
    printf("the same as six calls, one by one: %s\n", same ? "yes" : "no");

    directions[3] = directions[5] = 0; /* wrong in one example, which the error names */
    vmap_push(2);
    direction = vmap_in(&w, 0);
    show("each direction on itself, the second being 0", call(&project, direction, direction));
    vmap_pop();
    return same ? 0 : 1;
}
