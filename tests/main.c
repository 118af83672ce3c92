/* main.c: runs the suites of suites.h.
 *
 *     transmute_tests [WORD ...]     the suites whose name contains one of the words; all without
 *     TM_TESTS=WORD transmute_tests  the same through the environment
 *
 * CK_FORK=no, CK_RUN_CASE and Check's other variables work as ever. The last line is Check's own
 * count. Exits 1 where a test failed, 2 where no suite has such a name.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "suites.h"

typedef struct entry {
    const char *name;
    Suite *(*make)(void);
} entry;

/* clang-format off */
static const entry suites[] = {
    {"schema", schema_suite},
    {"signature", signature_suite},
    {"registry", registry_suite},
    {"tensor", tensor_suite},
    {"scope", scope_suite},
    {"error", error_suite},
    {"promotion", promotion_suite},
    {"vmap", vmap_suite},
    {"vmap_function", vmap_function_suite},
    {"vmap_chunk", vmap_chunk_suite},
    {"vmap_pieces", vmap_pieces_suite},
    {"vmap_place", vmap_place_suite},
    {"vmap_cases", vmap_cases_suite},
    {"invalid_calls", invalid_calls_suite},
    {"mode", mode_suite},
    {"overlap", overlap_suite},
    {"elementwise", elementwise_suite},
    {"example", example_suite},
    {"kernel", kernel_suite},
    {"batched", batched_suite},
    {"sorting", sorting_suite},
    {"rule", rule_suite},
    {"rule_answers", rule_answers_suite},
    {"lanes", lanes_suite},
    {"ffi", ffi_suite},
    {"infer", infer_suite},
    {"lists", lists_suite},
    {"event", event_suite},
    {"generator", generator_suite},
    {"memory", memory_suite},
    {"null", null_suite},
    {"limits", limits_suite},
    {"stress", stress_suite},
    {"threads", threads_suite},
    {"pages", pages_suite},
    {"examples", examples_suite},
    {"law", law_suite},
    {"law_wrong", law_wrong_suite},
    {"law_sample", law_sample_suite},
    {"law_memory", law_memory_suite},
    {"check", check_suite},
    {"program", program_suite},
    {"cli", cli_suite},
    {"mode_answer", mode_answer_suite},
    {"promotion_refused", promotion_refused_suite},
    {"library", library_suite},
    {"vmap_end", vmap_end_suite},
    {"vmap_leftover", vmap_leftover_suite},
    {"index_cases", index_cases_suite},
    {"contract", contract_suite},
    {"null_kernel", null_kernel_suite},
    {"exports", exports_suite},
    {"abi", abi_suite},
    {"memory_ops", memory_ops_suite},
    {"cores", cores_suite},
    {"linalg", linalg_suite},
    {"misuse", misuse_suite},
    {"wrong_numbers", wrong_numbers_suite},
    {"extremes", extremes_suite},
    {"vmap_early", vmap_early_suite},
    {"limits_huge", limits_huge_suite},
    {"null_all", null_all_suite},
    {"retire", retire_suite},
    {"mode_fails", mode_fails_suite},
    {"told", told_suite},
    {"struct_size", struct_size_suite},
    {"reference", reference_suite},
    {"wanted", wanted_suite},
    {"random_statistics", random_statistics_suite},
    {"plugin", plugin_suite},
    {"npy", npy_suite},
    {"convolution", convolution_suite},
    {"reductions", reductions_suite},
    {"reduction_fails", reduction_fails_suite},
    {"wrong_kernels", wrong_kernels_suite},
    {"fourier", fourier_suite},
    {"copy", copy_suite},
    {"placement", placement_suite},
    {"products", products_suite},
    {"split", split_suite},
    {"tuning", tuning_suite},
    {"bypass", bypass_suite},
    {"functions", functions_suite},
    {"npz", npz_suite},
    {"dlpack", dlpack_suite},
    {"print", print_suite},
};
/* clang-format on */

enum { NUM_SUITES = sizeof suites / sizeof suites[0] };

/* Some tests ask for more memory than there is, and expect to be told so. */
#ifdef __SANITIZE_ADDRESS__
__attribute__((visibility("default"))) const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
    return "allocator_may_return_null=1";
}
#endif
#ifdef __SANITIZE_THREAD__
__attribute__((visibility("default"))) const char *__tsan_default_options(void);
const char *__tsan_default_options(void)
{
    return "allocator_may_return_null=1";
}
#endif

static bool wanted(const char *name, int num_words, char **words)
{
    const char *word = getenv("TM_TESTS");
    if (num_words == 0)
        return !word || strstr(name, word) != NULL;
    for (int i = 0; i < num_words; i++)
        if (strstr(name, words[i]))
            return true;
    return false;
}

int main(int argc, char **argv)
{
    SRunner *runner = srunner_create(NULL);
    int chosen = 0;
    for (int i = 0; i < NUM_SUITES; i++) {
        if (!suites[i].make || !wanted(suites[i].name, argc - 1, argv + 1))
            continue;
        srunner_add_suite(runner, suites[i].make());
        chosen++;
    }
    if (chosen == 0) {
        fprintf(stderr, "no suite has such a name; there are");
        for (int i = 0; i < NUM_SUITES; i++)
            fprintf(stderr, " %s", suites[i].name);
        fprintf(stderr, "\n");
        srunner_free(runner);
        return 2;
    }
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? 1 : 0;
}
