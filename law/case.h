/* case.h: one case of the checker, from what is drawn to what came of it.
 *
 * A case is a sample put into batches. Its inputs (every tensor of the call, written ones last
 * where the op is an _out form) each have, per level, a dimension in memory or none, and different
 * values for every example. `expected` is what the plain loop over examples says; `outcome` is what
 * the call inside the levels did.
 */
#ifndef TM_LAW_CASE_H
#define TM_LAW_CASE_H

#include <transmute/io.h>
#include <transmute/memory.h>
#include <transmute/modes.h>
#include <transmute/tuning.h>

#include "law/rng.h"
#include "law/sample.h"

enum { TM_LAW_LEVELS = 4, TM_LAW_MESSAGE = 800, TM_LAW_PROBLEM = 1600, TM_LAW_FILLER = 0x5a };

/** Where the handle that the call is given comes from. */
typedef enum tm_law_source {
    TM_LAW_MOVED = 0, /**< moved in from memory of the library's */
    TM_LAW_WRAPPED,   /**< moved in from wrapped memory that is read-only */
    TM_LAW_COPIED,    /**< copied by an op at some depth: its storage has the levels */
    TM_LAW_PROMOTED   /**< written by copy_ into a tensor made at some depth */
} tm_law_source;

/** One tensor of the call. */
typedef struct tm_law_input {
    const char *name; /**< the parameter's */
    tm_law_tensor tensor;
    bool written;
    int output;                 /**< of a written one: which output it is */
    bool mapped[TM_LAW_LEVELS]; /**< has a dimension at the level */
    bool varies[TM_LAW_LEVELS]; /**< and it has a stride: values differ along it */
    int64_t in_dim[TM_LAW_LEVELS];
    tm_law_source source;
    int made_at;       /**< levels open when it is made: written ones only, else 0 */
    int copied_at;     /**< levels open when it is copied or promoted */
    bool by_alias;     /**< a written one is looked at through a handle made before the call */
    int alias_of;      /**< the written input whose memory it shares, -1: none */
    int constant_axis; /**< the logical axis of stride 0, -1: none */

    /* In memory: dimensions of levels among the logical ones. */
    int ndim;
    int64_t shape[TM_MAX_NDIM], strides[TM_MAX_NDIM];
    int64_t offset, room; /**< in elements: the first one, and all of the block */
    int level_dim[TM_LAW_LEVELS];
    int logical_dim[TM_MAX_NDIM];

    const char *data; /**< row-major examples, one for each index over the levels that vary */
    int64_t data_count;
    tm_tensor *base;     /**< the block, where the library owns it */
    char *block;         /**< its bytes */
    char *snapshot;      /**< and what they were before the call */
    tm_tensor *physical; /**< what is moved in */
} tm_law_input;

/** A failure as the record told it. */
typedef struct tm_law_failure {
    tm_status code;
    char op[64];
    char message[TM_LAW_MESSAGE];
    int num_levels;
    tm_error_level levels[TM_MAX_LEVELS];
} tm_law_failure;

typedef enum tm_law_verdict {
    TM_LAW_RESULT = 0, /**< results */
    TM_LAW_META,       /**< meta's failure, every example's alike */
    TM_LAW_EXAMPLE,    /**< the failure of one example */
    TM_LAW_REFUSAL     /**< TM_ERR_VMAP, by the closed list of the law */
} tm_law_verdict;

/** What the loop over examples says must come of the call. */
typedef struct tm_law_expected {
    tm_law_verdict verdict;
    tm_law_failure failure;
    int64_t example;     /**< the first that fails, over the levels that take part */
    const char *refusal; /**< why it must be refused */
    bool may_refuse;     /**< a composite whose inner calls may be given mapped data to make a shape
                              of: it is refused, or does what the loop does */
    tm_spec *specs;      /**< one per result, as everything in this file that is per result */
    char **values;       /**< row-major examples, one after the other */
    tm_scalar scalars[TM_MAX_OUTPUTS];
} tm_law_expected;

/** What the call inside the levels did. */
typedef struct tm_law_outcome {
    bool called; /**< the op was reached */
    tm_status status;
    tm_law_failure failure;
    tm_status infer_status;
    tm_law_failure infer_failure;
    int infer_count;
    tm_spec *infer_specs;
    uint64_t infer_allocations;
    uint64_t level_id[TM_LAW_LEVELS];
    uint64_t rng_count;   /**< random calls on the generator that was to be used */
    uint64_t stray_count; /**< and on the thread's, where that is another */
    tm_scalar scalars[TM_MAX_OUTPUTS];
    tm_tensor **results; /**< moved out of every level */
} tm_law_outcome;

