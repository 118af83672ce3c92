/* torture.h: what the failing allocator is let loose on.
 *
 *     failing.c   memory that fails when told to
 *     ops.c       ops of every contract, registered at run time
 *     acts.c      uses of the library in this process
 *     apart.c     uses that happen once in a process, each try in one of its own
 *     main.c      fails the 1st, the 2nd, ... allocation of each, and what must come of it
 */
#ifndef TM_TESTS_TORTURE_H
#define TM_TESTS_TORTURE_H

#include <stdio.h>
#include <stdlib.h>

#include <transmute/transmute.h>

#define COUNT(array) ((int)(sizeof(array) / sizeof((array)[0])))

/** Ends the program with these words unless the condition holds. */
#define MUST(condition, ...)                                                                       \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            failing_disarm();                                                                      \
            fprintf(stderr, __VA_ARGS__);                                                          \
            fprintf(stderr, "\n  %s:%d: %s\n", __FILE__, __LINE__, #condition);                    \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

/** Everything that an act found out: equal, bit for bit, in every run that succeeds. */
typedef struct digest {
    uint64_t hash;
} digest;
void digest_bytes(digest *d, const void *bytes, size_t size);
/** Shape and elements; a NULL adds nothing. */
void digest_tensor(digest *d, const tm_tensor *x);

/** One use of the library, in a scope of its own. TM_OK, or the code of the error that it met. */
typedef struct act {
    const char *name;
    tm_status (*run)(digest *d);
    bool may_be_io; /**< the system may say in its own words that there is no memory */
    bool elsewhere; /**< the record is another thread's */
} act;
extern const act acts[];
extern const int num_acts;
/** The tensors that acts read: made before, never written. */
void acts_begin(void);
void acts_check_inputs(void);
void acts_end(void);

/** Ops of every contract, by number; and a call of each, plain and mapped. */
extern const tm_op_def contract_ops[];
extern const int num_contract_ops;
void contract_ops_registered(int i, const tm_op *op);
tm_status call_contract_ops(digest *d);

/** Registering, loading a plug-in: what succeeds stays, so each is tried until it does. */
void torture_registering(void);
void torture_plugin(void);
/** In processes of their own: first use, the thread pool, the command line. */
void torture_first_use(void);
void torture_pool(void);
void torture_program(void);

#endif
