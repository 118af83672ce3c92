/* test_cli_run.c: `transmute run`: the language, and what it says of texts that are no program. */
#include <stdlib.h>
#include <string.h>

#include <transmute/io.h>

#include "cli_support.h"

/* A program and what it prints (code 0), or the first line of standard error behind "error: " and
 * the program's name ("3:5: ..."), with the column the caret must stand at. */
typedef struct program_case {
    const char *text;
    int code;
    const char *says;
} program_case;

static void run_program(const char *text, const char *words)
{
    char command[256];
    cli_write("p.tm", text, strlen(text));
    snprintf(command, sizeof command, "run p.tm%s", words);
    cli_exec(command);
}

/* The caret stands below the column that the message names. */
static void check_caret(const char *err, int column)
{
    const char *shown = strchr(err, '\n') + 1, *caret = strchr(shown, '\n') + 1;
    ck_assert_msg(strncmp(shown, "  ", 2) == 0 && strncmp(caret, "  ", 2) == 0, "%s", err);
    ck_assert_msg((int)strspn(caret + 2, " ") == column - 1 && caret[column + 1] == '^', "%s", err);
}

static void check_programs(const program_case *cases, int count)
{
    for (int i = 0; i < count; i++) {
        const program_case *c = &cases[i];
        cli_write("p.tm", c->text, strlen(c->text));
        const cli_run *run = cli_exec("run p.tm");
        ck_assert_msg(run->code == c->code, "exit %d\n%s\n%s%s", run->code, c->text, run->out,
                      run->err);
        if (c->code == 0) {
            ck_assert_msg(strcmp(run->out, c->says) == 0, "%s\nprints\n%s", c->text, run->out);
            ck_assert_str_eq(run->err, "");
            continue;
        }
        const char *begin = "error: p.tm:", *says = run->err + strlen(begin);
        ck_assert_msg(strncmp(run->err, begin, strlen(begin)) == 0 &&
                          strncmp(says, c->says, strlen(c->says)) == 0,
                      "%s\nsays\n%s\nnot %s", c->text, run->err, c->says);
        check_caret(run->err, (int)strtol(strchr(says, ':') + 1, NULL, 10));
    }
}

START_TEST(calls)
{
    const program_case cases[] = {
        {"", 0, ""},
        {"# nothing\n\n   # but words", 0, ""},
        {"x = load(\"m.npy\")\nprint(x)", 0, "[[0. 1.]\n [2. 3.]]\n"},
        {"x = load('m.npy')\r\ny = triu(x, 1)\r\nprint(y)\r\n", 0, "[[0. 1.]\n [0. 0.]]\n"},
        {"x = load('m.npy')\ny = triu(k=1, x=x)\nprint(y)\n", 0, "[[0. 1.]\n [0. 0.]]\n"},
        {"x = load('m.npy')\nx = neg(x) # again\nprint(x)", 0, "[[-0. -1.]\n [-2. -3.]]\n"},
        /* Overloads: the first that fits, or the one that is written. */
        {"x = load('v2.npy')\ny = add(x, 2)\nprint(y)", 0, "[2. 3.]\n"},
        {"x = load('v2.npy')\ny = add.scalar(x, 2)\nprint(y)", 0, "[2. 3.]\n"},
        {"x = load('v2.npy')\ny = multiply(x, x)\nprint(y)", 0, "[0. 1.]\n"},
        /* In place, and into an argument. */
        {"x = load('v2.npy')\nadd_(x, 2)\nprint(x)", 0, "[2. 3.]\n"},
        {"x = load('v2.npy')\ny = add_(x, 2)\nmul_(y, 2)\nprint(x)", 0, "[4. 6.]\n"},
        {"x = load('v2.npy')\no = zeros((2,), float32)\nneg_out(x, o)\nprint(o)", 0, "[-0. -1.]\n"},
        /* Several results. */
        {"x = load('v2.npy')\nv, i = sort_with_indices(x, descending=True)\nprint(v)\nprint(i)", 0,
         "[1. 0.]\n[1 0]\n"},
        {"x = load('v2.npy')\n_, i = sort_with_indices(x, -1)\nprint(i)", 0, "[0 1]\n"},
        {"x = load('v2.npy')\nsort_with_indices(x)", 0, ""},
        {"x = load('v3.npy')\np = split(x, 2)\nprint(p)\ny = neg(p[1])\nprint(y)", 0,
         "[0. 1.]\n[2.]\n[-2.]\n"},
        {"x = load('v2.npy')\na, b = unbind(x)\nprint(b)", 0, "1.0\n"},
        {"x = load('v2.npy')\na, = split(x, 2)\nprint(a)", 0, "[0. 1.]\n"},
        {"x = load('v2.npy')\np = unbind(x)\ny = stack(p)\nprint(y)", 0, "[0. 1.]\n"},
        {"x = load('v2.npy')\np = unbind(x)\ny = stack([p[1], p[1]])\nprint(y)", 0, "[1. 1.]\n"},
        /* Numbers that an op returns. */
        {"x = load('f1.npy')\nn = item(x)\nprint(n)\ny = full((2,), n, float64)\nprint(y)", 0,
         "0.10000000149011612\n[0.1 0.1]\n"},
        {"x = load('i1.npy')\ny = reshape(x, ())\nn = item(y)\nz = arange(0, n)\nprint(z)", 0,
         "[0 1 2 3 4 5 6]\n"},
    };
    check_programs(cases, COUNT(cases));
}
END_TEST

