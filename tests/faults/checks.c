/* checks.c: does every check in ops/ have a sample that fails there?
 *
 * Runs each op's samples, outside any vmap, in a library whose ops were compiled with checks.h, and
 * lists the checks that none of them reached. What a kernel says of a broken promise or of lack of
 * memory is left out: no call can bring it about. Nor does one make LAPACK's iterations fail, and
 * sizes that are too large for LAPACK are too large for samples; tests/test_linalg.c has them.
 */
#include <stdbool.h>
#include <string.h>

#include <transmute/transmute.h>

#include "checks.h"

extern check_place *const __start_check_places[], *const __stop_check_places[];

/* Failures that no call can bring about, and those of the shared metas, which count where they
 * stand: here they only pass through, and some tables have a loop for every dtype that is left. */
static bool counts(const check_place *place)
{
    static const char *const left_out[] = {
        "TM_ERR_SCHEMA",        "TM_ERR_MEMORY",          "converge",
        "too large for LAPACK", "tm_reduction_meta call", "tm_elementwise_meta call"};
    for (size_t i = 0; i < sizeof left_out / sizeof *left_out; i++)
        if (strstr(place->what, left_out[i]))
            return false;
    return true;
}

int main(void)
{
    tm_law_options options = {.struct_size = sizeof options, .report = stdout};
    tm_law_result result = {.struct_size = sizeof result};
    if (tm_law_run(&options, &result) != TM_OK) {
        tm_error_print(stdout);
        return 1;
    }
    int total = 0, missed = 0;
    for (check_place *const *at = __start_check_places; at < __stop_check_places; at++) {
        const check_place *p = *at;
        if (!counts(p))
            continue;
        total++;
        if (p->failed)
            continue;
        missed++;
        const char *name = strstr(p->file, "ops/");
        printf("no invalid sample fails at %s:%d: %.100s\n", name ? name : p->file, p->line,
               p->what);
    }
    printf("%d checks, %d without an invalid sample\n", total, missed);
    return missed || result.violations ? 1 : 0;
}
