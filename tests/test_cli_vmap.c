/* test_cli_vmap.c: `transmute call --vmap`: levels, dimensions, sizes; what is wrong with --vmap
 * itself (exit 2) apart from what the op says under it (exit 1, the same first line as alone).
 */
#include <stdio.h>
#include <string.h>

#include "cli_support.h"

static const char row_fails[] = "triu: x must have at least 2 dimensions, got shape (2,)";

START_TEST(keeps_the_ops_check)
{
    const cli_case cases[] = {
        {"call triu v2.npy", 1, row_fails},
        {"call triu b32_2.npy --vmap 0", 1, row_fails},
        {"call triu b32_2_2.npy --vmap 0", 0, NULL},
        {"call triu b482.npy --vmap 0 --vmap 0", 1, row_fails},
        {"call triu b4822.npy --vmap 0 --vmap 0", 0, NULL},
        {"call triu v2.npy --vmap=- --size 3", 1, row_fails},
        {"call triu v2.npy --vmap=- --size 0", 1, row_fails},
        {"call triu empty.npy --vmap 0", 1,
         "triu: x must have at least 2 dimensions, got shape (3,)"},
        {"call triu_out b32_2.npy 0 b32_2.npy --vmap 0", 1,
         "triu_out: x must have at least 2 dimensions, got shape (2,)"},
        {"call multiply m.npy v3.npy", 1, "mul: x2 must broadcast..."},
        {"call multiply b222.npy v3.npy --vmap 0,-", 1, "mul: x2 must broadcast..."},
    };
    cli_check(cases, COUNT(cases));
    /* The whole first line is the same, alone and mapped. */
    char alone[512];
    cli_keep(alone, sizeof alone, cli_exec("call multiply m.npy v3.npy")->err);
    *strchr(alone, '\n') = '\0';
    const cli_run *mapped = cli_exec("call multiply b222.npy v3.npy --vmap 0,-");
    ck_assert_int_eq(strncmp(mapped->err, alone, strlen(alone)), 0);
    ck_assert_ptr_nonnull(strstr(mapped->err, "\n  "));
}
END_TEST

