/* cli.h: the parts of the command line program.
 *
 *     transmute.c     the subcommands, help
 *     cli_load.c      --load, --threads
 *     cli_text.c      memory for a run of the program, error lines
 *     cli_words.c     the command line as options and arguments
 *     cli_near.c      names close to one that does not exist
 *     cli_value.c     a word as a value of a schema's type
 *     cli_bind.c      words bound to an op's parameters; the overload; files loaded
 *     cli_vmap.c      --vmap: read and checked
 *     cli_level.c     --vmap: tensors moved in, results moved out
 *     cli_chunk.c     --chunk: the outermost level in pieces
 *     cli_progress.c  a sign of life during a long call
 *     cli_output.c    results printed or saved
 *     cli_call.c, cli_ops.c, cli_law.c, cli_run.c   one subcommand each
 *
 * Every function that returns an int returns an exit code, and has written to standard error where
 * it is not 0. What the user got wrong is 2; what the op refuses, and lack of memory, is 1.
 */
#ifndef TM_TOOLS_CLI_H
#define TM_TOOLS_CLI_H

#include <transmute/dispatch.h>
#include <transmute/modes.h>

enum { TM_EXIT_OK = 0, TM_EXIT_FAILED = 1, TM_EXIT_USAGE = 2 };

/* -- The subcommands: words without the program's and the command's name ----------------------- */

int tm_cli_ops(int count, char **words);
int tm_cli_call(int count, char **words);
int tm_cli_law(int count, char **words);
int tm_cli_run(int count, char **words);
void tm_cli_help(FILE *stream, const char *indent);

/* -- cli_text.c -------------------------------------------------------------------------------- */

/** Blocks that live until the command is done. */
typedef struct tm_cli_memory {
    void *last;
} tm_cli_memory;

/** Says so and ends the program. */
_Noreturn void tm_cli_no_memory(void);
/** Zeroed memory for `count` things; there is no failure but the program's. */
void *tm_cli_alloc(tm_cli_memory *memory, size_t count, size_t size);
void tm_cli_free(tm_cli_memory *memory);
/** Writes "error: ..." on one line, whatever bytes the user's words hold. */
int tm_cli_wrong(const char *format, ...) TM_PRINTF(1, 2);
/** Writes the thread's error record, which is not the op's: "error: WHAT: MESSAGE". */
int tm_cli_wrong_record(const char *what);

/* -- cli_load.c -------------------------------------------------------------------------------- */

/** --load: loads the plug-in in that file. */
int tm_cli_load(const char *path);
/** --threads: how many threads calls may use from here on. */
int tm_cli_threads(const char *word);

/* -- cli_words.c ------------------------------------------------------------------------------- */

typedef struct tm_cli_option {
    const char *name; /**< "--size", "-o" */
    bool has_value;
    bool repeats;
} tm_cli_option;

typedef enum tm_cli_kind {
    TM_CLI_END,
    TM_CLI_ARGUMENT,
    TM_CLI_OPTION,
    TM_CLI_HELP,
    TM_CLI_WRONG /**< and said so */
} tm_cli_kind;

/** A walk along the words. `options` ends with {0}; at most 32. */
typedef struct tm_cli_words {
    char **words;
    int count, next;
    bool only_arguments; /**< after "--" */
    const tm_cli_option *options;
    uint32_t seen; /**< bit i: options[i] was given */
} tm_cli_words;

/** The next word: an argument, or an option (*option is its place in the table) and its value. */
tm_cli_kind tm_cli_next(tm_cli_words *words, int *option, const char **value);

/* -- cli_near.c -------------------------------------------------------------------------------- */

/** Says that there is no such op and what it may have been. */
int tm_cli_unknown_op(const char *name);
/** The same as a text. */
void tm_cli_describe_unknown(const char *name, char *text, size_t size);

/* -- cli_value.c ------------------------------------------------------------------------------- */

/** Room for what an optional parameter points to. */
typedef union tm_cli_room {
    int64_t i;
    double f;
    bool b;
    tm_int_list ints;
    tm_scalar scalar;
    struct {
        uint64_t seed, count;
    } generator;
} tm_cli_room;

/** Reads a word as a value of a parameter that is no tensor; false where it is none. */
bool tm_cli_value(tm_cli_memory *memory, const tm_param *param, const char *word, tm_cli_room *room,
                  tm_value *value);
/** What tm_cli_value takes, in words. */
const char *tm_cli_expected(tm_type type);
/** Integers of an option: decimal, the whole word (up to `length` bytes of it). */
bool tm_cli_int(const char *word, size_t length, int64_t *value);
bool tm_cli_unsigned(const char *word, uint64_t *value);
bool tm_cli_randomness(const char *word, tm_randomness *randomness);

/* -- cli_bind.c -------------------------------------------------------------------------------- */

