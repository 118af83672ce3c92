/* registry.h: ops and kernels as the dispatcher holds them.
 *
 * An op is found by name under a lock; a call goes by op pointer and takes none. Records are
 * retired, never freed while the process runs, so a call in flight stays valid.
 */
#ifndef TM_DISPATCH_REGISTRY_H
#define TM_DISPATCH_REGISTRY_H

#include <stdatomic.h>

#include <transmute/kernel.h>

#include "schema.h"
#include "signature.h"

typedef struct tm_kernel tm_kernel;
struct tm_ffi;

/** Unpacks a call's arguments and calls kernel->fn with them. */
typedef tm_status (*tm_thunk)(tm_call *call, const tm_kernel *kernel);

/** One kernel (or meta function) of an op. */
struct tm_kernel {
    tm_thunk thunk;
    tm_fn fn;
    const struct tm_ffi *ffi; /**< how to call fn where no typed thunk was compiled */
    const tm_loop *loops;
    const tm_reduce_loop *reduce;
    tm_batched_fn batched; /**< of a batched kernel one of these two is set */
    tm_rule_fn rule;
    const tm_lanes_kernel *lanes;
    bool thread_safe;
    const tm_library *library;
    tm_op *op; /**< whose stack of that key it was put on */
    tm_key key;
    _Atomic(tm_kernel *) below; /**< the one it was put before */
    tm_kernel *next_all;        /**< every kernel ever made, to free at exit */
};

/** How an op came about. */
typedef enum tm_form {
    TM_FORM_DECLARED = 0,
    TM_FORM_INPLACE = 1, /**< name_: writes its first tensor */
    TM_FORM_OUT = 2      /**< name_out: writes tensors given after the others */
} tm_form;

/** An operand of a call: a tensor (or list of them), or a scalar an elementwise loop reads. */
typedef struct tm_op_operand {
    uint8_t arg;
    uint8_t type; /**< a tm_type */
    bool optional;
    bool read;    /**< an input */
    bool written; /**< an output */
} tm_op_operand;

/** Among tensor_outputs: a bit that is no output's. */
#define TM_OUTPUT_LIST ((uint64_t)1 << 63)

/** A list of aliases that was given out. Another thread may be reading it: it stays as it is, and
 * as long as its op. */
typedef struct tm_alias_text {
    struct tm_alias_text *before;
    size_t length;
    char text[];
} tm_alias_text;

struct tm_op {
    tm_schema schema;
    char *text;             /**< the schema's text; owned */
    tm_alias_text *aliases; /**< as they were asked for last, and before; owned */
    tm_op_def def;
    tm_signature signature; /**< contract TM_SIGNATURE */
    tm_form form;
    const tm_op *base;
    tm_kernel meta;
    _Atomic(tm_kernel *) kernels[TM_NUM_KEYS];
    _Atomic bool retired;
    const tm_library *library;
    int num_operands; /**< in schema order; not the scalars */
    tm_op_operand operands[TM_MAX_ARGS];
    bool simple; /**< elementwise: tensors alone, none optional, none written alone */
    const tm_loop *loop_of[TM_NUM_DTYPES]; /**< elementwise: the declared loop for a dtype */
    bool has_list;                         /**< of tensors, among the parameters or as the output */
    bool list_output;                      /**< the output is a list */
    bool check_meta; /**< what meta says of views and core axes is not taken as right: it is checked
                      */
    bool has_written;
    bool has_host_output;    /**< a Scalar among the outputs */
    int num_outputs;         /**< the schema's; -1: a list, so meta says how many */
    uint64_t tensor_outputs; /**< bit i: output i is a tensor; a list: TM_OUTPUT_LIST */
    bool
        has_other_checks; /**< lists of integers, strings, scalars or dtypes among the parameters */
    int8_t generator_arg; /**< the parameter that is a generator, -1: none */
    int8_t written_arg[TM_MAX_OUTPUTS]; /**< the argument that output i is, -1: a new tensor */
    tm_op *next_overload;               /**< under the same name, in order of registration */
    tm_op *next_all;                    /**< every op ever made, to free at exit */
};

/** Whether output i is a tensor (the outputs of a list are). */
static inline bool tm_op_gives_tensor(const tm_op *op, int i)
{
    return !op->has_host_output || op->schema.outputs[i].type == TM_TYPE_TENSOR;
}
/** The argument that output i is, -1: a new tensor. */
static inline int tm_op_written_arg(const tm_op *op, int i)
{
    return op->has_written ? op->written_arg[i] : -1;
}

/** A built-in op: its declaration and the thunks compiled for its functions. The table and the
 * array of ops that it fills are defined beside the ops. */
typedef struct tm_builtin {
    tm_op_def def;
    tm_thunk meta_thunk, impl_thunk;
} tm_builtin;

extern const tm_builtin tm_builtins[];
extern const int tm_num_builtins;
/** Ops in the order of declaration, three places each: declared, `_`, `_out` (NULL where there is
 *  none). Set once, by tm_registry_ready. */
extern _Atomic(const tm_op *) tm_builtin_ops[];

/** Registers the built-in ops if that has not been done; false on lack of memory. */
bool tm_registry_ready(void);
/** Frees everything, at exit. */
void tm_registry_free(void);

/** The kernel that wins for a key, or NULL. A derived form runs its base's. */
static inline const tm_kernel *tm_op_kernel(const tm_op *op, tm_key key)
{
    op = op->base ? op->base : op;
    return atomic_load_explicit(&op->kernels[key], memory_order_acquire);
}

/** Makes an op, without its kernel, from a declaration; `text` is its schema's text, taken over.
 *  NULL with the thread's record set. tm_op_free undoes it while it is not registered. */
tm_op *tm_op_new(const tm_op_def *def, char *text, tm_form form, const tm_op *base);
void tm_op_free(tm_op *op);
/** The schema text of a derived form, from the library's allocator, or NULL: there is no such form
 *  (*none true) or no memory. */
char *tm_form_text(const tm_op *op, tm_form form, bool *none);
/** The size tm_op_new and tm_op_free count for a text. */
size_t tm_text_size(const char *text);

/** Whether an op can have a lanes kernel: all its tensors are one by one, and none is both read and
 *  written. */
bool tm_op_takes_lanes(const tm_op *op);
/** A kernel over `fn` (or loops), called through `thunk`, or through libffi where it is NULL. NULL
 *  with the thread's record set. */
tm_kernel *tm_kernel_new(const tm_op *op, const tm_kernel_def *def, tm_thunk thunk,
                         const tm_library *library);
void tm_kernel_free(tm_kernel *kernel);
/** Fills in a meta kernel: the thunk, or libffi, or the shared meta where `fn` is NULL. */
tm_status tm_meta_init(tm_op *op, tm_fn fn, tm_thunk thunk);

/** Registers a declared op, all its forms and its kernels, or nothing. */
tm_op *tm_registry_register(const tm_op_def *def, tm_thunk meta_thunk, tm_thunk impl_thunk,
                            const tm_library *library, const tm_op *places[3]);
/** Puts a kernel on top for a key. */
void tm_registry_push_kernel(tm_op *op, tm_key key, tm_kernel *kernel);
/** With the names' lock held: TM_ERR_USAGE where the library has been closed. */
tm_status tm_library_open_still(const tm_library *library, const char *function);
const char *tm_library_name(const tm_library *library);

/** The shared thunk of functions that take the call alone. */
tm_status tm_boxed_thunk(tm_call *call, const tm_kernel *kernel);

#endif