START_TEST(maps)
{
    const cli_case cases[] = {
        {"call sum m23.npy --vmap 0", 0, "shape=(2,) dtype=float32\n[ 3. 12.]\n"},
        {"call sum m23.npy --vmap 1", 0, "shape=(3,) dtype=float32\n[3. 5. 7.]\n"},
        {"call sum m23.npy --vmap=-1", 0, "shape=(3,) dtype=float32\n[3. 5. 7.]\n"},
        {"call sum m23.npy --vmap -1", 0, "shape=(3,) dtype=float32\n[3. 5. 7.]\n"},
        {"call sum m23.npy --vmap=-2", 0, "shape=(2,) dtype=float32\n[ 3. 12.]\n"},
        {"call neg m23.npy --vmap 1:1", 0,
         "shape=(2, 3) dtype=float32\n[[-0. -1. -2.]\n [-3. -4. -5.]]\n"},
        {"call relu m23.npy --vmap 1:0", 0,
         "shape=(3, 2) dtype=float32\n[[0. 3.]\n [1. 4.]\n [2. 5.]]\n"},
        {"call relu m23.npy --vmap 0:-1", 0,
         "shape=(3, 2) dtype=float32\n[[0. 3.]\n [1. 4.]\n [2. 5.]]\n"},
        {"call relu m23.npy --vmap=-1:-1", 0,
         "shape=(2, 3) dtype=float32\n[[0. 1. 2.]\n [3. 4. 5.]]\n"},
        /* One entry for each tensor, or one for all. */
        {"call add m23.npy m23.npy --vmap 1", 0,
         "shape=(3, 2) dtype=float32\n[[ 0.  6.]\n [ 2.  8.]\n [ 4. 10.]]\n"},
        {"call add m23.npy m32.npy --vmap 0,1", 0,
         "shape=(2, 3) dtype=float32\n[[ 0.  3.  6.]\n [ 4.  7. 10.]]\n"},
        {"call add m23.npy v3.npy --vmap 0,-", 0,
         "shape=(2, 3) dtype=float32\n[[0. 2. 4.]\n [3. 5. 7.]]\n"},
        {"call add v3.npy m23.npy --vmap=-,0", 0,
         "shape=(2, 3) dtype=float32\n[[0. 2. 4.]\n [3. 5. 7.]]\n"},
        {"call add v2.npy m23.npy --vmap=-1,0", 0,
         "shape=(2, 3) dtype=float32\n[[0. 1. 2.]\n [4. 5. 6.]]\n"},
        {"call add x2=m23.npy x1=v2.npy --vmap 0,0", 0,
         "shape=(2, 3) dtype=float32\n[[0. 1. 2.]\n [4. 5. 6.]]\n"},
        {"call add m.npy 1 --vmap 1", 0, "shape=(2, 2) dtype=float32\n[[1. 3.]\n [2. 4.]]\n"},
        {"call stack m23.npy,v3.npy --vmap 0,-", 0,
         "shape=(2, 2, 3) dtype=float32\n[[[0. 1. 2.]\n  [0. 1. 2.]]\n\n [[3. 4. 5.]\n"
         "  [0. 1. 2.]]]\n"},
        /* An absent tensor is none of them. */
        {"call clamp v3.npy None v3.npy --vmap 0,0", 0, "shape=(3,) dtype=float32\n[0. 1. 2.]\n"},
        {"call clamp v3.npy s.npy None --vmap 0,-", 0, "shape=(3,) dtype=float32\n[0. 1. 2.]\n"},
        /* Nothing mapped: the result is the same for all. */
        {"call neg v2.npy --vmap=- --size 2", 0,
         "shape=(2, 2) dtype=float32\n[[-0. -1.]\n [-0. -1.]]\n"},
        {"call neg v2.npy --vmap - --size 2", 0,
         "shape=(2, 2) dtype=float32\n[[-0. -1.]\n [-0. -1.]]\n"},
        {"call neg v2.npy --vmap=-:1 --size 2", 0,
         "shape=(2, 2) dtype=float32\n[[-0. -0.]\n [-1. -1.]]\n"},
        {"call neg v2.npy --vmap=-:- --size 2", 0, "shape=(2,) dtype=float32\n[-0. -1.]\n"},
        {"call neg v2.npy --vmap=- --size 0", 0, "shape=(0, 2) dtype=float32\n[]\n"},
        {"call neg empty.npy --vmap 0", 0, "shape=(0, 3) dtype=float32\n[]\n"},
        {"call neg empty.npy --vmap 0 --size 0", 0, "shape=(0, 3) dtype=float32\n[]\n"},
        {"call zeros 2 --vmap=- --size 3", 0,
         "shape=(3, 2) dtype=float32\n[[0. 0.]\n [0. 0.]\n [0. 0.]]\n"},
        {"call item f1.npy --vmap=- --size 3", 0, "shape=() dtype=float32\n0.1\n"},
        /* Each example writes its own part of what is mapped. */
        {"call add_ m.npy v2.npy --vmap 0,-", 0,
         "shape=(2, 2) dtype=float32\n[[0. 2.]\n [2. 4.]]\n"},
        {"call add_out m.npy v2.npy m.npy --vmap 1,-,1:1", 0,
         "shape=(2, 2) dtype=float32\n[[0. 1.]\n [3. 4.]]\n"},
    };
    cli_check(cases, COUNT(cases));
}
END_TEST

