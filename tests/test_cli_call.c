/* test_cli_call.c: `transmute call`: arguments of every type, the choice of overload, what is
 * refused as usage (exit 2) and what the op refuses (exit 1).
 */
#include <string.h>

#include "cli_support.h"

START_TEST(takes_arguments_in_order_and_by_name)
{
    const cli_case cases[] = {
        {"call triu m.npy", 0, "shape=(2, 2) dtype=float32\n[[0. 1.]\n [0. 3.]]\n"},
        {"call triu m.npy 1", 0, "shape=(2, 2) dtype=float32\n[[0. 1.]\n [0. 0.]]\n"},
        {"call triu m.npy -1", 0, "shape=(2, 2) dtype=float32\n[[0. 1.]\n [2. 3.]]\n"},
        {"call triu m.npy k=1", 0, "shape=(2, 2) dtype=float32\n[[0. 1.]\n [0. 0.]]\n"},
        {"call triu k=1 m.npy", 0, "shape=(2, 2) dtype=float32\n[[0. 1.]\n [0. 0.]]\n"},
        {"call triu k=1 x=m.npy", 0, "shape=(2, 2) dtype=float32\n[[0. 1.]\n [0. 0.]]\n"},
        {"call triu -- m.npy -1", 0, "shape=(2, 2) dtype=float32\n[[0. 1.]\n [2. 3.]]\n"},
        {"call -- triu m.npy k=-1", 0, "shape=(2, 2) dtype=float32\n[[0. 1.]\n [2. 3.]]\n"},
        {"call triu m.npy -9223372036854775808", 0,
         "shape=(2, 2) dtype=float32\n[[0. 1.]\n [2. 3.]]\n"},
        {"call triu m.npy 9223372036854775807", 0,
         "shape=(2, 2) dtype=float32\n[[0. 0.]\n [0. 0.]]\n"},
        {"call triu ./m.npy", 0, "shape=(2, 2) dtype=float32\n[[0. 1.]\n [0. 3.]]\n"},
        /* Defaults fill what is left out, also between arguments. */
        {"call slice v3.npy 0 0 3", 0, "shape=(3,) dtype=float32\n[0. 1. 2.]\n"},
        {"call slice v3.npy 0 0 3 2", 0, "shape=(2,) dtype=float32\n[0. 2.]\n"},
        {"call diagonal m.npy axis2=0 axis1=1", 0, "shape=(2,) dtype=float32\n[0. 3.]\n"},
        {"call triu_out m.npy out=m.npy", 0, "shape=(2, 2) dtype=float32\n[[0. 1.]\n [0. 3.]]\n"},
    };
    cli_check(cases, COUNT(cases));
}
END_TEST

START_TEST(takes_lists)
{
    const cli_case cases[] = {
        {"call reshape m.npy -1,4", 0, "shape=(1, 4) dtype=float32\n[[0. 1. 2. 3.]]\n"},
        {"call reshape m.npy 4", 0, "shape=(4,) dtype=float32\n[0. 1. 2. 3.]\n"},
        {"call reshape m.npy shape=-1", 0, "shape=(4,) dtype=float32\n[0. 1. 2. 3.]\n"},
        {"call reshape s.npy ()", 0, "shape=() dtype=float32\n0.0\n"},
        {"call permute_dims m23.npy 1,0", 0,
         "shape=(3, 2) dtype=float32\n[[0. 3.]\n [1. 4.]\n [2. 5.]]\n"},
        {"call squeeze i1.npy", 0, "shape=() dtype=int64\n7\n"},
        {"call squeeze i1.npy None", 0, "shape=() dtype=int64\n7\n"},
        {"call squeeze i1.npy ()", 0, "shape=(1,) dtype=int64\n[7]\n"},
        {"call squeeze i1.npy axis=-1", 0, "shape=() dtype=int64\n7\n"},
        {"call sum i23.npy 0", 0, "shape=(3,) dtype=int64\n[3 5 7]\n"},
        {"call sum i23.npy 0,1", 0, "shape=() dtype=int64\n15\n"},
        {"call sum i23.npy -1 True", 0, "shape=(2, 1) dtype=int64\n[[ 3]\n [12]]\n"},
        {"call sum i23.npy keepdims=False", 0, "shape=() dtype=int64\n15\n"},
        {"call stack v2.npy,v2.npy", 0, "shape=(2, 2) dtype=float32\n[[0. 1.]\n [0. 1.]]\n"},
        {"call stack v2.npy,v2.npy -1", 0, "shape=(2, 2) dtype=float32\n[[0. 0.]\n [1. 1.]]\n"},
        {"call concat v2.npy", 0, "shape=(2,) dtype=float32\n[0. 1.]\n"},
        {"call concat xs=v2.npy,v3.npy axis=0", 0, "shape=(5,) dtype=float32\n[0. 1. 0. 1. 2.]\n"},
    };
    cli_check(cases, COUNT(cases));
}
END_TEST

