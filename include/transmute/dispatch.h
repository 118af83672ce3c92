/* dispatch.h: ops as data. Looking them up, calling them by name, registering new ones.
 *
 * An op is declared once, by a tm_op_def: a schema such as
 *
 *     triu(Tensor x, int k=0) -> Tensor
 *
 * a contract, a meta function (checks and output descriptions) and a kernel. How to write one is
 * in docs/kernels.md and kernel.h.
 */
#ifndef TRANSMUTE_DISPATCH_H
#define TRANSMUTE_DISPATCH_H

#include <transmute/error.h>
#include <transmute/tensor.h>
#include <transmute/tuning.h>
#include <transmute/types.h>

TM_BEGIN

/* -- Schemas --------------------------------------------------------------------------------- */

/** The types a schema can name. */
typedef enum tm_type {
    TM_TYPE_TENSOR = 0,
    TM_TYPE_TENSOR_LIST = 1, /**< Tensor[] */
    TM_TYPE_INT = 2,
    TM_TYPE_INT_LIST = 3, /**< int[] */
    TM_TYPE_FLOAT = 4,
    TM_TYPE_BOOL = 5,
    TM_TYPE_STR = 6,
    TM_TYPE_DTYPE = 7,
    TM_TYPE_SCALAR = 8,
    TM_TYPE_GENERATOR = 9 /**< of random numbers; always optional, NULL: the thread's */
} tm_type;

/** One argument or result of any type. Optional by-value types are passed in `opt`, NULL where
 *  absent; a dtype's absence is TM_DTYPE_NONE, a tensor's TM_NONE. */
typedef union tm_value {
    const tm_tensor *tensor;
    tm_tensor_list tensors;
    int64_t i;
    tm_int_list ints;
    double f;
    bool b;
    const char *str;
    tm_dtype dtype;
    tm_scalar scalar;
    tm_generator *generator;
    const void *opt; /**< const int64_t *, const double *, const bool *, const tm_int_list *,
                          const tm_scalar *, or the string itself */
} tm_value;

/** One parameter of a schema. */
typedef struct tm_param {
    const char *name;
    tm_type type;
    bool optional;    /**< written `T?` */
    bool written;     /**< written `Tensor!` */
    bool has_default; /**< `fallback` holds the default */
    tm_value fallback;
} tm_param;

/* -- Declaring ops --------------------------------------------------------------------------- */

/** What a kernel is promised and what it owes; see docs/kernels.md. */
typedef enum tm_contract {
    TM_ELEMENTWISE = 0,
    TM_REDUCTION = 1,
    TM_PER_EXAMPLE = 2,
    TM_SIGNATURE = 3,
    TM_VIEW = 4,
    TM_VIEW_OR_COPY = 5,
    TM_RANDOM = 6,
    TM_DATA_DEPENDENT = 7,
    TM_COMPOSITE = 8
} tm_contract;

/** The contract's name as the documentation spells it ("per-example"). */
TM_API const char *tm_contract_name(tm_contract contract);

/** The kernels an op can have, by what they receive. */
typedef enum tm_key {
    TM_KEY_PLAIN = 0,   /**< one example at a time (elementwise, reduction: a run of elements) */
    TM_KEY_BATCHED = 1, /**< all examples at once */
    TM_KEY_LANES = 2,   /**< a few examples at once, one per SIMD lane */
    TM_NUM_KEYS = 3
} tm_key;

TM_API const char *tm_key_name(tm_key key);

/** An elementwise inner loop: n elements; ptr and step (in bytes) have the inputs, then the
 *  outputs. Fails through tm_fail_at(call, ...), which says which of the n elements failed. */
typedef tm_status (*tm_loop_fn)(tm_call *call, char *const *ptr, const int64_t *step, int64_t n);

/** The inner loop for one compute dtype; a table of them ends with {0}. Inputs of another dtype
 *  are converted before the loop sees them. */
typedef struct tm_loop {
    tm_dtype in;  /**< of every input */
    tm_dtype out; /**< of every output */
    tm_loop_fn fn;
} tm_loop;

/** What a reduction's inner loop is given: `num` outputs, each over the same reduced block. */
typedef struct tm_reduce_args {
    const char *x;       /**< the first input element of the first output */
    char *out;           /**< the first output element */
    int64_t num;         /**< how many outputs */
    int64_t x_step;      /**< bytes from one output's first input element to the next one's */
    int64_t out_step;    /**< bytes from one output to the next */
    int ndim;            /**< reduced dimensions, outermost first, in logical order */
    const int64_t *size; /**< of each reduced dimension */
    const int64_t *step; /**< bytes along each */
    int64_t count;       /**< product of the sizes */
} tm_reduce_args;