START_TEST(nests)
{
    const cli_case cases[] = {
        /* b222 counts 0..7; an inner level's in_dims count what the outer ones left. */
        {"call sum b222.npy --vmap 0 --vmap 0", 0,
         "shape=(2, 2) dtype=float32\n[[ 1.  5.]\n [ 9. 13.]]\n"},
        {"call sum b222.npy --vmap 0 --vmap 1", 0,
         "shape=(2, 2) dtype=float32\n[[ 2.  4.]\n [10. 12.]]\n"},
        {"call sum b222.npy --vmap 2 --vmap 0", 0,
         "shape=(2, 2) dtype=float32\n[[ 2. 10.]\n [ 4. 12.]]\n"},
        {"call sum b222.npy --vmap=-1 --vmap=-1", 0,
         "shape=(2, 2) dtype=float32\n[[ 4.  8.]\n [ 6. 10.]]\n"},
        {"call relu b222.npy --vmap 0 --vmap 0 --vmap 0", 0,
         "shape=(2, 2, 2) dtype=float32\n[[[0. 1.]\n  [2. 3.]]\n\n [[4. 5.]\n  [6. 7.]]]\n"},
        /* An outer level's out_dims count what the inner ones put back. */
        {"call sum b222.npy --vmap 0:1 --vmap 0", 0,
         "shape=(2, 2) dtype=float32\n[[ 1.  9.]\n [ 5. 13.]]\n"},
        {"call sum b222.npy --vmap 0:-1 --vmap 0", 0,
         "shape=(2, 2) dtype=float32\n[[ 1.  9.]\n [ 5. 13.]]\n"},
        {"call stack m23.npy,m32.npy --vmap=-1,0:2 --vmap 0:-1", 0,
         "shape=(2, 2, 3) dtype=float32\n[[[0. 1. 2.]\n  [3. 4. 5.]]\n\n [[0. 2. 4.]\n"
         "  [1. 3. 5.]]]\n"},
        /* A level that the op ignores, two of the same size, other tensors at each. */
        {"call sum m23.npy --vmap=-:1 --size 2 --vmap 0", 0,
         "shape=(2, 2) dtype=float32\n[[ 3.  3.]\n [12. 12.]]\n"},
        {"call sum m23.npy --vmap=-:- --size 2 --vmap 0", 0,
         "shape=(2,) dtype=float32\n[ 3. 12.]\n"},
        {"call mul v2.npy v3.npy --vmap 0,- --vmap=-,0", 0,
         "shape=(2, 3) dtype=float32\n[[0. 0. 0.]\n [0. 1. 2.]]\n"},
        {"call mul v2.npy v3.npy --vmap=-,0 --vmap 0,-", 0,
         "shape=(3, 2) dtype=float32\n[[0. 0.]\n [0. 1.]\n [0. 2.]]\n"},
        {"call sum m23.npy --vmap 0 --size 2 --vmap=- --size 1", 0,
         "shape=(2, 1) dtype=float32\n[[ 3.]\n [12.]]\n"},
    };
    cli_check(cases, COUNT(cases));
}
END_TEST

START_TEST(draws)
{
    char different[256], same[256];
    cli_keep(different, sizeof different,
             cli_exec("call rand 2 --vmap=- --size 2 --randomness different")->out);
    cli_keep(same, sizeof same, cli_exec("call rand 2 --randomness same --vmap=- --size 2")->out);
    ck_assert_int_eq(strncmp(different, "shape=(2, 2) dtype=float32\n", 27), 0);
    ck_assert_int_eq(strncmp(same, "shape=(2, 2) dtype=float32\n", 27), 0);
    ck_assert_str_ne(different, same);
    const cli_case cases[] = {
        {"call rand 2 --vmap=- --size 2 --randomness=different --seed 0", 0, different},
        {"call rand 2 --vmap=- --size 2 --randomness same --seed=0", 0, same},
        {"call rand 2 --vmap=- --size 2", 1, "rand: ..."},
        {"call rand 2 --vmap=- --size 2 --randomness error", 1, "rand: ..."},
    };
    cli_check(cases, COUNT(cases));
    char other[256];
    cli_keep(other, sizeof other, cli_exec("call rand 2 --seed 1")->out);
    ck_assert_str_ne(other, cli_exec("call rand 2")->out);
}
END_TEST