START_TEST(values)
{
    const program_case cases[] = {
        {"x = full((), inf, float32)\nprint(x)", 0, "inf\n"},
        {"x = full((), -inf, float32)\nprint(x)", 0, "-inf\n"},
        {"x = full((1,), nan, float64)\nprint(x)", 0, "[nan]\n"},
        {"x = full((), 1+2j, complex64)\nprint(x)", 0, "(1+2j)\n"},
        {"x = full((), nan-infj, complex64)\nprint(x)", 0, "(nan-infj)\n"},
        {"x = full((), -1.5e-3, float64)\nprint(x)", 0, "-0.0015\n"},
        {"x = full((), True, bool)\nprint(x)", 0, "True\n"},
        {"x = full((), +3, int64)\nprint(x)", 0, "3\n"},
        {"x = full((), .5, float64)\nprint(x)", 0, "0.5\n"},
        {"x = zeros([2, 1,], int8)\nprint(x)", 0, "[[0]\n [0]]\n"},
        {"x = load('m.npy')\ny = sum(x, None)\nprint(y)\nz = sum(x, (0,))\nprint(z)\n"
         "w = sum(x, 1)\nprint(w)",
         0, "6.0\n[2. 4.]\n[1. 5.]\n"},
        {"x = load('v2.npy')\ny = concat([x, x])\nprint(y)", 0, "[0. 1. 0. 1.]\n"},
        {"x = arange(0, 2)\ny = clip(x, min=None, max=0)\nprint(y)", 0, "[0 0]\n"},
        {"x = load(\"\\x76\\x32.npy\")\nprint(x)", 0, "[0. 1.]\n"},
        {"print(3)\nprint(2.0)\nprint(1j)", 0, "3\n2.0\n1j\n"},
        /* A generator is made where it stands; the default one is at seed 0. */
        {"a = rand((1,), float64, generator=gen(7, 1))\nb = rand((1,), float64, gen(7, 1))\n"
         "c = eq(a, b)\nprint(c)",
         0, "[ True]\n"},
        {"seed(7, 1)\na = rand((1,), float64)\nb = rand((1,), float64, gen(7, 1))\n"
         "c = eq(a, b)\nprint(c)",
         0, "[ True]\n"},
        {"seed(7)\na = rand((1,), float64)\nb = rand((1,), float64, gen(7))\n"
         "c = eq(a, b)\nprint(c)",
         0, "[ True]\n"},
        {"rng_at(5, ())\na = rand((1,), float64)\nb = rand((1,), float64, gen(0, 5))\n"
         "c = eq(a, b)\nprint(c)",
         0, "[ True]\n"},
        {"x = arange(0, 6)\ny = strided_view(x, (2, 2), (1, -1), offset=3)\nprint(y)", 0,
         "[[3 2]\n [4 3]]\n"},
    };
    check_programs(cases, COUNT(cases));
}
END_TEST