/** A reduction's inner loop. */
typedef tm_status (*tm_reduce_fn)(tm_call *call, const tm_reduce_args *args);

/** The reduction loop for one input dtype; a table of them ends with {0}. */
typedef struct tm_reduce_loop {
    tm_dtype in;
    tm_dtype out;
    tm_reduce_fn fn;
} tm_reduce_loop;

/** The loops a batched kernel is given. Its operands are the call's tensors, inputs then outputs,
 *  as the first example has them; the others lie `step` bytes further. */
typedef struct tm_batch {
    int ndim;            /**< number of loops, outermost first, none of size 0 */
    const int64_t *size; /**< of each loop */
    int num_operands;
    const int64_t *step; /**< step[loop * num_operands + operand], in bytes; 0: not mapped there */
} tm_batch;

/** A batched kernel. Returns TM_OK; or calls tm_batch_decline and returns TM_OK, having written
 *  nothing; or reports each example that the plain kernel could fail through tm_batch_suspect. */
typedef tm_status (*tm_batched_fn)(tm_call *call, const tm_batch *batch);

/** A batched kernel in the easy form, a rule: it is given all examples as ordinary handles with one
 *  dimension, the batch, in front of what the plain kernel sees, however many levels (and loops
 *  over dimensions that are not core) there are; ops may be called on them.
 *
 *  `inputs` are the call's tensors in schema order, lists one by one, TM_NONE where one is absent.
 *  mapped[i] tells whether inputs[i] has the batch in front; where it has not, all examples share
 *  it. At least one has. Every output has, and is there to be written (a `Tensor!` parameter is
 *  among the outputs, with what is in it). Other arguments: tm_call_arg, and tm_params as meta
 *  filled it. The batch is never empty.
 *
 *  Returns TM_OK; or declines as a batched kernel does; may report suspects. A failure that a
 *  kernel may find in data (TM_ERR_INDEX, TM_ERR_VALUE, TM_ERR_NUMERIC, or TM_ERR_MEMORY), its own
 *  or one that an op inside has left standing, is as if every example were suspect: the plain
 *  kernel runs them all, and the error, if there is one, is its. With any other failure the call
 *  fails. */
typedef tm_status (*tm_rule_fn)(tm_call *call, const tm_tensor *const *inputs, const bool *mapped,
                                int num_inputs, tm_tensor *const *outputs);

/** What a lanes kernel is given: `width` examples side by side, one in each lane. operand[k] are
 * the call's tensors, inputs, then outputs: element e (of what the plain kernel sees, row by row)
 * of lane l is number e * width + l of an array of the operand's dtype, aligned to 64 bytes. Inputs
 *  must not be written. Shapes, of one example: tm_call_arg, tm_call_output; their data is not to
 *  be used. */
typedef struct tm_lanes {
    int width;
    int num_operands;
    void *const *operand;
} tm_lanes;

/** A lanes kernel. It must give the plain kernel's results, and fails in no way of its own: it
 *  returns the lanes whose example must run plainly, because the plain kernel could fail there or
 *  this one cannot tell, as bits, lane 0 the lowest. Or it calls tm_batch_decline, for every batch
 *  of the same arguments and shapes alike. */
typedef uint64_t (*tm_lanes_fn)(tm_call *call, const tm_lanes *lanes);

/** One way to run in lanes; a table of them, the best ones first, ends with {0}. The first whose
 *  conditions hold is taken, and the plain kernel where there is none. */
typedef struct tm_lanes_kernel {
    tm_lanes_fn fn;
    tm_dtype dtype; /**< of every input */
    tm_simd simd;   /**< the vector instructions it needs */
    int width;      /**< 2 to 64 */
    int64_t most;   /**< no size that the plain kernel sees is larger */
} tm_lanes_kernel;

struct tm_op_samples;

/** Core dimensions of an operand, for the per-example contract. */
#define TM_CORE_ALL (-1)

/** A declaration. Zero is a good value for every field not named. Strings and tables must outlive
 *  the registration. */