START_TEST(takes_numbers)
{
    const cli_case cases[] = {
        {"call full 2 3", 0, "shape=(2,) dtype=int64\n[3 3]\n"},
        {"call full 2 +3", 0, "shape=(2,) dtype=int64\n[3 3]\n"},
        {"call full 2 -3", 0, "shape=(2,) dtype=int64\n[-3 -3]\n"},
        {"call full () 2.5", 0, "shape=() dtype=float32\n2.5\n"},
        {"call full 2 .5", 0, "shape=(2,) dtype=float32\n[0.5 0.5]\n"},
        {"call full 2 -.5", 0, "shape=(2,) dtype=float32\n[-0.5 -0.5]\n"},
        {"call full 2 5.", 0, "shape=(2,) dtype=float32\n[5. 5.]\n"},
        {"call full 2 25e-1", 0, "shape=(2,) dtype=float32\n[2.5 2.5]\n"},
        {"call full 2 1E2", 0, "shape=(2,) dtype=float32\n[100. 100.]\n"},
        {"call full 2 1e-999", 0, "shape=(2,) dtype=float32\n[0. 0.]\n"},
        {"call full 2 inf", 0, "shape=(2,) dtype=float32\n[inf inf]\n"},
        {"call full 2 -inf", 0, "shape=(2,) dtype=float32\n[-inf -inf]\n"},
        {"call full 2 value=nan", 0, "shape=(2,) dtype=float32\n[nan nan]\n"},
        {"call full 2 -nan", 0, "shape=(2,) dtype=float32\n[nan nan]\n"},
        {"call full 2 True", 0, "shape=(2,) dtype=bool\n[ True  True]\n"},
        {"call full 2 False", 0, "shape=(2,) dtype=bool\n[False False]\n"},
        {"call full 2 1 float64", 0, "shape=(2,) dtype=float64\n[1. 1.]\n"},
        {"call full 2 1 dtype=uint8", 0, "shape=(2,) dtype=uint8\n[1 1]\n"},
        {"call full 2 1 None", 0, "shape=(2,) dtype=int64\n[1 1]\n"},
        {"call astype v3.npy int32", 0, "shape=(3,) dtype=int32\n[0 1 2]\n"},
        {"call vector_norm m.npy axis=0,1 ord=1", 0, "shape=() dtype=float32\n6.0\n"},
        {"call vector_norm m.npy ord=inf", 0, "shape=() dtype=float32\n3.0\n"},
        {"call full 2 1+2j", 0, "shape=(2,) dtype=complex64\n[1.+2.j 1.+2.j]\n"},
        {"call full 1 2j", 0, "shape=(1,) dtype=complex64\n[0.+2.j]\n"},
        {"call full 1 -1.5e1-infj", 0, "shape=(1,) dtype=complex64\n[-15.-infj]\n"},
    };
    cli_check(cases, COUNT(cases));
}
END_TEST

START_TEST(chooses_the_overload)
{
    const cli_case cases[] = {
        {"call add m.npy m.npy", 0, "shape=(2, 2) dtype=float32\n[[0. 2.]\n [4. 6.]]\n"},
        {"call add m.npy 1", 0, "shape=(2, 2) dtype=float32\n[[1. 2.]\n [3. 4.]]\n"},
        {"call add 1 m.npy", 0, "shape=(2, 2) dtype=float32\n[[1. 2.]\n [3. 4.]]\n"},
        {"call add x2=-.5 m.npy", 0, "shape=(2, 2) dtype=float32\n[[-0.5  0.5]\n [ 1.5  2.5]]\n"},
        /* A number is a tensor where a file has its name, but not a directory. */
        {"call add v2.npy 5", 0, "shape=(2,) dtype=float32\n[100. 102.]\n"},
        {"call add v2.npy 5.0", 0, "shape=(2,) dtype=float32\n[5. 6.]\n"},
        {"call add v2.npy 6", 0, "shape=(2,) dtype=float32\n[6. 7.]\n"},
        {"call clamp v3.npy 1", 0, "shape=(3,) dtype=float32\n[1. 1. 2.]\n"},
        {"call clamp v3.npy None 1", 0, "shape=(3,) dtype=float32\n[0. 1. 1.]\n"},
        {"call clamp v3.npy s.npy f1.npy", 0, "shape=(3,) dtype=float32\n[0.  0.1 0.1]\n"},
        {"call clamp v3.npy max=s.npy", 0, "shape=(3,) dtype=float32\n[0. 0. 0.]\n"},
        {"call where t1.npy 1 0", 0, "shape=(1,) dtype=int64\n[1]\n"},
        {"call where t1.npy v3.npy 0", 0, "shape=(3,) dtype=float32\n[0. 1. 2.]\n"},
        {"call multiply v3.npy 2", 0, "shape=(3,) dtype=float32\n[0. 2. 4.]\n"},
    };
    cli_check(cases, COUNT(cases));
}
END_TEST

