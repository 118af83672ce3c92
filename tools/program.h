/* program.h: the parts of `transmute run`. docs/programs.md has the language.
 *
 *     program_source.c  the text, and errors that point into it
 *     program_words.c   the text as tokens
 *     program_parse.c   tokens as statements; names are numbered and checked
 *     program_names.c   names and what they stand for
 *     program_value.c   a written value as one of a parameter's type
 *     program_bind.c    a statement's values bound to an op's or a form's parameters
 *     program_forms.c   load, save, in, out, ...: what is no op
 *     program_run.c     statements in order
 *
 * A program is read as a whole before its first statement runs, so a text that is no program prints
 * and writes nothing. Functions that return an int return an exit code, as in cli.h.
 */
#ifndef TM_TOOLS_PROGRAM_H
#define TM_TOOLS_PROGRAM_H

#include "cli.h"

/* -- program_source.c -------------------------------------------------------------------------- */

/** A place in the text; both count from 1, columns in characters. `at` is the place itself. */
typedef struct tm_place {
    const char *at;
    int line;
} tm_place;

typedef struct tm_source {
    const char *name; /**< of the file, for errors */
    const char *text;
    size_t length;
} tm_source;

/** Reads a file ("-": standard input). */
int tm_source_read(tm_cli_memory *memory, const char *path, tm_source *source);
/** "error: FILE:LINE:COLUMN: MESSAGE", the line, a caret below the place. Returns TM_EXIT_USAGE. */
int tm_source_wrong(const tm_source *source, tm_place place, const char *format, ...)
    TM_PRINTF(3, 4);
/** The same for the thread's error record, with its context; `name` is said to have failed, NULL:
 * the op of the record. Returns TM_EXIT_FAILED. */
int tm_source_failed(const tm_source *source, tm_place place, const char *name);

/* -- program_words.c --------------------------------------------------------------------------- */

typedef enum tm_token_kind {
    TM_TOKEN_NAME,   /**< letters, digits, underscores */
    TM_TOKEN_NUMBER, /**< also inf and nan, with sign or j */
    TM_TOKEN_TEXT,   /**< in quotes */
    TM_TOKEN_SIGN,   /**< one character */
    TM_TOKEN_LINE,   /**< the end of a line */
    TM_TOKEN_END,
    TM_TOKEN_WRONG /**< and said so */
} tm_token_kind;

typedef struct tm_token {
    tm_token_kind kind;
    tm_place place;
    const char *text; /**< NUL-terminated; of a text what it stands for */
} tm_token;

/** Reads the token at *place and moves *place behind it. */
tm_token tm_token_read(tm_cli_memory *memory, const tm_source *source, tm_place *place);

/* -- program_names.c --------------------------------------------------------------------------- */

typedef enum tm_named_kind {
    TM_NAMED_NOTHING,
    TM_NAMED_TENSOR,
    TM_NAMED_LIST,
    TM_NAMED_SCALAR,
    TM_NAMED_ENDED /**< a tensor of a vmap block that has ended */
} tm_named_kind;

/** What a name stands for while the program runs. It holds a reference to each tensor. */
typedef struct tm_named {
    tm_named_kind kind;
    int count; /**< of the list; a tensor: 1 */
    const tm_tensor **tensors;
    tm_scalar scalar;
} tm_named;

typedef struct tm_program_names tm_program_names;

tm_program_names *tm_program_names_new(void);
void tm_program_names_free(tm_program_names *names);
/** The number of a name, -1 where there is none. */
int tm_program_names_find(const tm_program_names *names, const char *text);
/** The same; a new name gets the next number. */
int tm_program_names_add(tm_program_names *names, const char *text);
/** What the name stands for; valid until the next name is added. */
tm_named *tm_program_names_at(tm_program_names *names, int number);
/** Makes a name stand for tensors (of a list, or one), whose references it takes over. */
void tm_program_names_set(tm_named *named, tm_named_kind kind, int count,
                          const tm_tensor **tensors);
/** Makes a name stand for nothing. */
void tm_program_names_clear(tm_named *named);
/** Ends all names of tensors that are mapped at a level. */
void tm_program_names_end_level(tm_program_names *names, uint64_t level);
/** Notes that statement number `at` reads or sets the name; the last one is asked for. */
void tm_program_names_used(tm_program_names *names, int number, int at);
int tm_program_names_last_use(const tm_program_names *names, int number);

/* -- program_parse.c --------------------------------------------------------------------------- */