typedef struct tm_op_def {
    size_t struct_size; /**< sizeof(tm_op_def); docs/abi.md */
    const char *schema; /**< "name(params) -> outputs"; "name.overload(...)" for a further one */
    tm_contract contract;
    const char *doc;       /**< one line */
    const char *signature; /**< gufunc signature, for TM_SIGNATURE */
    tm_fn meta;            /**< tm_status (tm_call *, inputs...); elementwise and reduction ops may
                                leave it out and get the shared one */
    tm_fn impl;            /**< tm_status (tm_call *, inputs..., outputs...) */
    const tm_loop *loops;  /**< elementwise */
    const tm_reduce_loop *reduce; /**< reduction */
    tm_batched_fn batched;        /**< optional acceleration: this */
    tm_rule_fn rule;              /**< or this, in the easy form */
    const tm_lanes_kernel *lanes; /**< optional acceleration, of small examples */
    const int8_t *core;  /**< per tensor input in schema order, then per output: trailing core
                            dimensions or  TM_CORE_ALL; NULL: all are core */
    bool can_fail;       /**< elementwise: the loops may fail, so run them in example order */
    bool thread_safe;    /**< a call may run it on several threads, else on the caller's alone */
    bool strided;        /**< per example: the kernels write new outputs by their strides, so the
                            batch may lie inside them; else they are row-major */
    bool no_forms;       /**< no `_` and `_out` forms are derived */
    double rtol, atol;   /**< how far a batch may differ from its examples; 0: bitwise */
    const char *aliases; /**< comma-separated further names */
    const struct tm_op_samples *samples; /**< for the law checker (law.h) */
} tm_op_def;

/* -- Libraries: registering and overriding --------------------------------------------------- */

/** Opens a library: a handle for what one piece of code registers. `name` is copied. */
TM_API tm_library *tm_library_open(const char *name);
/** Registers an op with its kernel. TM_ERR_SCHEMA where the schema does not parse (the message has
 *  the column), TM_ERR_USAGE where the name and overload are taken. */
TM_API const tm_op *tm_library_register(tm_library *library, const tm_op_def *def);

/** A kernel put before the one that an op has. Only the field that the op's contract and the key
 * ask for is read. */
typedef struct tm_kernel_def {
    size_t struct_size;           /**< sizeof(tm_kernel_def); docs/abi.md */
    tm_fn impl;                   /**< plain; composite: the function */
    const tm_loop *loops;         /**< plain, elementwise: a dtype it lacks falls to the next one */
    const tm_reduce_loop *reduce; /**< plain, reduction: likewise */
    tm_batched_fn batched;        /**< batched: this */
    tm_rule_fn rule;              /**< or this */
    const tm_lanes_kernel *lanes; /**< lanes */
    bool thread_safe;             /**< a call may run it on several threads */
} tm_kernel_def;

/** Puts a kernel before the one an op has for that key, until the library is closed. The op's meta
 *  stays, so no check is repeated. View ops have no kernel: TM_ERR_USAGE. */
TM_API tm_status tm_library_override(tm_library *library, const tm_op *op, tm_key key,
                                     const tm_kernel_def *def);
/** Another name for an op and its overloads, until the library is closed. */
TM_API tm_status tm_library_alias(tm_library *library, const char *alias, const char *name);
/** Retires all the library registered; calls in flight finish on what they found. NULL: no-op. */
TM_API void tm_library_close(tm_library *library);

/* -- Looking at ops -------------------------------------------------------------------------- */

/** The op of that name (or alias) and overload ("" or NULL: the first), or NULL, without an error
 *  record but for TM_ERR_MEMORY where the built-in ops cannot be registered. The pointer stays
 * valid for ever; a retired op refuses calls. */
TM_API const tm_op *tm_op_find(const char *name, const char *overload);
/** The i-th op in order of name, or NULL past the end. Derived forms are ops too. */
TM_API const tm_op *tm_op_at(int64_t i);
TM_API int64_t tm_op_count(void);
TM_API const char *tm_op_name(const tm_op *op);
TM_API const char *tm_op_overload(const tm_op *op);
TM_API const char *tm_op_schema(const tm_op *op);
TM_API const char *tm_op_doc(const tm_op *op);
/** The op's aliases, comma-separated, "" for none. Owned by the op: what has been returned stays,
 *  whatever aliases come and go. */