/* vmap's refusals of what the op would do are the op's failures. */
START_TEST(refuses_what_cannot_be_mapped)
{
    const cli_case cases[] = {
        {"call item v3.npy --vmap 0", 1, "item: ..."},
        {"call nonzero m.npy --vmap 0", 1, "nonzero: ..."},
        {"call add_ v2.npy m.npy --vmap=-,0", 1, "add_: a mapped value cannot be written into..."},
        {"call add_out m.npy 1 v2.npy --vmap 0,-", 1, "add_out: a mapped value cannot..."},
    };
    cli_check(cases, COUNT(cases));
}
END_TEST

START_TEST(refuses_vmap_itself)
{
    const cli_case cases[] = {
        {"call triu m.npy --vmap", 2, "--vmap needs a value"},
        {"call triu m.npy --vmap --trace", 2, "--vmap needs a value"},
        {"call triu m.npy --vmap ''", 2, "--vmap '': '' is no dimension, nor - for not mapped"},
        {"call triu m.npy --vmap=", 2, "--vmap '': ..."},
        {"call triu m.npy --vmap :0", 2, "--vmap ':0': '' is no dimension..."},
        {"call triu m.npy --vmap 0:", 2, "--vmap '0:': '' is no dimension..."},
        {"call triu m.npy --vmap 0:0:0", 2, "--vmap '0:0:0': '0:0' is no dimension..."},
        {"call triu m.npy --vmap 0,", 2, "--vmap '0,': ..."},
        {"call triu m.npy --vmap x", 2, "--vmap 'x': 'x' is no dimension..."},
        {"call triu m.npy --vmap 0.0", 2, "--vmap '0.0': ..."},
        {"call triu m.npy --vmap=--", 2, "--vmap '--': ..."},
        {"call triu m.npy --vmap None", 2, "--vmap 'None': ..."},
        {"call triu m.npy --vmap=-9223372036854775808", 2, "--vmap '-9223372036854775808': ..."},
        {"call triu m.npy --vmap 99999999999999999999", 2, "--vmap '99999999999999999999': ..."},
        /* Counts. */
        {"call triu m.npy --vmap 0,0", 2, "--vmap '0,0': 2 in_dims, but triu has 1 tensor here"},
        {"call add m.npy 1 --vmap 0,0", 2, "--vmap '0,0': 2 in_dims, but add has 1 tensor here"},
        {"call stack m.npy,m.npy,m.npy --vmap 0,0", 2,
         "--vmap '0,0': 2 in_dims, but stack has 3 tensors here"},
        {"call clamp v3.npy None v3.npy --vmap 0,-,0", 2, "--vmap '0,-,0': 3 in_dims..."},
        {"call relu m.npy --vmap 0:0,0", 2, "--vmap '0:0,0': 2 out_dims, but relu has 1 output"},
        {"call zeros 2 --vmap 0 --size 3", 2, "--vmap '0': there is no tensor to map..."},
        {"call zeros 2 --vmap=-,- --size 3", 2, "--vmap '-,-': there is no tensor to map..."},
        /* Ranges. */
        {"call relu m.npy --vmap 2", 2,
         "--vmap '2': in_dim 2 is out of range: x has 2 dimensions here, must be in -2..1"},
        {"call relu m.npy --vmap=-3", 2, "--vmap '-3': in_dim -3 is out of range..."},
        {"call relu s.npy --vmap 0", 2,
         "--vmap '0': in_dim 0 is out of range: x has no dimensions here"},
        {"call add m.npy s.npy --vmap 0", 2, "--vmap '0': in_dim 0 is out of range: x2 has..."},
        {"call relu m.npy --vmap 0 --vmap 1", 2,
         "--vmap '1': in_dim 1 is out of range: x has 1..."},
        {"call relu v2.npy --vmap 0 --vmap 0", 2, "--vmap '0': in_dim 0 is out of range..."},
        {"call relu m.npy --vmap 0:2", 2,
         "--vmap '0:2': output 0: out_dim 2 is out of range for a result with 2 dimensions, must "
         "be in -2..1"},
        {"call relu m.npy --vmap 0:-3", 2, "--vmap '0:-3': output 0: out_dim -3 is out of..."},
        {"call relu m.npy --vmap 0:2 --vmap 0", 2, "--vmap '0:2': output 0: out_dim 2 is out..."},
        {"call relu m.npy --vmap 0:-", 2, "--vmap '0:-': out_dim - for output 0, which is mapped"},
        {"call item f1.npy --vmap=-:0 --size 3", 2,
         "--vmap '-:0': output 0 of item is one host value..."},
        /* Sizes. */
        {"call add m23.npy m32.npy --vmap 0", 2,
         "--vmap '0': x2 has size 3 at in_dim 0, but the other tensors have size 2"},
        {"call stack m32.npy,m23.npy,m23.npy --vmap 0", 2,
         "--vmap '0': xs[0] has size 3 at in_dim 0, but the other tensors have size 2"},
        {"call add m23.npy m32.npy --vmap=-1", 2,
         "--vmap '-1': x2 has size 2 at in_dim -1, but the other tensors have size 3"},
        {"call add b222.npy m23.npy --vmap 0 --vmap=-1", 2,
         "--vmap '-1': x2 has size 3 at in_dim -1, but the other tensors have size 2"},
        {"call relu m23.npy --vmap 0 --size 3", 2,
         "--vmap '0': x has size 2 at in_dim 0, but --size is 3"},
        {"call relu m23.npy --vmap=-", 2, "--vmap '-': no tensor is mapped and no --size is given"},
        {"call zeros 2 --vmap=-", 2, "--vmap '-': no tensor is mapped..."},
        {"call relu m23.npy --vmap=-,- --size 3", 2, "--vmap '-,-': 2 in_dims..."},
        {"call relu m23.npy --size 3", 2, "--size 3: belongs to a --vmap before it"},
        {"call relu m23.npy --size 2 --vmap 0", 2, "--size 2: belongs to a --vmap before it"},
        {"call relu m23.npy --vmap 0 --size 2 --size 2", 2,
         "--size 2: --vmap '0' has a --size already"},
        {"call relu m23.npy --vmap=- --size -1", 2, "--size must be..."},
        {"call relu m23.npy --vmap=- --size 2.0", 2, "--size must be..."},
        {"call relu m23.npy --vmap=- --size=", 2, "--size must be..."},
        {"call relu m23.npy --vmap=- --size 99999999999999999999", 2, "--size must be..."},
        {"call relu m23.npy --vmap=- --size 9223372036854775807", 2,
         "--vmap '-': output 0 would have too many elements..."},
        /* The op's own failure comes before what only its result would show. */
        {"call triu b32_2.npy --vmap 0:9", 1, row_fails},
        {"call triu b32_2.npy --vmap 0:-", 1, row_fails},
    };
    cli_check(cases, COUNT(cases));
}
END_TEST

START_TEST(opens_sixteen_levels)
{
    char command[1024];
    for (int levels = 16; levels <= 17; levels++) {
        int used = snprintf(command, sizeof command, "call sum v2.npy");
        for (int i = 0; i < levels; i++)
            used += snprintf(command + used, sizeof command - (size_t)used, " --vmap=- --size 1");
        const cli_case good = {command, 0,
                               "shape=(1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1) "
                               "dtype=float32\n[[[[[[[[[[[[[[[[1.]]]]]]]]]]]]]]]]\n"};
        const cli_case bad = {command, 2, "--vmap: at most 16 levels, got 17"};
        cli_check(levels == 16 ? &good : &bad, 1);
    }
}
END_TEST

void cli_vmap_tests(TCase *tests)
{
    tcase_add_test(tests, keeps_the_ops_check);
    tcase_add_test(tests, maps);
    tcase_add_test(tests, nests);
    tcase_add_test(tests, draws);
    tcase_add_test(tests, refuses_what_cannot_be_mapped);
    tcase_add_test(tests, refuses_vmap_itself);
    tcase_add_test(tests, opens_sixteen_levels);
}
