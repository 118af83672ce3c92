/* calls.h: the parts of the target fuzz_calls: bytes as a program of calls.
 *
 *     fuzz_calls.c        the instructions: levels, modes, mapped functions, views, settings
 *     calls_ops.c         an op and its samples, found by a number
 *     calls_tensor.c      new tensors: mapped or not, in any layout, of the caller's memory
 *     calls_args.c        the arguments of a call
 *     calls_record.c      what a call was given and what it did: memory before and after
 *     calls_judge.c       the loop over examples, on memory as it stood at the call's entry
 *
 * Calls are recorded while the program runs and judged when it is done, so that the loop runs
 * outside all levels and modes. Everything a program needs lies in one pool, which is emptied
 * before the next one.
 */
#ifndef TM_FUZZ_CALLS_H
#define TM_FUZZ_CALLS_H

#include "dispatch/handle.h"
#include "fuzz/target.h"
#include "law/case.h"

enum {
    FUZZ_VARS = 24,
    FUZZ_PAST = 256,
    FUZZ_STACK = 80,
    FUZZ_OPERANDS = 24,
    FUZZ_RESULTS = 24,
    FUZZ_ELEMENTS = 1 << 12 /* of one tensor, all examples together */
};

/** Zeroed memory that lives until the program ends; NULL where there is no more. */
void *fuzz_pool(size_t size);
void fuzz_pool_empty(void);
/** Writes to the messages where the environment has FUZZ_TRACE. */
void fuzz_trace(const char *format, ...) TM_PRINTF(1, 2);

/* -- The program ------------------------------------------------------------------------------- */

typedef struct fuzz_frame {
    tm_vmap_level *level; /**< or a mode */
    tm_mode *mode;
} fuzz_frame;

struct fuzz_record;

typedef struct fuzz_machine {
    fuzz_bytes *bytes;
    tm_tensor *var[FUZZ_VARS]; /**< each holds a reference */
    int num_vars;
    tm_tensor *past[FUZZ_PAST]; /**< variables of mapped functions that have returned */
    int num_past;
    fuzz_frame stack[FUZZ_STACK];
    int depth, floor; /**< what lies below the floor is not popped */
    int nested;       /**< mapped functions that run */
    int left;         /**< instructions that may still be run */
    uint64_t seed;
    struct fuzz_record *records, **last_record;
} fuzz_machine;

/** The innermost level, NULL where none is open. */
tm_vmap_level *fuzz_level(const fuzz_machine *m);
/** Keeps a tensor as a variable; NULL and more than there is room for are passed over. */
void fuzz_keep(fuzz_machine *m, tm_tensor *x);
/** One of the variables, NULL where there is none. */
tm_tensor *fuzz_pick(fuzz_machine *m);

/* -- calls_ops.c ------------------------------------------------------------------------------- */

/** The op that a number stands for; which one stays the same where other ops are added. */
const tm_op *fuzz_op(unsigned number);
/** One of the op's samples, or NULL. */
const tm_law_sample *fuzz_sample(const tm_op *op, int number);

/* -- calls_tensor.c ---------------------------------------------------------------------------- */

/** A new tensor like a sample's, mapped or not; NULL where that cannot be. */
tm_tensor *fuzz_fresh(fuzz_machine *m, const tm_law_tensor *like);
/** One of any dtype and a few sizes. */
tm_tensor *fuzz_any(fuzz_machine *m);

/* -- calls_args.c ------------------------------------------------------------------------------ */

/** Chooses an op and arguments; NULL where there is no such call, or it would be too much work. */
const tm_op *fuzz_choose_call(fuzz_machine *m, tm_value args[TM_MAX_ARGS]);

/* -- calls_record.c ---------------------------------------------------------------------------- */

/** Memory that a call's tensors lie in, as it was at entry. */
typedef struct fuzz_block {
    const tm_storage *root;
    const char *data;
    int64_t size;
    char *bytes;
} fuzz_block;

/** A tensor of the call, as it was at entry. */
typedef struct fuzz_operand {
    const tm_tensor *handle;
    int param, element; /**< which argument; of a list */
    bool written, read_only;
    int block;
    int64_t offset; /**< bytes from the block to the first element of the first example */
    tm_dtype dtype;
    int ndim, num_entries;
    int64_t *shape, *strides;
    tm_batch_entry entries[TM_MAX_LEVELS]; /**< strides in bytes */
} fuzz_operand;

/** An open level. */
typedef struct fuzz_open {
    uint64_t id;
    int64_t size, first;
    tm_randomness randomness;
    bool joins; /**< some tensor is mapped there, or random numbers are drawn for each example */
} fuzz_open;

/** A result, example by example. */
typedef struct fuzz_result {
    bool is_scalar;
    tm_scalar scalar;
    tm_dtype dtype;
    int ndim;
    int64_t *shape, numel;
    char *values;   /**< row-major, one example after the other */
    int64_t *place; /**< where each example begins in `block` */
    int block;      /**< the operand's memory it lies in, or -1 */
} fuzz_result;

typedef struct fuzz_record {
    struct fuzz_record *next;
    const tm_op *op;
    tm_value args[TM_MAX_ARGS]; /**< tensors are not to be used */
    int num_operands, num_blocks, num_open, num_results;
    fuzz_operand operand[FUZZ_OPERANDS];
    fuzz_block block[FUZZ_OPERANDS];
    fuzz_open open[TM_OPEN_LEVELS];
    int64_t count; /**< examples over the levels that join */
    bool random, must_refuse, writes, no_size;
    uint64_t seed, draws;
    tm_status status;
    tm_law_failure failure;
    fuzz_result result[FUZZ_RESULTS];
} fuzz_record;

/** Calls the op and records it; what it returned is kept as variables. */
void fuzz_call(fuzz_machine *m, const tm_op *op, const tm_value *args);
/** The index at every joining level of example `flat`, at the level's place in `open`. */
void fuzz_index(const fuzz_record *r, int64_t flat, int64_t index[TM_OPEN_LEVELS]);
/** How far example `index` lies from the first, in bytes. */
int64_t fuzz_distance(const fuzz_record *r, const tm_batch_entry *entries, int n,
                      const int64_t *index);
/** Writes what the call was. */
void fuzz_describe(const fuzz_record *r);

/* -- calls_judge.c ----------------------------------------------------------------------------- */

/** Runs the examples one by one and holds the record against them. Outside all levels. */
void fuzz_judge(const fuzz_record *r);

#endif
