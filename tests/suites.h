/* suites.h: one suite per test file. */
#ifndef TRANSMUTE_TESTS_SUITES_H
#define TRANSMUTE_TESTS_SUITES_H

#include <check.h>

Suite *npy_suite(void);
Suite *npz_suite(void);
Suite *dlpack_suite(void);
Suite *print_suite(void);
Suite *cli_suite(void);
Suite *schema_suite(void);
Suite *signature_suite(void);
Suite *registry_suite(void);
Suite *scope_suite(void);
Suite *tensor_suite(void);
Suite *error_suite(void);
Suite *promotion_suite(void);
Suite *vmap_suite(void);
Suite *vmap_function_suite(void);
Suite *mode_suite(void);
Suite *overlap_suite(void);
Suite *elementwise_suite(void);
Suite *example_suite(void);
Suite *kernel_suite(void);
Suite *batched_suite(void);
Suite *rule_suite(void);
Suite *ffi_suite(void);
Suite *infer_suite(void);
Suite *lists_suite(void);
Suite *event_suite(void);
Suite *generator_suite(void);
Suite *memory_suite(void);
Suite *null_suite(void);
Suite *examples_suite(void);
Suite *law_suite(void);
Suite *law_wrong_suite(void);
Suite *law_sample_suite(void);
Suite *program_suite(void);
Suite *mode_answer_suite(void);
Suite *promotion_refused_suite(void);
Suite *library_suite(void);
Suite *vmap_end_suite(void);
Suite *vmap_leftover_suite(void);
Suite *index_cases_suite(void);
Suite *contract_suite(void);
Suite *null_kernel_suite(void);
Suite *exports_suite(void);
Suite *memory_ops_suite(void);
Suite *cores_suite(void);
Suite *misuse_suite(void);
Suite *plugin_suite(void);
Suite *reference_suite(void);
Suite *vmap_chunk_suite(void);
Suite *vmap_pieces_suite(void);
Suite *vmap_cases_suite(void);

#endif