/** A tensor of the call, in schema order; each element of a list is one. */
typedef struct tm_cli_tensor {
    const tm_tensor *tensor;
    const char *label; /**< "x", "xs[1]" */
    int param;
    int element; /**< of a list, else 0 */
} tm_cli_tensor;

/** An op with its arguments. */
typedef struct tm_cli_bound {
    const tm_op *op;
    const char *word[TM_MAX_ARGS]; /**< as given; NULL: the default */
    tm_value args[TM_MAX_ARGS];
    tm_cli_room room[TM_MAX_ARGS];
    int num_tensors;
    tm_cli_tensor *tensors;
    tm_generator *generator; /**< made for a gen(...) among the words, or NULL */
} tm_cli_bound;

/** Takes the first overload of `op` that the words fit, loads its tensors and makes its generator,
 *  which tm_cli_unbind frees. */
int tm_cli_bind(tm_cli_memory *memory, const tm_op *op, int count, const char *const *words,
                tm_cli_bound *bound);
void tm_cli_unbind(tm_cli_bound *bound);
/** Points the arguments at the tensors as they are now. */
void tm_cli_set_tensors(tm_cli_memory *memory, tm_cli_bound *bound);

/** What came of a call: one value per output, or per tensor of the list that is the only one. */
typedef struct tm_cli_results {
    const tm_op *op;
    int count;
    tm_value *values;
} tm_cli_results;

/** Whether the op's output is a list of tensors. */
static inline bool tm_cli_gives_list(const tm_op *op)
{
    return tm_op_output_type(op, 0) == TM_TYPE_TENSOR_LIST;
}
/** Whether result i is a tensor, no host value. */
static inline bool tm_cli_gives_tensor(const tm_op *op, int i)
{
    return tm_cli_gives_list(op) || tm_op_output_type(op, i) == TM_TYPE_TENSOR;
}

/* -- cli_vmap.c -------------------------------------------------------------------------------- */

/** One --vmap. One entry alone serves all. */
typedef struct tm_cli_level {
    const char *text;
    int num_in, num_out; /**< num_out 0: left out */
    int64_t *in, *out;   /**< as given; TM_NOT_MAPPED for "-" */
    int64_t *dim;        /**< one per tensor, once checked: in_dims counted from the front */
    bool has_size;
    int64_t size;
    tm_vmap_level *open;
} tm_cli_level;

int tm_cli_level_read(tm_cli_memory *memory, const char *text, tm_cli_level *level);
/** Checks counts, ranges and sizes of all levels against the call, and sets every size. */
int tm_cli_levels_check(tm_cli_memory *memory, tm_cli_level *levels, int count,
                        const tm_cli_bound *bound);

/* -- cli_level.c ------------------------------------------------------------------------------- */

/** Opens the levels, outermost first, and moves the call's tensors in. */
int tm_cli_levels_enter(tm_cli_memory *memory, tm_cli_level *levels, int count,
                        tm_randomness randomness, tm_cli_bound *bound);
/** Moves the results out, innermost first, and closes each level. */
int tm_cli_levels_leave(tm_cli_level *levels, int count, const tm_cli_results *results);
/** Closes what is open. */
void tm_cli_levels_close(tm_cli_level *levels, int count);

/* -- cli_progress.c ---------------------------------------------------------------------------- */

typedef struct tm_cli_progress tm_cli_progress;

/** Shows the name and the time on standard error, if that is a terminal, while a call takes longer
 *  than two seconds. NULL where nothing is shown. */
tm_cli_progress *tm_cli_progress_begin(tm_cli_memory *memory, const char *name);
/** Ends it, and what it showed is gone. NULL: a no-op. */
void tm_cli_progress_end(tm_cli_progress *progress);

/* -- cli_call.c, cli_chunk.c ------------------------------------------------------------------- */

/** Calls the op and prints its failure. */
int tm_cli_call_op(tm_cli_memory *memory, const tm_cli_bound *bound, tm_cli_results *results);
/** The same under levels, the outermost of them in pieces of `chunk` examples. The results are
 * moved out of all of them. */
int tm_cli_chunk_run(tm_cli_memory *memory, tm_cli_level *levels, int count,
                     tm_randomness randomness, int64_t chunk, tm_cli_bound *bound,
                     tm_cli_results *results);

/* -- cli_output.c ------------------------------------------------------------------------------ */

/** Prints every result, or saves each to its file, all or none. `like` is the dtype of host
 *  values. */
int tm_cli_output(tm_cli_memory *memory, const tm_cli_results *results, tm_dtype like,
                  const char *const *files, int num_files);
/** A host value as a tensor without dimensions: of the dtype that the value alone would have where
 *  `like` is none. NULL on lack of memory, and said so. */
const tm_tensor *tm_cli_from_scalar(tm_scalar scalar, tm_dtype like);

#endif