START_TEST(leaves_files_alone)
{
    const cli_case cases[] = {
        {"call add_ v3.npy 1", 0, "shape=(3,) dtype=float32\n[1. 2. 3.]\n"},
        {"call add_ v3.npy v3.npy", 0, "shape=(3,) dtype=float32\n[0. 2. 4.]\n"},
        {"call add_out v3.npy 1 v3.npy", 0, "shape=(3,) dtype=float32\n[1. 2. 3.]\n"},
        {"call fill_ v3.npy 9", 0, "shape=(3,) dtype=float32\n[9. 9. 9.]\n"},
        {"call copy_ v3.npy f1.npy", 0, "shape=(3,) dtype=float32\n[0.1 0.1 0.1]\n"},
        {"call neg v3.npy", 0, "shape=(3,) dtype=float32\n[-0. -1. -2.]\n"},
    };
    cli_check(cases, COUNT(cases));
}
END_TEST

START_TEST(prints_like_numpy)
{
    const cli_case cases[] = {
        {"call item i1.npy", 0, "shape=() dtype=int64\n7\n"},
        {"call item d1.npy", 0, "shape=() dtype=float64\n0.1\n"},
        {"call item f1.npy", 0, "shape=() dtype=float32\n0.1\n"},
        {"call item t1.npy", 0, "shape=() dtype=bool\nTrue\n"},
        {"call zeros 0,3", 0, "shape=(0, 3) dtype=float32\n[]\n"},
        {"call ones 2,1,2 bool", 0,
         "shape=(2, 1, 2) dtype=bool\n[[[ True  True]]\n\n [[ True  True]]]\n"},
        {"call arange 0 2000", 0,
         "shape=(2000,) dtype=int64\n[   0    1    2 ... 1997 1998 1999]\n"},
        {"call reshape h2.npy 2,1", 0, "shape=(2, 1) dtype=float16\n[[0.]\n [0.]]\n"},
        {"call nonzero m.npy", 0, "shape=(3, 2) dtype=int64\n[[0 1]\n [1 0]\n [1 1]]\n"},
    };
    cli_check(cases, COUNT(cases));
}
END_TEST

START_TEST(tells_the_ops_failure)
{
    const cli_case cases[] = {
        {"call triu v2.npy", 1, "triu: x must have at least 2 dimensions, got shape (2,)"},
        {"call triu s.npy", 1, "triu: x must have at least 2 dimensions, got shape ()"},
        {"call reshape m.npy ()", 1, "reshape: ..."},
        {"call item m.npy", 1, "item: ..."},
        {"call zeros -1", 1, "zeros: ..."},
        {"call zeros 9223372036854775807,9223372036854775807", 1, "zeros: ..."},
        /* By the canonical name, without the overload, whatever it was called by. */
        {"call multiply m.npy m23.npy", 1, "mul: x2 must..."},
        {"call subtract m.npy v3.npy", 1, "sub: ..."},
        {"call mul_ m.npy b222.npy", 1, "mul_: ..."},
        {"call triu_out m.npy 0 v2.npy", 1,
         "triu_out: out must have the result's shape (2, 2), got shape (2,)"},
    };
    cli_check(cases, COUNT(cases));
}
END_TEST

