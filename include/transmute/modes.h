/* modes.h: the mode stack, vmap and trace.
 *
 *     tm_vmap_level *v = tm_vmap_push(NULL);
 *     tm_tensor *row = tm_vmap_in(v, x, 0);         x (32, 2): row has shape (2,)
 *     tm_tensor *y = tm_exp(row);                   runs for all 32 rows
 *     tm_tensor *out = tm_vmap_out(v, y, 0);        (32, 2) again
 *     tm_vmap_pop(v);
 *
 * Stacks are per thread. Levels nest by pushing again; the innermost is the only one that in and
 * out work on.
 */
#ifndef TRANSMUTE_MODES_H
#define TRANSMUTE_MODES_H

#include <transmute/dispatch.h>

TM_BEGIN

/* -- Modes of one's own ------------------------------------------------------------------------ */

/** What a mode did with a call. Where it leaves a failure of its own standing, by tm_fail or an op
 * it called, the call fails whatever it says; what tm_mode_pass_on failed with it may answer. */
typedef enum tm_mode_answer {
    TM_MODE_DECLINE = 0, /**< the next mode below sees the call */
    TM_MODE_HANDLED = 1, /**< every output was set with tm_mode_return */
    TM_MODE_FAILED = 2   /**< the call fails: with tm_fail's record, or the thread's */
} tm_mode_answer;

/** What an event is about: named and typed like an op's argument. */
typedef struct tm_event_arg {
    const char *name;
    tm_type type;
    bool optional;
    tm_value value;
} tm_event_arg;

/** Something that is no call of an op and that later calls depend on: a level that opens or ends, a
 *  tensor moved in or out, a file that is read. */
typedef struct tm_event {
    size_t struct_size;
    const char *name;
    int num_args;
    const tm_event_arg *args;
    const tm_tensor *result; /**< the tensor it gave, or NULL */
} tm_event;

/** A kind of mode. Callbacks may be NULL. */
typedef struct tm_mode_def {
    size_t struct_size; /**< sizeof(tm_mode_def); docs/abi.md */
    const char *name;   /**< shown in errors */
    /** Sees a call whose meta passed. This mode and those above it are off until it returns, so ops
     *  it calls are seen by those below. */
    tm_mode_answer (*handle)(tm_call *call, void *state);
    /** Told before a call goes further down; stays on meanwhile. Also for calls that fail in meta.
     *  Ops that it calls are not told to it. */
    void (*before)(const tm_call *call, void *state);
    /** Told when that call is done, with its status. What an observer fails in stands afterwards,
     * with the mode first in `modes`; the call does not fail by it. */
    void (*after)(const tm_call *call, tm_status status, void *state);
    /** Called when the mode is popped. Where that is because it was left open (by a mapped
     * function, a handler, a thread that ends), it cannot push another: TM_ERR_USAGE. */
    void (*destroy)(void *state);
    /** Told of an event; of a level's end before it, of others after it. */
    void (*event)(const tm_event *event, void *state);
} tm_mode_def;

/** Pushes a mode on the thread's stack. `def` is copied; its name must outlive the mode. NULL on
 *  failure. A mode that is on when its thread ends is popped then, after the thread's own functions
 *  have returned; one that is on when the process exits stays. */
TM_API tm_mode *tm_mode_push(const tm_mode_def *def, void *state);
/** Pops it. TM_ERR_USAGE, and nothing is popped, where it is not the innermost, was pushed before
 *  the running mapped function, or belongs to another thread. */
TM_API tm_status tm_mode_pop(tm_mode *mode);
/** In a handler: sends the call on to the modes below and the kernels; its outputs are set. */
TM_API tm_status tm_mode_pass_on(tm_call *call);
/** In a handler: the i-th output. Must match the call's spec (tm_output_spec). A host value is
 *  returned with tm_output_scalar. */
TM_API void tm_mode_return(tm_call *call, int i, const tm_tensor *output);

/* -- vmap ------------------------------------------------------------------------------------- */

/** What a random op may do at a level. */
typedef enum tm_randomness {
    TM_RANDOMNESS_ERROR = 0,     /**< fail */
    TM_RANDOMNESS_DIFFERENT = 1, /**< draw for every example */
    TM_RANDOMNESS_SAME = 2       /**< draw once for all examples */
} tm_randomness;

typedef struct tm_vmap_options {
    size_t struct_size;  /**< sizeof(tm_vmap_options); docs/abi.md */
    const int64_t *size; /**< the batch size, NULL: taken from the first mapped input */
    tm_randomness randomness;
    int64_t chunk_size; /**< tm_vmap: the most examples at once; 0: all; TM_CHUNK_AUTO */
} tm_vmap_options;

/** A chunk_size: as many examples as fit the cache. Their mapped inputs take at most half of the
 *  level-2 cache of each thread that calls may use, and of the level-3 cache; but there is at least
 *  one example per thread, and of an input with the batch innermost in memory 2 KiB of a row. All
 * at once where no mapped input has elements. */
#define TM_CHUNK_AUTO (-1)

/** Opens a level and a scope. `options` may be NULL. NULL on failure (too many levels; a
 * chunk_size, which is tm_vmap's). */
TM_API tm_vmap_level *tm_vmap_push(const tm_vmap_options *options);
/** x with dimension `in_dim` (negative counts from the end) moved from its shape to its batch
 *  list: a handle that stands for one example. TM_NOT_MAPPED: a handle without the level.
 *  TM_ERR_DIM out of range, TM_ERR_SHAPE where its size is not the level's. */
