/* calls_ops.c: ops by number, and their samples, parsed once. */
#include <string.h>

#include "fuzz/calls.h"

enum { MOST_OPS = 4096, MOST_SAMPLES = 4096 };

typedef struct entry {
    const tm_op *op;
    const tm_law_sample **samples; /* NULL: not parsed yet */
    int count;
    uint32_t hash;
} entry;

static entry ops[MOST_OPS];
static int num_ops;
static tm_law_arena arena;

static uint32_t hash_of(const tm_op *op)
{
    char name[128];
    uint32_t hash = 0x811c9dc5u;
    for (const char *c = tm_law_name(op, name, sizeof name); *c; c++)
        hash = (hash ^ (unsigned char)*c) * 0x01000193u;
    return hash >> 16;
}

static int by_hash(const void *a, const void *b)
{
    const entry *x = a, *y = b;
    return x->hash != y->hash ? (x->hash < y->hash ? -1 : 1)
                              : strcmp(tm_op_schema(x->op), tm_op_schema(y->op));
}

static void read_ops(void)
{
    for (int64_t i = 0; i < tm_op_count() && i < MOST_OPS; i++) {
        const tm_op *op = tm_op_at(i);
        ops[num_ops++] = (entry){.hash = hash_of(op), .op = op};
    }
    qsort(ops, (size_t)num_ops, sizeof *ops, by_hash);
}

/* The first op whose hash is not below the number. */
static entry *find(unsigned number)
{
    if (num_ops == 0)
        read_ops();
    int low = 0, high = num_ops;
    while (low < high) {
        int middle = (low + high) / 2;
        if (ops[middle].hash < number)
            low = middle + 1;
        else
            high = middle;
    }
    return &ops[low < num_ops ? low : 0];
}

const tm_op *fuzz_op(unsigned number)
{
    return find(number)->op;
}

static void parse(entry *e)
{
    char error[256];
    const tm_op *declared = tm_law_declared(e->op);
    const tm_op_samples *all = tm_op_get_samples(declared);
    e->samples = calloc(all ? all->count + 1 : 1, sizeof(void *));
    size_t at = 0;
    for (const tm_sample *source; e->samples && (source = tm_law_next_sample(declared, &at));) {
        tm_law_sample *sample = calloc(1, sizeof *sample);
        if (sample && tm_law_parse(&arena, declared, source, sample, error, sizeof error))
            e->samples[e->count++] = sample;
        else
            free(sample);
    }
}

const tm_law_sample *fuzz_sample(const tm_op *op, int number)
{
    entry *e = find(hash_of(op));
    while (e->op != op && e + 1 < ops + num_ops)
        e++;
    if (!e->samples)
        parse(e);
    return e->count > 0 ? e->samples[number % e->count] : NULL;
}