START_TEST(blocks)
{
    const program_case cases[] = {
        {"x = load('m23.npy')\nvmap\n  r = in(x, 1)\n  s = sum(r)\n  y = out(s, 0)\nend\nprint(y)",
         0, "[3. 5. 7.]\n"},
        {"x = load('m23.npy')\nvmap size=3\nr = in(x, dim=-1)\nt = neg(r)\ny = out(t, -1)\nend\n"
         "print(y)",
         0, "[[-0. -1. -2.]\n [-3. -4. -5.]]\n"},
        {"x = load('m23.npy')\nvmap\na = in(x)\nvmap\nb = in(a)\ni = vmap_index()\n"
         "j = vmap_index(1)\nk = mul(j, 10)\nl = add(i, k)\nm = out(l)\nend\nn = out(m)\nend\n"
         "print(n)",
         0, "[[ 0  1  2]\n [10 11 12]]\n"},
        {"x = load('v2.npy')\nvmap size=2\ny = in(x, None)\nz = out(y, None)\nw = out(y)\nend\n"
         "print(z)\nprint(w)",
         0, "[0. 1.]\n[[0. 1.]\n [0. 1.]]\n"},
        {"vmap size=2 randomness=same\na = rand((), float64)\nb = out(a)\nend\n"
         "c, d = unbind(b)\ne = eq(c, d)\nprint(e)",
         0, "True\n"},
        {"vmap size=2 randomness=different\na = rand((), float64)\nb = out(a)\nend\n"
         "c, d = unbind(b)\ne = eq(c, d)\nprint(e)",
         0, "False\n"},
        /* A mapped tensor shows what an example sees. */
        {"vmap size=0\na = zeros((2,), float32)\nb = out(a, 1)\nend\nprint(b)", 0, "[]\n"},
    };
    check_programs(cases, COUNT(cases));
}
END_TEST

START_TEST(no_programs)
{
    const program_case cases[] = {
        {"x = $", 2, "1:5: this character begins nothing"},
        {"print(\"\xc3\xa9\", $)", 2, "1:12: this character begins nothing"},
        {"x = load(\"m.npy", 2, "1:10: the text has no closing quote on its line"},
        {"x = load(\"m\\.npy\")", 2, "1:12: a backslash stands before"},
        {"x = load(\"m\\x00\")", 2, "1:12: a backslash stands before"},
        {"x = load('m.npy'", 2, "1:17: expected ',' or ')', got the end of the program"},
        {"x = load('m.npy'\n)", 2, "1:17: expected ',' or ')', got the end of the line"},
        {"x = load('m.npy') y", 2, "1:19: expected the end of the line, got 'y'"},
        {"x = 3", 2, "1:5: expected a call, got '3'"},
        {"3", 2, "1:1: expected a name, got '3'"},
        {"x", 2, "1:2: expected '=' or '(', got the end of the program"},
        {"x, 3 = f()", 2, "1:4: expected a name, got '3'"},
        {"\n\n  x = exq(1)", 2, "3:7: unknown op 'exq'; did you mean"},
        {"x = zeros((2), float32)\ny = exp.fast(x)", 2, "2:5: exp has no overload 'fast'"},
        {"x = load.fast('m.npy')", 2, "1:5: load has no overloads"},
        {"y = exp(x)", 2, "1:9: 'x' has not been set"},
        {"x = exp(x)", 2, "1:9: 'x' has not been set"},
        {"x = zeros((2), float32)\ny = exp(exp(x))", 2, "2:9: a call stands on a line of its own"},
        {"None = zeros((2), float32)", 2, "1:1: 'None' cannot be set"},
        {"float32 = zeros((2), float32)", 2, "1:1: 'float32' cannot be set"},
        {"x, end = zeros((2), float32)", 2, "1:4: 'end' cannot be set"},
        {"x = zeros([[[[[[[[[2]]]]]]]]], float32)", 2, "1:19: no list is so deep"},
        {"x = unbind(1)\ny = exp(x[-1])", 2, "2:11: expected an integer of at least 0"},
        {"x = rand((), float32, gen(a))", 2, "1:27: expected a seed, got 'a'"},
        {"end", 2, "1:1: there is no vmap to end"},
        {"vmap size=2\n vmap size=2\n end", 2, "1:1: this vmap has no end"},
        {"vmap 2\nend", 2, "1:6: expected size=... or randomness=..., got '2'"},
        {"vmap size\nend", 2, "1:10: expected '=', got the end of the line"},
        {"vmap size=\nend", 2, "1:11: expected a value, got the end of the line"},
        {"x = load('m.npy')\ny = in(x, 0)", 2, "2:5: in stands in no vmap block"},
        {"x = input('x')", 2, "1:11: the input is missing: --input x=FILE.npy"},
    };
    check_programs(cases, COUNT(cases));
    /* Nothing runs before all of it is read. */
    run_program("x = load('m.npy')\nprint(x)\nsave('s.npy', x)\ny = exq(x)", "");
    const cli_case none[] = {{"run p.tm", 2, "p.tm:4:5: unknown op 'exq'..."}};
    cli_check(none, COUNT(none));
    /* Bytes that are no text. */
    cli_write("p.tm", "x = \0", 5);
    const cli_case zero[] = {{"run p.tm", 2, "p.tm:1:5: this character begins nothing"}};
    cli_check(zero, COUNT(zero));
    static const char inside[] = "x = load(\"\0 and then more than the zero byte let expect\")";
    cli_write("p.tm", inside, sizeof inside - 1);
    const cli_case zero_in_text[] = {
        {"run p.tm", 2, "p.tm:1:10: the text has no closing quote on its line"}};
    cli_check(zero_in_text, COUNT(zero_in_text));
}
END_TEST

