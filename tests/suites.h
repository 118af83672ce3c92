/* suites.h: one suite per test file. */
#ifndef TRANSMUTE_TESTS_SUITES_H
#define TRANSMUTE_TESTS_SUITES_H

#include <check.h>

Suite *npy_suite(void);
Suite *print_suite(void);
Suite *schema_suite(void);

#endif
