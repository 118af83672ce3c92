/* call.h: the record of one call, from the wrapper's stack to the kernel. */
#ifndef TM_DISPATCH_CALL_H
#define TM_DISPATCH_CALL_H

#include <assert.h>
#include <string.h>

#include "handle.h"
#include "registry.h"

enum {
    TM_PARAMS_SIZE = 256,
    TM_CALL_TEXT = 2048,
    TM_CORE_OPERANDS = TM_SIGNATURE_OPERANDS,
    TM_MAX_COMPUTE = TM_MAX_ARGS + TM_MAX_OUTPUTS,
    TM_INFERRED = -2
};

/** More workspace than there can be. */
#define TM_MOST_WORKSPACE ((size_t)PTRDIFF_MAX / 4)

/** Where an output that is a view stands on its input. */
typedef struct tm_output_place {
    const tm_tensor *of;
    int64_t offset;
    int64_t strides[TM_MAX_NDIM];
} tm_output_place;

/** One example's random stream: Philox's key, and the words of its counter that the call fixes. */
typedef struct tm_stream {
    uint32_t key[2];
    uint64_t count;
} tm_stream;

/* tm_call_init sets what is read before it is written; the rest is set by meta or later. */
struct tm_call {
    const tm_op *op;
    tm_thread *thread;
    const tm_value *args; /**< the caller's; a kernel's while one runs */
    tm_value *results;    /**< one per output: the caller's, or where they are a list, the call's */
    tm_spec *specs;       /**< one per output; in tm_dispatch's frame, or from tm_infer's caller */
    tm_output_place *places; /**< one per output */
    int num_outputs;         /**< -1: a list, and meta has not said yet of how many tensors;
                                  TM_INFERRED: tm_infer_list's, below */
    int list_room;           /**< tm_infer_list: how many specs its caller has */
    int64_t list_count;      /**< tm_infer_list: of how many tensors the list is */
    tm_tensor **list_outs;   /**< where they are many: room for as many handles, twice */
    size_t list_size;        /**< bytes of the block that holds it all, from specs on */
    tm_tensor **outs;        /**< while a kernel runs: its handles on the outputs */

    /* Bit i is output i's. A list's share bits: there specs[i].dtype, places[i].of and
     * results[i].tensor, cleared at first, tell as much. */
    uint32_t view_outputs; /**< output i is a view, places[i] says of what */
    uint32_t set_outputs;  /**< specs[i] is set */
    uint32_t returned;     /**< a mode handler returned output i */
    uint32_t core_set;     /**< bit i: operand i has core axes of its own */
    bool declined;         /**< a batched kernel declined */
    bool in_meta;          /**< meta is running: only then can outputs be described */
    bool handling;         /**< a mode handles this call: it may pass it on and return outputs */
    bool passed_failure;   /**< `failure` came back from what a handler passed the call on to */
    bool same_shapes;      /**< elementwise: every tensor has the output's shape */
    bool params_set;
    bool chained_null; /**< an argument was NULL: the standing error stays */
    uint8_t num_compute;
    int32_t text_used;
    int64_t failed_at; /**< elementwise: which of the n elements failed */
    size_t workspace_size;
    void *workspace;
    tm_loop_fn loop;
    tm_reduce_fn reduce;
    uint32_t reduce_mask;
    bool reduce_keepdims;
    tm_dtype reduce_in, reduce_out; /**< reduction: the dtypes the loop reads and writes */
    tm_mode *pass_to;               /**< in a handler: the next mode below */
    tm_stream stream;
    uint32_t base_key[2];   /**< random: the key before the plan's levels are mixed in */
    uint32_t base_depth;    /**< random: how many levels it has been mixed with */
    uint32_t random_levels; /**< random: bit l: the plan's level l draws for each example */
    int64_t random_first[TM_MAX_LEVELS]; /**< random: the index of that level's first example */
    struct tm_suspects *suspects;
    uint64_t error_serial; /**< the thread's when the call began: newer records are the call's */
    int num_failed_levels; /**< how many of failed_levels are set */

    tm_output_place few_places[TM_MAX_OUTPUTS];
    tm_value few_results[TM_MAX_OUTPUTS]; /**< of a list */
    tm_failure failure;
    uint8_t compute[TM_MAX_COMPUTE];
    uint8_t core_count[TM_CORE_OPERANDS];
    uint8_t core[TM_CORE_OPERANDS][TM_MAX_NDIM];
    tm_error_level failed_levels[TM_MAX_LEVELS];
    _Alignas(16) unsigned char params[TM_PARAMS_SIZE];
    char text[TM_CALL_TEXT];
};

/* Field by field: a memset of a few hundred bytes costs as much as the rest of the call. */
static inline void tm_call_init(tm_call *call, const tm_op *op, tm_thread *thread,
                                const tm_value *args, tm_value *results, tm_spec *specs)
{
    call->op = op;
    call->specs = specs;
    call->thread = thread;
    call->args = args;
    call->results = results;
    call->places = call->few_places;
    call->num_outputs = op->num_outputs;
    call->outs = NULL;
    call->view_outputs = call->set_outputs = call->returned = call->core_set = 0;
    call->declined = call->params_set = call->chained_null = call->same_shapes = false;
    call->in_meta = true;
    call->handling = false;
    call->text_used = 0;
    call->workspace_size = 0;
    call->workspace = NULL;
    call->suspects = NULL;
    call->error_serial = thread->error_serial;
    call->failure.code = TM_OK;
}