START_TEST(failures)
{
    const program_case cases[] = {
        {"x = load('v2.npy')\n\n y = triu(x)", 1, "3:6: triu: x must have at least 2 dimensions"},
        {"x = load('no.npy')", 1, "1:5: load: 'no.npy': No such file or directory"},
        {"x = load('v2.npy')\nsave('no/x.npy', x)", 1, "2:1: save: 'no/x.npy':"},
        {"x = load('v2.npy')\ny = exp(x, 1)", 2, "2:12: exp: takes 1 argument"},
        {"x = load('v2.npy')\ny = exp(z=x)", 2, "2:9: exp: there is no parameter 'z'"},
        {"x = load('v2.npy')\ny = exp(x, x=x)", 2, "2:12: exp: x is given twice"},
        {"y = exp()", 2, "1:5: exp: x is missing"},
        {"y = exp(2)", 2, "1:9: exp: x must be a tensor, got 2"},
        {"y = exp([2])", 2, "1:9: exp: x must be a tensor, got a list"},
        {"y = concat([2])", 2, "1:13: concat: xs must be a list of tensors, got 2"},
        {"y = load(2)", 2, "1:10: load: path must be a text in quotes, got 2"},
        {"x = load('m.npy')\ny = triu(x, k=1.5)", 2, "2:15: triu: k must be an integer"},
        {"x = load('m.npy')\ny = triu(x, k=99999999999999999999)", 2, "2:15: triu: k must be an"},
        {"x = load('m.npy')\ny = triu(x, 'a')", 2,
         "2:13: triu: k must be an integer that an int64 "
         "can hold, got a text"},
        {"x = load('m.npy')\ny = triu(x, x)", 2,
         "2:13: triu: k must be an integer that an int64 "
         "can hold, got a tensor"},
        {"x = load('v2.npy')\na, b = exp(x)", 2, "2:1: exp gives 1 result here, not 2"},
        {"x = load('v2.npy')\na, b, c = unbind(x)", 2, "2:1: unbind gives 2 results here, not 3"},
        {"x = load('v2.npy')\na, = unbind(x)", 2, "2:1: unbind gives 2 results here, not 1"},
        {"x = load('v2.npy')\ny = print(x)", 2, "2:1: print gives nothing that a name"},
        {"x = load('v2.npy')\na, b = load('v2.npy')", 2, "2:1: load gives 1 result here, not 2"},
        {"x = load('v2.npy')\np = unbind(x)\ny = exp(p)", 2,
         "3:9: exp: x must be a tensor, got a list of tensors"},
        {"x = load('v2.npy')\np = unbind(x)\ny = exp(p[2])", 2,
         "3:9: exp: 'p' has 2 tensors, there is none at 2"},
        {"x = load('v2.npy')\ny = exp(x[0])", 2, "2:9: exp: 'x' is no list of tensors"},
        {"vmap size=-1\nend", 1, "1:1: vmap: size must not be negative"},
        {"vmap size=2 randomness=some\nend", 2, "1:24: randomness must be error, different or"},
        {"vmap sizes=2\nend", 2, "1:6: vmap: there is no parameter 'sizes'"},
        {"vmap\ni = vmap_index(2)\nend", 2, "2:16: level must be in 1..1, got 2"},
        {"x = load('m.npy')\nvmap\na = in(x, 0)\nend\ny = exp(a)", 2,
         "5:9: exp: 'a' belongs to a vmap block that has ended"},
        {"x = load('m.npy')\nvmap\na = in(x, 7)\nend", 1, "3:5: in: in_dim 7 is out of range"},
        {"x = load('m.npy')\nvmap\na = in(x, 0)\nvmap\nb = in(a, 0)\nc = triu(b)\nend\nend", 1,
         "6:5: triu: x must have at least 2 dimensions"},
        {"x = load('v2.npy')\ny = strided_view(x, (2,), ())", 2, "2:27: strides must be as many"},
        {"rng_at(1, (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))", 1, "1:1: rng_at: num_"},
    };
    check_programs(cases, COUNT(cases));
    /* What an op says beside its message stands below. */
    run_program("x = load('m.npy')\nvmap\na = in(x, 0)\nb = triu(a)\nend", "");
    ck_assert_ptr_nonnull(strstr(cli_exec("run p.tm")->err, "\n  level 1 of size 2: every"));
}
END_TEST