TM_API tm_tensor *tm_vmap_in(tm_vmap_level *level, const tm_tensor *x, int64_t in_dim);
/** The reverse: y with the level's dimension at `out_dim` of its shape, expanded where y has none.
 *  The result belongs to the scope outside the level. TM_NOT_MAPPED: y must not be mapped. */
TM_API tm_tensor *tm_vmap_out(tm_vmap_level *level, const tm_tensor *y, int64_t out_dim);
/** Closes the level and its scope: handles that still carry the level become TM_ERR_ESCAPED. */
TM_API tm_status tm_vmap_pop(tm_vmap_level *level);

/** The level's batch size, of the whole batch also in a piece of it; -1 while no mapped input has
 * set it, and on failure. */
TM_API int64_t tm_vmap_size(const tm_vmap_level *level);
/** The example's index at the level, in the whole batch also in a piece of it: a 0-D int64 tensor,
 *  mapped. */
TM_API tm_tensor *tm_vmap_index(tm_vmap_level *level);
/** The level's id. */
TM_API uint64_t tm_vmap_id(const tm_vmap_level *level);
/** The innermost open level, or NULL: for tm_vmap_index inside a mapped function. */
TM_API tm_vmap_level *tm_vmap_current(void);

/** A function of one example. Sets every out[i]; returns TM_OK, or another status after a failure
 *  (an out[i] left NULL fails too). */
typedef tm_status (*tm_mapped_fn)(void *user, const tm_tensor *const *in, tm_tensor **out);

/** Maps `fn` over the inputs: opens a level, moves in, runs fn once, moves out, closes the level
 *  and whatever fn left open. in_dims and out_dims have one entry per tensor; out_dims NULL: all 0.
 *  TM_ERR_SHAPE names the input whose size is the odd one. On failure every out[i] is NULL.
 *
 *  fn runs once, also for an empty batch; with a chunk_size, once for each piece of that many
 *  examples, each in a level of its own. The results are the same, but for what the tolerances of
 *  ops allow; they are written, piece by piece, into new memory, and only one piece's other memory
 *  is in use at a time. Indices, tm_vmap_size, random numbers and errors are the whole batch's. The
 *  first piece that fails ends the run. What fn does besides, such as a write of a value that is
 * not mapped into memory made outside, it does once per piece. TM_ERR_USAGE where pieces disagree
 * on the dtype or shape of a result, or on the value of one that is not mapped. TM_ERR_VALUE for
 * another negative chunk_size. */
TM_API tm_status tm_vmap(tm_mapped_fn fn, void *user, const tm_vmap_options *options, int num_in,
                         const tm_tensor *const *in, const int64_t *in_dims, int num_out,
                         tm_tensor **out, const int64_t *out_dims);

/* -- Random numbers ---------------------------------------------------------------------------- */

/** A generator: a random op that takes one draws from it instead of the thread's own. What it draws
 * follows from the generator's seed and the number of the random call on it since; an example's
 * numbers also from its index at every level whose randomness is "different". It belongs to no
 * thread, but may not be used by two at once. NULL on lack of memory. Free it with
 * tm_generator_free. */
TM_API tm_generator *tm_generator_new(uint64_t seed);
/** Frees it; no call may use it any more. NULL: no-op. */
TM_API void tm_generator_free(tm_generator *generator);
/** Seeds it anew and sets its count of random calls to 0. */
TM_API tm_status tm_generator_seed(tm_generator *generator, uint64_t seed);
/** Passes over that many random calls. */
TM_API tm_status tm_generator_skip(tm_generator *generator, uint64_t calls);
/** The number of random calls on it since seeding. */
TM_API uint64_t tm_generator_count(const tm_generator *generator);
/** For the next random call on it, what tm_rng_at is for the thread's own generator. */
TM_API tm_status tm_generator_at(tm_generator *generator, uint64_t count, int num_levels,
                                 const int64_t *index);

/** Seeds the thread's generator and sets its count of random calls to 0. */
TM_API void tm_seed(uint64_t seed);
/** Makes the next random call draw as call number `count` since seeding draws for the example at
 *  `index` (one per level whose randomness is "different", outermost first). Call it outside any
 *  level; it holds for one call. The law is checked with it. */
TM_API tm_status tm_rng_at(uint64_t count, int num_levels, const int64_t *index);
/** Passes over that many random calls. */
TM_API tm_status tm_rng_skip(uint64_t calls);
/** The number of random calls since seeding. */
TM_API uint64_t tm_rng_count(void);

/* -- check ------------------------------------------------------------------------------------ */

/** Pushes a mode that holds kernels to their contracts: while it is on, new tensors have guard
 * zones around them and begin as NaN, and each call is looked at when it is done. A kernel that
 * writes outside its outputs, changes what its schema does not write, leaves an element of a result
 *  unwritten, or returns memory that it may not share, fails the call with TM_ERR_SCHEMA; so does a
 *  failing call that has changed an argument. Slow. NULL on failure. */
TM_API tm_mode *tm_check_push(void);

/* -- trace ------------------------------------------------------------------------------------ */

/** Pushes a mode that writes what happens to `stream` as a program, which `transmute run` runs
 * again with the same results; docs/programs.md has the language. A call of an op is a line, a
 * level a block; what a composite calls, and a call that fails, are comments. A tensor that was
 * made otherwise becomes an input, x0, x1 and so on, which `transmute run --input x0=FILE.npy` asks
 * for; it must not change but by ops once it has been used. NULL on failure. */
TM_API tm_mode *tm_trace_push(FILE *stream);
/** The same, and inputs are saved when they are first used, in PREFIXx0.npy and so on, which the
 *  program loads. One that cannot be saved stays an input. `prefix` may be NULL. */
TM_API tm_mode *tm_trace_push_saving(FILE *stream, const char *prefix);

TM_END
#endif