TM_API const char *tm_op_aliases(const tm_op *op);
TM_API tm_contract tm_op_contract(const tm_op *op);
TM_API int tm_op_num_params(const tm_op *op);
TM_API const tm_param *tm_op_param(const tm_op *op, int i);
TM_API int tm_op_num_outputs(const tm_op *op);
/** The type of output i: TM_TYPE_TENSOR or TM_TYPE_SCALAR; TM_TYPE_TENSOR_LIST for the only output
 *  of an op that returns a list. */
TM_API tm_type tm_op_output_type(const tm_op *op, int i);
/** The declared tolerance: 0 and 0 for bitwise. */
TM_API void tm_op_tolerance(const tm_op *op, double *rtol, double *atol);
/** The samples of the op's declaration, or NULL. A derived form answers with its base's. */
TM_API const struct tm_op_samples *tm_op_get_samples(const tm_op *op);
/** The op a `_` or `_out` form was derived from, or NULL. */
TM_API const tm_op *tm_op_base(const tm_op *op);
/** Whether the op has a kernel for that key now. */
TM_API bool tm_op_has_key(const tm_op *op, tm_key key);
/** Whether an elementwise op or a reduction has a loop that reads elements of that dtype. Others
 * may be taken by conversion. False for ops without loops: their meta decides. */
TM_API bool tm_op_has_loop(const tm_op *op, tm_dtype dtype);
/** Writes, for each key, which kernel wins and which library registered it. */
TM_API void tm_op_dump(const tm_op *op, FILE *stream);

/* -- Calling --------------------------------------------------------------------------------- */

/** Calls an op: one value per parameter in, one per output out (a list is one). The typed
 * prototypes in ops.h do the same. On failure the results are unset, a list is {NULL, -1}. */
TM_API tm_status tm_op_call(const tm_op *op, const tm_value *args, int num_args, tm_value *results,
                            int num_results);

/** What a call would return: dtype and logical shape of one output. */
typedef struct tm_spec {
    tm_dtype dtype;
    int ndim;
    int64_t shape[TM_MAX_NDIM]; /**< TM_DYNAMIC where it depends on data */
} tm_spec;

/** A size that depends on data. */
#define TM_DYNAMIC INT64_MIN

/** Runs the op's checks alone: nothing is computed or allocated, no mode sees it. Not for an op
 * that returns a list. */
TM_API tm_status tm_infer(const tm_op *op, const tm_value *args, int num_args, tm_spec *specs,
                          int num_specs);
/** The same for an op that returns a list: *count says how many tensors a call would return, and
 *  specs, which has room for `room`, describes the first of them (room 0: NULL will do). */
TM_API tm_status tm_infer_list(const tm_op *op, const tm_value *args, int num_args, tm_spec *specs,
                               int64_t room, int64_t *count);

/* -- Threads and accelerations --------------------------------------------------------------- */

/** How many threads a call may use (1: only the caller's; 0: as many as the process may use cores,
 *  at most 64). For the calling thread, 1 at first. Results do not depend on it. */
TM_API tm_status tm_set_num_threads(int num_threads);
TM_API int tm_get_num_threads(void);

/** Whether accelerated (batched, lanes) kernels are used, for the calling thread. */
typedef enum tm_acceleration {
    TM_ACCEL_AUTO = 0, /**< where there is a batch */
    TM_ACCEL_OFF = 1,  /**< never */
    TM_ACCEL_ON = 2    /**< also for one example */
} tm_acceleration;
TM_API void tm_set_acceleration(tm_acceleration acceleration);
TM_API tm_acceleration tm_get_acceleration(void);

/** What the calling thread's calls have done since tm_dispatch_reset_stats. */
typedef struct tm_dispatch_stats {
    size_t struct_size;
    uint64_t calls;          /**< kernel calls dispatched */
    uint64_t plain_runs;     /**< of those, run by the plain kernel */
    uint64_t batched_runs;   /**< run by a batched kernel */
    uint64_t declined_runs;  /**< an accelerated kernel declined, another one ran */
    uint64_t reruns;         /**< examples run again plainly after an accelerated kernel */
    uint64_t promotions;     /**< storages replicated by a mapped write */
    uint64_t overlap_copies; /**< inputs copied because they overlap an output */
    uint64_t lanes_runs;     /**< run by a lanes kernel */
} tm_dispatch_stats;
TM_API tm_dispatch_stats tm_dispatch_get_stats(void);
TM_API void tm_dispatch_reset_stats(void);

TM_END
#endif
