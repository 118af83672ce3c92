/* invalid_calls.h: calls that another library rejects, and what they are here.
 *
 * data/invalid_calls.jsonl has the calls, a line each; data/invalid_calls_ops.txt says how they are
 * written here; data/invalid_calls_accepted.txt lists those that are good calls here, with reasons.
 */
#ifndef TRANSMUTE_TESTS_INVALID_CALLS_H
#define TRANSMUTE_TESTS_INVALID_CALLS_H

#include "law/sample.h"

enum { INVALID_CALLS = 564 };

/** One line of the calls: T0, T1, ... in `args` stand for the tensors. */
typedef struct invalid_call {
    int number; /**< of the line, from 1 */
    char op[64], args[256];
    int num_tensors;
    char tensors[8][64]; /**< as samples have them: float32[2,3] */
} invalid_call;

/** Reads line `number`; fails the test where it cannot. */
void invalid_call_read(int number, invalid_call *call);

/** What a call is here. */
typedef struct invalid_call_here {
    const tm_op *op;      /**< NULL: there is none */
    char name[64];        /**< ours, or theirs where there is none */
    char args[512];       /**< in the language of samples */
    char why[128];        /**< why there is none; "": there is none of that name */
    tm_law_sample sample; /**< the arguments, parsed; memory from the arena */
} invalid_call_here;

/** Finds the first line of the table that fits. Fails the test where none does. */
void invalid_call_translate(tm_law_arena *arena, const invalid_call *call, invalid_call_here *here);

/** Why a call is good here, "" where it must be rejected; the list's op must be the call's. */
void invalid_call_accepted(const invalid_call *call, char *why, size_t size);

#endif
