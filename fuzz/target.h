/* target.h: what the fuzz targets share. A target is one file with LLVMFuzzerTestOneInput, which
 * libFuzzer, AFL++ and replay.c call.
 *
 * What must hold is stated by FUZZ_REQUIRE, which aborts. Sizes are kept small by an allocator that
 * has only so much, and by a mode that refuses calls on more elements than are computed in no time.
 */
#ifndef TM_FUZZ_TARGET_H
#define TM_FUZZ_TARGET_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <transmute/transmute.h>

#include "fuzz/bytes.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/** Where messages go, also where a target has sent standard error elsewhere. */
void fuzz_say(const char *format, ...) TM_PRINTF(1, 2);

#define FUZZ_REQUIRE(condition, ...)                                                               \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fuzz_say("%s:%d: not so: %s: ", __FILE__, __LINE__, #condition);                       \
            fuzz_say(__VA_ARGS__);                                                                 \
            fuzz_say("\n");                                                                        \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

/** A call that returns NULL, or another status, has left an error behind, with words. */
void fuzz_require_error(const char *what);

/** An allocator for the whole process that refuses to have more than `most` bytes in use, and to
 *  give more than `one` at once. */
void fuzz_limit_memory(size_t most, size_t one);
/** Pushes a mode that fails calls on tensors, or for tensors, of more than `most` elements, all
 *  examples together. */
tm_mode *fuzz_limit_calls(int64_t most);
/** How many elements x has, all examples together; INT64_MAX where there are more. */
int64_t fuzz_elements(const tm_tensor *x);

/** Opens a scope around one input; fuzz_end closes it and holds the library to what it made: no
 *  handle, no level is left. Threads, acceleration and the generator are as they were at first. */
tm_scope *fuzz_begin(void);
void fuzz_end(tm_scope *scope);

/** A directory of the process's own, made and entered at the first use; writing to standard output
 *  and standard error is lost from then on, and files end at a megabyte. */
void fuzz_enter_directory(void);
/** Removes every file in it but those whose names begin with "keep". */
void fuzz_empty_directory(void);

#endif