typedef struct tm_law_case {
    tm_law_arena *arena;
    const tm_op *op; /**< the one that is called: the declared one or a form of it */
    const tm_law_sample *sample;
    tm_law_sample *const *siblings; /**< all samples of the op */
    int num_siblings;
    uint64_t seed, state; /**< as given; mixed with the op's name */
    bool alone;           /**< the sample outside any level, with its own values */
    bool checked;         /**< under the check mode */
    bool fail_alloc;      /**< the call's allocations fail first, one after the other */
    bool edges;           /**< vmap's own arguments, wrong */
    bool strange;         /**< an input is not the sample's: another dtype or shape */

    int num_levels;
    int64_t size[TM_LAW_LEVELS];
    bool give_size[TM_LAW_LEVELS];
    bool functional[TM_LAW_LEVELS]; /**< through tm_vmap, else push, in, out, pop */
    int64_t chunk[TM_LAW_LEVELS];   /**< tm_vmap's chunk_size; 0: all examples at once */
    tm_randomness randomness[TM_LAW_LEVELS];
    bool participates[TM_LAW_LEVELS]; /**< some tensor is mapped there, or it draws numbers */
    int64_t count;                    /**< examples over the levels that take part */

    int num_inputs;
    tm_law_input *inputs;
    tm_tensor **examples;   /**< a row-major tensor for each input */
    const tm_tensor **list; /**< room for the handles of lists among the arguments */
    int num_results;        /**< those of a list: as meta counts them, 0 where it fails */
    int64_t (*out_dim)[TM_LAW_LEVELS];
    int threads;
    tm_acceleration acceleration;
    tm_path_use paths[TM_NUM_PATHS];
    int mode_depth, mode_kind; /**< a mode of the checker's stands above that many levels; -1 */
    uint64_t random_seed;
    int random_calls; /**< calls made before the one that is checked */
    bool given[2];    /**< the loop, the batch: draw from a generator given, not the thread's */
    tm_generator generators[2];
    uint64_t failures; /**< of the allocator's, when the case began */
    bool drew;         /**< the call on one example has drawn random numbers */
    bool mixes;        /**< examples take values from the op's other samples, invalid ones too */

    tm_law_expected expected;
    tm_law_outcome outcome;
    char problem[TM_LAW_PROBLEM]; /**< what was wrong, "" for nothing */
} tm_law_case;

/** Sets the case's problem, the first one only; returns false. */
bool tm_law_problem(tm_law_case *c, const char *format, ...) TM_PRINTF(2, 3);
/** Copies the standing error. */
void tm_law_take_failure(tm_law_failure *failure);

/** The op that declares the case's op: itself, or the base of a derived form. */
static inline const tm_op *tm_law_declared(const tm_op *op)
{
    return tm_op_base(op) ? tm_op_base(op) : op;
}

/* -- Results: one per output, or those of the list that is the only one ------------------------ */

static inline bool tm_law_gives_list(const tm_op *op)
{
    return tm_op_output_type(op, 0) == TM_TYPE_TENSOR_LIST;
}
static inline bool tm_law_gives_scalar(const tm_op *op, int i)
{
    return !tm_law_gives_list(op) && tm_op_output_type(op, i) == TM_TYPE_SCALAR;
}
/** How many came of a call. */
static inline int64_t tm_law_count_results(const tm_op *op, const tm_value *results)
{
    return tm_law_gives_list(op) ? results[0].tensors.count : tm_op_num_outputs(op);
}
static inline tm_tensor *tm_law_result_at(const tm_op *op, const tm_value *results, int i)
{
    return (tm_tensor *)(uintptr_t)(tm_law_gives_list(op) ? results[0].tensors.data[i]
                                                          : results[i].tensor);
}
/** Runs meta alone: *count results, described in `specs` as far as there is room. */
tm_status tm_law_infer(const tm_op *op, const tm_value *args, tm_spec *specs, int room, int *count);