START_TEST(words)
{
    const char *program = "x = input('x')\ny = neg(x)\nsave('y.npy', y)\n";
    cli_write("p.tm", program, strlen(program));
    const cli_case cases[] = {
        {"run", 2, "run: which program?"},
        {"run no.tm", 2, "run: 'no.tm': No such file or directory"},
        {"run 6", 2, "run: '6': Is a directory"},
        {"run p.tm p.tm", 2, "run: takes one FILE, 'p.tm' is one too many"},
        {"run p.tm", 2, "p.tm:1:11: the input is missing: --input x=FILE.npy"},
        {"run p.tm --input x", 2, "--input must be NAME=FILE.npy, got 'x'"},
        {"run p.tm --input =x", 2, "--input must be NAME=FILE.npy, got '=x'"},
        {"run p.tm --input x=", 2, "--input must be NAME=FILE.npy, got 'x='"},
        {"run p.tm --input x=a --input x=b", 2, "--input x is given twice"},
        {"run p.tm --input x=v2.npy --input y=v2.npy", 2,
         "--input y: the program has no input(\"y\")"},
        {"run p.tm --input x=no.npy", 1, "p.tm:1:5: input: 'no.npy': No such file or directory"},
        {"run p.tm --threads many", 2, "--threads must be a number of threads..."},
        {"run p.tm --load no.so", 2, "--load: ..."},
    };
    cli_check(cases, COUNT(cases));
    const cli_case good[] = {{"run p.tm --input x=v2.npy --threads 2", 0, ""}};
    cli_check(good, COUNT(good));
    tm_tensor *y = tm_npy_load(cli_path("y.npy"));
    ck_assert_ptr_nonnull(y);
    ck_assert_mem_eq(tm_data(y), ((const float[]){-0.0f, -1}), 8);
    tm_release(y);
}
END_TEST

void cli_run_tests(TCase *tests)
{
    tcase_add_test(tests, calls);
    tcase_add_test(tests, values);
    tcase_add_test(tests, blocks);
    tcase_add_test(tests, no_programs);
    tcase_add_test(tests, failures);
    tcase_add_test(tests, words);
}