typedef enum tm_written_kind {
    TM_WRITTEN_NAME, /**< also NAME[INDEX] */
    TM_WRITTEN_WORD, /**< a number, None, True, False, a dtype, gen(...) */
    TM_WRITTEN_TEXT,
    TM_WRITTEN_LIST
} tm_written_kind;

/** A value as it is written. */
typedef struct tm_written {
    tm_written_kind kind;
    tm_place place;
    const char *text;
    int name;      /**< TM_WRITTEN_NAME: its number */
    int64_t index; /**< NAME[INDEX], else -1 */
    int count;
    struct tm_written *items; /**< of a list */
} tm_written;

typedef struct tm_argument {
    tm_place place;
    const char *name; /**< NAME=VALUE, else NULL */
    tm_written value;
} tm_argument;

typedef struct tm_target {
    tm_place place;
    const char *text;
    int name; /**< -1: "_", the result is dropped */
} tm_target;

/** One line: [targets =] callee(arguments), "vmap ..." or "end". */
typedef struct tm_statement {
    tm_place place;                /**< of the callee */
    const char *callee, *overload; /**< overload NULL: not written */
    bool list_of_one;              /**< "a, = ..." */
    int num_targets, num_arguments;
    tm_target *targets;
    tm_argument *arguments;
} tm_statement;

typedef struct tm_program {
    tm_cli_memory *memory;
    tm_source source;
    tm_program_names *names;
    int num_statements;
    tm_statement *statements;
} tm_program;

/** Reads the source into statements. Names are set before they are read, every vmap has its end,
 *  and every callee is an op or a form. */
int tm_program_parse(tm_program *program);

/* -- program_value.c, program_bind.c ----------------------------------------------------------- */

/** A callee's parameters with their arguments. */
typedef struct tm_bound {
    const tm_op *op; /**< NULL: a form's */
    tm_value args[TM_MAX_ARGS];
    tm_cli_room room[TM_MAX_ARGS];
    const tm_written *written[TM_MAX_ARGS]; /**< NULL: the default */
    tm_generator *generator;                /**< made for a gen(...), or NULL */
} tm_bound;

/** Why a value or a statement does not fit. */
typedef struct tm_misfit {
    tm_place place;
    int fitting; /**< how many arguments do */
    char message[512];
} tm_misfit;

/** Makes a written value one of the parameter's type, without generators; false and the reason
 *  where it is none. Memory is the statement's. */
bool tm_written_fits(tm_cli_memory *memory, tm_program_names *names, const tm_param *param,
                     const tm_written *written, tm_cli_room *room, tm_value *value, tm_misfit *why);
/** Binds a statement to parameters; false and the reason where it does not fit. */
bool tm_statement_fits(tm_cli_memory *memory, tm_program_names *names,
                       const tm_statement *statement, const tm_param *params, int num_params,
                       tm_bound *bound, tm_misfit *why);
/** Takes the statement's overload, or the first that it fits, and makes its generator, which
 *  tm_bound_free frees. */
int tm_statement_bind(tm_cli_memory *memory, const tm_program *program,
                      const tm_statement *statement, tm_bound *bound);
void tm_bound_free(tm_bound *bound);

/* -- program_run.c, program_forms.c ------------------------------------------------------------ */

typedef struct tm_run_input {
    const char *name, *path;
    bool used;
} tm_run_input;

/** A program that runs. */
typedef struct tm_run {
    const tm_program *program;
    int num_levels;
    tm_vmap_level *levels[TM_MAX_LEVELS];
    int num_inputs;
    tm_run_input *inputs;
} tm_run;

/** A callee that is no op. */
typedef struct tm_form {
    const char *name;
    bool gives; /**< a tensor, which a target takes */
    int num_params;
    tm_param params[4];
    /** Sets *result to a tensor with a reference of the caller's. */
    int (*run)(tm_run *run, const tm_statement *statement, const tm_bound *bound,
               const tm_tensor **result);
} tm_form;

/** The form of that name, or NULL. */
const tm_form *tm_form_find(const char *name);
int tm_form_run(tm_run *run, const tm_statement *statement);
/** Every input(...) has been given, and nothing else. */
int tm_form_check_inputs(tm_run *run);

/** Makes a statement's targets stand for tensors, whose references it takes over. */
int tm_run_assign(tm_run *run, const tm_statement *statement, int count,
                  const tm_tensor *const *tensors, bool is_list);
int tm_program_run(tm_run *run);

#endif