/** The index at every level of example `flat` over the levels that take part; 0 at the others. */
void tm_law_index(const tm_law_case *c, int64_t flat, int64_t index[TM_LAW_LEVELS]);
/** Whether some level is run in two pieces or more. */
bool tm_law_in_pieces(const tm_law_case *c);
/** Whether example a is run before example b: in an earlier piece, or in one piece by index. */
bool tm_law_before(const tm_law_case *c, int64_t a, int64_t b);
/** An input's values for an index. */
const char *tm_law_data_at(const tm_law_case *c, const tm_law_input *in, const int64_t *index);

/** The call's arguments, its tensors taken from `handles`. */
void tm_law_args(const tm_law_case *c, const tm_tensor *const *handles, tm_value args[TM_MAX_ARGS]);

/** Copies between row-major memory and a strided block; strides in elements. */
void tm_law_scatter(size_t item, int ndim, const int64_t *shape, const int64_t *strides,
                    const char *from, char *to);
void tm_law_gather(size_t item, int ndim, const int64_t *shape, const int64_t *strides,
                   const char *from, char *to);

/* -- Random numbers (random.c) ----------------------------------------------------------------- */

/** Whether the op has a Generator among its parameters. */
bool tm_law_takes_generator(const tm_op *op);
/** Whether the call draws random numbers. */
bool tm_law_draws(const tm_law_case *c);
/** Draws the seed, the calls before, and which generators. */
void tm_law_draw_generators(tm_law_case *c, tm_law_rng *rng);
/** Makes the next call with these arguments draw what the checked one must draw for the example. */
void tm_law_random_example(tm_law_case *c, const int64_t *index, tm_value *args);
/** Whether a call drew anything, after tm_law_random_example of the sample alone. */
bool tm_law_drew(const tm_law_case *c, const tm_value *args);
/** Seeds the batch's generator; puts it among the arguments, as tm_law_random_args does alone. */
void tm_law_random_batch(tm_law_case *c, tm_value *args);
void tm_law_random_args(tm_law_case *c, tm_value *args);
/** Takes the counts of random calls into the outcome. */
void tm_law_random_counts(tm_law_case *c);

/* -- The steps of a case: each returns false with a problem set, or the arena lost ------------- */

/** The inputs of the sample, written ones made to fit, and a row-major tensor for each (inputs.c).
 */
bool tm_law_inputs(tm_law_case *c);
/** Runs meta on the examples: `expected.specs`, or the verdict TM_LAW_META (loop.c). */
bool tm_law_meta(tm_law_case *c);
/** Draws levels, who is mapped where, threads, modes (draw.c). */
void tm_law_draw(tm_law_case *c);
/** Draws where written inputs are made and mapped, and whose memory they share (draw_written.c). */
void tm_law_draw_written(tm_law_case *c, tm_law_rng *rng);
/** Draws the results' out_dims; `expected.specs` must stand. */
void tm_law_draw_out_dims(tm_law_case *c);
/** Draws every input's place in memory (layout.c). */
void tm_law_draw_layouts(tm_law_case *c);
/** Draws every input's values (draw_values.c). */
bool tm_law_draw_values(tm_law_case *c);
/** Writes every example of an input to its place in a block. */
void tm_law_fill(const tm_law_case *c, const tm_law_input *in, char *block);
/** Reads one example from its place in a block, row-major. */
void tm_law_read(const tm_law_case *c, const tm_law_input *in, const int64_t *index,
                 const char *block, char *to);
/** Makes an input's block and fills it; with a snapshot where it is made outside the levels. */
bool tm_law_build(tm_law_case *c, tm_law_input *in);
/** The loop over examples (loop.c). */
bool tm_law_loop(tm_law_case *c);
/** Runs one example alone, results unread: its status, and its failure where it fails. */
tm_status tm_law_run_one(tm_law_case *c, int64_t flat, tm_law_failure *failure);
/** The call inside the levels (batch.c). */
bool tm_law_batch(tm_law_case *c);
/** The op called with its allocations failing, until one call is not for lack of memory
 *  (failing.c): that one's status. */
tm_status tm_law_call_failing(tm_law_case *c, const tm_value *args, tm_value *results);
/** Whether the outcome is what was expected (compare.c). */
bool tm_law_compare(tm_law_case *c);
bool tm_law_compare_results(tm_law_case *c);
/** Whether one example's results are what the sample states (judge.c). */
bool tm_law_judge(tm_law_case *c);
/** Writes what the case is and what was wrong with it (report.c). */
void tm_law_report(FILE *stream, const tm_law_case *c);
/** Vmap itself given wrong arguments (edges.c). */
bool tm_law_edges(tm_law_case *c);

#endif