/** Copies an argument word by word: a wider read would wait for the caller's store of one word. */
static inline void tm_value_copy(tm_value *to, const tm_value *from)
{
    enum { WORDS = sizeof(tm_value) / sizeof(uint64_t) };
    uint64_t word[WORDS];
    for (int i = 0; i < WORDS; i++) {
        memcpy(&word[i], (const char *)from + 8 * i, sizeof word[i]);
        memcpy((char *)to + 8 * i, &word[i], sizeof word[i]);
    }
}

/** The whole path of a call: what typed wrappers and tm_op_call do. On failure results are unset
 *  and the thread's record is set. */
tm_status tm_dispatch(const tm_op *op, const tm_value *args, tm_value *results);
/** The same for a built-in op by its place in tm_builtin_ops. */
tm_status tm_dispatch_builtin(int place, const tm_value *args, tm_value *results);

/** The bit of output i. */
static inline uint32_t tm_output_bit(int i)
{
    return 1u << (i & 31);
}
/** Whether meta has described output i. */
static inline bool tm_output_is_set(const tm_call *call, int i)
{
    return call->op->list_output ? call->specs[i].dtype != TM_DTYPE_NONE
                                 : call->set_outputs >> i & 1;
}
/** Whether meta has described it as a view. */
static inline bool tm_output_is_view(const tm_call *call, int i)
{
    return call->op->list_output ? call->places[i].of != NULL : call->view_outputs >> i & 1;
}
/** Room for a handle of each output: `few`, or the `which`-th part of what a long list has. */
static inline tm_tensor **tm_output_room(const tm_call *call, tm_tensor *few[TM_MAX_OUTPUTS],
                                         int which)
{
    return call->num_outputs <= TM_MAX_OUTPUTS ? few : call->list_outs + which * call->num_outputs;
}

/** Runs the kernel (or composite function) below all modes. Results have one reference each and
 *  are in no scope. */
tm_status tm_call_execute(tm_call *call);
/** Sends the call down the stack from `mode` on, then to the kernels. */
tm_status tm_call_through(tm_call *call, tm_mode *mode);
/** Which of the n elements that a loop was given failed: the first where it names none of them. */
static inline int64_t tm_failed_at(const tm_call *call, int64_t n)
{
    return call->failed_at >= 0 && call->failed_at < n ? call->failed_at : 0;
}
/** Whether a record was set, or passed on, since the call began. */
static inline bool tm_call_has_error(const tm_call *call)
{
    return call->thread->error_serial != call->error_serial && tm_error_code() != TM_OK;
}
/** Completes a failure that was returned with `status`: where the call's own failure is not set,
 * moves the record that was set since the call began into it, as an inner op's; where there is
 * none, the failure says that it is unexplained. */
void tm_call_take_error(tm_call *call, tm_status status);
/** tm_call_judge, where there is something to look at. */
tm_status tm_call_verdict(tm_call *call, tm_status status);
/** What the status that a meta or kernel returned comes to: TM_OK, or the call's failure,
 * completed. One that returns TM_OK has failed all the same where it recorded a failure of its
 * call, or where a function that it called left a record standing. */
static inline tm_status tm_call_judge(tm_call *call, tm_status status)
{
    if (__builtin_expect(status == TM_OK && call->failure.code == TM_OK &&
                             call->thread->error_serial == call->error_serial,
                         1))
        return TM_OK;
    return tm_call_verdict(call, status);
}
/** Where a level is a piece of a batch, makes the failed example's index the whole batch's. Once,
 * on the calling thread, after a failure that tm_plan_failed placed. */
void tm_call_place_failure(tm_call *call);
/** Turns the call's failure into the thread's record. */
void tm_call_publish(tm_call *call, tm_status status);
/** Broadcasts a shape (in and out) with another; false, and nothing changed, where it cannot. */
bool tm_broadcast_sizes(int *ndim, int64_t *shape, int with_ndim, const int64_t *with);
/** Whether every core axis that meta named is one of its operand's: TM_OK, or the call's failure.
 */
tm_status tm_core_check(tm_call *call);
/** The meta of elementwise and reduction ops that bring none. */
tm_status tm_default_meta(tm_call *call);
/** Writes sizes as a Python tuple; returns what snprintf would. */
int tm_sizes_print(char *buffer, size_t size, int64_t ndim, const int64_t *sizes);
/** tm_fail for lack of memory. */
tm_status tm_call_no_memory(tm_call *call, int64_t bytes);

/** For the functions of kernel.h: NULL where something is needed, as a failure of the call, or as
 * the thread's record where there is no call. */
tm_status tm_kernel_null(tm_call *call, const char *function, const char *argument);
/** For what only a meta can say: a failure of the call where no meta is running. */
tm_status tm_kernel_not_meta(tm_call *call, const char *function);
/** Whether x is a tensor. */
static inline bool tm_kernel_tensor(const tm_tensor *x)
{
    return x && x != TM_NONE;
}

/** The tensor argument an operand names, NULL where it is absent. Not for lists. */
static inline const tm_tensor *tm_call_tensor(const tm_call *call, const tm_op_operand *operand)
{
    const tm_tensor *x = call->args[operand->arg].tensor;
    return x == TM_NONE ? NULL : x;
}

/** The Scalar argument i, NULL where it is absent. */
static inline const tm_scalar *tm_call_scalar(const tm_call *call, int i, const tm_param *param)
{
    assert(call->args); /* NULL only where there are no parameters */
    return param->optional ? call->args[i].opt : &call->args[i].scalar;
}

#endif