START_TEST(refuses_arguments)
{
    const cli_case cases[] = {
        {"call", 2, "call: which op?"},
        {"call --", 2, "call: which op?"},
        {"call ''", 2, "unknown op ''..."},
        {"call triuu m.npy", 2, "unknown op 'triuu'; did you mean triu?"},
        {"call sbu m.npy 1", 2, "unknown op 'sbu'; did you mean sub?"},
        {"call tranposed m.npy", 2, "unknown op 'tranposed'; `transmute ops` lists them"},
        {"call add.scalar m.npy 1", 2, "unknown op 'add.scalar'; did you mean add..."},
        {"call multiplied m.npy 1", 2, "unknown op 'multiplied'; did you mean multiply, mul?"},
        {"call triu", 2, "triu: x is missing..."},
        {"call triu k=1", 2, "triu: x is missing..."},
        {"call add m.npy", 2, "add: x2 is missing..."},
        {"call triu m.npy 1 2", 2, "triu: takes 2 arguments, '2' is one too many"},
        {"call add m.npy 1 2", 2, "add: takes 2 arguments, '2' is one too many"},
        {"call triu m.npy 1 k=2", 2, "triu: k is given twice"},
        {"call triu m.npy x=m.npy", 2, "triu: x is given twice"},
        {"call triu k=1 k=1 m.npy", 2, "triu: k is given twice"},
        {"call triu m.npy q=1", 2,
         "triu: k must be an integer that an int64 can hold, got 'q=1' (there is no parameter q)"},
        {"call triu m.npy 1 q=1", 2, "triu: takes 2 arguments, 'q=1' is one too many (there..."},
        {"call triu m.npy ''", 2, "triu: k must be an integer that an int64 can hold, got ''"},
        {"call triu m.npy k=", 2, "triu: k must be an integer..."},
        {"call triu m.npy 1.0", 2, "triu: k must be an integer..."},
        {"call triu m.npy True", 2, "triu: k must be an integer..."},
        {"call triu m.npy None", 2, "triu: k must be an integer..."},
        {"call triu m.npy 0x1", 2, "triu: k must be an integer..."},
        {"call triu m.npy -", 2, "triu: k must be an integer..."},
        {"call triu m.npy -1x", 2, "triu: k must be an integer..."},
        {"call triu m.npy 9223372036854775808", 2, "triu: k must be an integer..."},
        {"call triu m.npy -9223372036854775809", 2, "triu: k must be an integer..."},
        {"call reshape m.npy ''", 2, "reshape: shape must be integers joined by commas..."},
        {"call reshape m.npy 4,", 2, "reshape: shape must be..."},
        {"call reshape m.npy ,4", 2, "reshape: shape must be..."},
        {"call reshape m.npy 2,,2", 2, "reshape: shape must be..."},
        {"call reshape m.npy None", 2, "reshape: shape must be..."},
        {"call reshape m.npy 2,2.0", 2, "reshape: shape must be..."},
        {"call full 2 true", 2, "full: value must be True, False or a number..."},
        {"call full 2 1e999", 2, "full: value must be..."},
        {"call full 2 99999999999999999999", 2, "full: value must be..."},
        {"call full 2 0x10", 2, "full: value must be..."},
        {"call full 2 .", 2, "full: value must be..."},
        {"call full 2 1e", 2, "full: value must be..."},
        {"call full 2 -infinity", 2, "full: value must be..."},
        {"call full 2 nano", 2, "full: value must be..."},
        {"call full 2 1+2", 2, "full: value must be..."},
        {"call full 2 1+2j3", 2, "full: value must be..."},
        {"call full 2 j", 2, "full: value must be..."},
        {"call full 2 None", 2, "full: value must be..."},
        {"call full 2 1 float", 2, "full: dtype must be a dtype (bool, int8,..."},
        {"call astype m.npy None", 2, "astype: dtype must be a dtype..."},
        {"call sum m.npy 0 1", 2, "sum: keepdims must be True or False, got '1'"},
        {"call vector_norm m.npy ord=two", 2, "vector_norm: ord must be a number..."},
    };
    cli_check(cases, COUNT(cases));
}
END_TEST

START_TEST(refuses_files)
{
    const cli_case cases[] = {
        {"call triu no.npy", 2,
         "triu: x must be the path of a .npy file, got 'no.npy': No such file or directory"},
        {"call triu ''", 2, "triu: x must be the path..."},
        {"call triu None", 2, "triu: x must be the path..."},
        {"call triu -", 2, "triu: x must be the path..."},
        {"call triu .", 2, "triu: x must be the path of a .npy file, got '.': Is a directory"},
        {"call triu m.npy/m.npy", 2, "triu: x must be the path..."},
        {"call triu /dev/null", 2, "triu: x: '/dev/null': not a regular file"},
        {"call triu text.npy", 2, "triu: x: 'text.npy': not a .npy file"},
        {"call triu cut.npy", 2, "triu: x: 'cut.npy': ..."},
        {"call add m.npy no.npy", 2,
         "add: x2 must be the path of a .npy file, got 'no.npy': No such file or directory"},
        {"call add no.npy 1", 2, "add: x1 must be the path..."},
        {"call add m.npy text.npy", 2, "add: x2: 'text.npy': not a .npy file"},
        {"call add m.npy 6.npy", 2, "add: x2 must be the path..."},
        {"call concat ''", 2, "concat: xs must be paths of .npy files joined by commas..."},
        {"call concat m.npy,", 2, "concat: xs must be paths..."},
        {"call concat m.npy,no.npy", 2,
         "concat: xs must be paths of .npy files joined by commas, got 'no.npy': No such file or "
         "directory"},
        {"call concat m.npy,text.npy", 2, "concat: xs[1]: 'text.npy': not a .npy file"},
        {"call add_ no.npy 1", 2, "add_: x1 must be the path..."},
        {"call triu_out m.npy 0 no.npy", 2, "triu_out: out must be the path..."},
    };
    cli_check(cases, COUNT(cases));
}
END_TEST

START_TEST(refuses_options)
{
    const cli_case cases[] = {
        {"call triu m.npy --fast", 2, "unknown option '--fast'"},
        {"call triu m.npy -x", 2, "unknown option '-x'"},
        {"call triu m.npy -True", 2, "unknown option '-True'"},
        {"call triu m.npy -o.npy", 2, "unknown option '-o.npy'"},
        {"call triu m.npy --trace=yes", 2, "--trace takes no value"},
        {"call triu m.npy --trace --trace", 2, "--trace is given twice"},
        {"call triu m.npy --seed", 2, "--seed needs a value"},
        {"call triu m.npy --seed --trace", 2, "--seed needs a value"},
        {"call triu m.npy --seed=", 2, "--seed must be..."},
        {"call triu m.npy --seed -1", 2, "--seed must be..."},
        {"call triu m.npy --seed 1 --seed 1", 2, "--seed is given twice"},
        {"call triu m.npy --seed 18446744073709551616", 2, "--seed must be..."},
        {"call triu m.npy --threads two", 2, "--threads must be..."},
        {"call triu m.npy --threads -1", 2, "--threads must be..."},
        {"call triu m.npy --threads 65", 2, "--threads: ..."},
        {"call triu m.npy --threads 99999999999", 2, "--threads must be..."},
        {"call triu m.npy --randomness some", 2, "--randomness must be..."},
        {"call triu m.npy --randomness", 2, "--randomness needs a value"},
        {"call triu m.npy --json", 2, "unknown option '--json'"},
    };
    cli_check(cases, COUNT(cases));
    const cli_case good[] = {
        {"call triu m.npy --seed=18446744073709551615", 0, NULL},
        {"call triu --threads 0 m.npy", 0, NULL},
        {"call --threads=64 triu m.npy", 0, NULL},
        {"call triu m.npy --randomness same", 0, NULL},
    };
    cli_check(good, COUNT(good));
}
END_TEST

/* Nothing in a word can break an error line or the program. */
START_TEST(survives_odd_words)
{
    static char command[8192];
    const cli_case cases[] = {
        {"call tri\nu", 2, "unknown op 'tri?u'..."},
        {"call triu no\n.npy", 2, "triu: x must be the path of a .npy file, got 'no?.npy'..."},
        {"call triu m.npy \xff\xfe\x01%s%n", 2, "triu: k must be..."},
        {"call triu m.npy --vmap \n", 2, "--vmap '?': ..."},
        {"call triu %s%n", 2, "triu: x must be the path of a .npy file, got '%s%n'..."},
        {command, 2, "unknown op 'aaaa..."},
        {command, 2, "triu: x must be the path of a .npy file, got 'aaaa..."},
        {command, 2, "triu: k must be an integer..."},
        {command, 1, "reshape: ..."},
    };
    static const char *const before[] = {"call ", "call triu ", "call triu m.npy ",
                                         "call reshape m.npy "};
    cli_check(cases, 5);
    for (int i = 0; i < 4; i++) {
        memset(command, 'a', sizeof command - 1);
        for (int k = 0; i == 3 && k < (int)sizeof command - 1; k++)
            command[k] = k % 2 ? ',' : '1';
        memcpy(command, before[i], strlen(before[i]));
        if (i == 3) /* no comma at either end */
            command[strlen(before[i])] = command[sizeof command - 2] = '1';
        cli_check(&cases[5 + i], 1);
    }
}
END_TEST

void cli_call_tests(TCase *tests)
{
    tcase_add_test(tests, takes_arguments_in_order_and_by_name);
    tcase_add_test(tests, takes_lists);
    tcase_add_test(tests, takes_numbers);
    tcase_add_test(tests, chooses_the_overload);
    tcase_add_test(tests, leaves_files_alone);
    tcase_add_test(tests, prints_like_numpy);
    tcase_add_test(tests, tells_the_ops_failure);
    tcase_add_test(tests, refuses_arguments);
    tcase_add_test(tests, refuses_files);
    tcase_add_test(tests, refuses_options);
    tcase_add_test(tests, survives_odd_words);
}
