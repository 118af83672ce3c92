/* test_reference.c: ops against values that other libraries computed.
 *
 * Each line of data/reference/FAMILY.txt is a call and its expected results in the language of
 * samples (tests/reference/reference.py has the format). Every line is a test of its own.
 */
#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "law/elements.h"
#include "law/sample.h"
#include "support.h"

#ifdef TM_HAVE_LAPACK
static const bool has_lapack = true;
#else
static const bool has_lapack = false;
#endif

enum { MAX_FILES = 128 };

static char *files[MAX_FILES];
static int num_files;

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void list_files(void)
{
    DIR *directory = opendir(TM_TEST_DATA "/reference");
    for (struct dirent *entry; directory && (entry = readdir(directory));) {
        size_t length = strlen(entry->d_name);
        if (length < 5 || strcmp(entry->d_name + length - 4, ".txt") != 0)
            continue;
        if (num_files == MAX_FILES) /* suites are made outside tests: there is no ck_assert here */
            abort();
        files[num_files++] = strdup(entry->d_name);
    }
    if (directory)
        closedir(directory);
    qsort(files, (size_t)num_files, sizeof *files, by_name);
}

static tm_tensor *literal(const tm_law_tensor *t, const char *line)
{
    ck_assert_msg(t->literal || t->numel == 0, "a tensor without values: %s", line);
    return MADE(tm_from_data(t->dtype, t->ndim, t->shape, t->literal));
}

static void set_args(const tm_law_sample *sample, const tm_tensor **handles, tm_value *args,
                     const char *line)
{
    for (int i = 0; i < sample->num_tensors; i++)
        handles[i] = literal(&sample->tensors[i], line);
    for (int p = 0; p < sample->num_args; p++) {
        const tm_law_arg *arg = &sample->args[p];
        args[p] = arg->value;
        if (tm_op_param(sample->op, p)->type == TM_TYPE_TENSOR_LIST)
            args[p].tensors = (tm_tensor_list){handles + arg->first, arg->count};
        else if (arg->count == 1)
            args[p].tensor = handles[arg->first];
    }
}

static void judge_tensor(const tm_law_tensor *want, const tm_tensor *got, const tm_sample *source)
{
    char stated[200], came[200];
    tm_format_shape(stated, sizeof stated, want->ndim, want->shape);
    tm_format_shape(came, sizeof came, tm_ndim(got), tm_shape(got));
    ck_assert_msg(tm_dtype_of(got) == want->dtype && strcmp(stated, came) == 0,
                  "%s(%s)\n  is %s %s, not %s %s", source->op, source->args,
                  tm_dtype_name(tm_dtype_of(got)), came, tm_dtype_name(want->dtype), stated);
    tm_tensor *row_major = MADE(tm_new(want->dtype, want->ndim, want->shape));
    MADE(tm_copy_(row_major, got));
    const char *data = tm_data(row_major);
    int64_t at = tm_law_first_difference(want->dtype, want->numel, data, want->literal,
                                         source->rtol, source->atol);
    if (at < 0)
        return;
    size_t item = tm_dtype_size(want->dtype);
    tm_law_element_text(want->dtype, want->literal + (size_t)at * item, stated, sizeof stated);
    tm_law_element_text(want->dtype, data + (size_t)at * item, came, sizeof came);
    ck_abort_msg("%s(%s)\n  element %lld is %s, not %s", source->op, source->args, (long long)at,
                 came, stated);
}

static void judge_list(const tm_law_sample *sample, tm_tensor_list got, const tm_sample *source)
{
    ck_assert_msg(got.count == sample->num_expected, "%s(%s) has %lld tensors, not %d", source->op,
                  source->args, (long long)got.count, sample->num_expected);
    for (int i = 0; i < sample->num_expected; i++)
        judge_tensor(&sample->expected[i], got.data[i], source);
}

static void judge_outputs(const tm_law_sample *sample, const tm_value *results,
                          const tm_sample *source)
{
    for (int i = 0; i < tm_op_num_outputs(sample->op); i++) {
        if (tm_op_output_type(sample->op, i) == TM_TYPE_TENSOR) {
            judge_tensor(&sample->expected[i], results[i].tensor, source);
            continue;
        }
        double want = tm_scalar_as_float(sample->expected_scalar[i]);
        double got = tm_scalar_as_float(results[i].scalar);
        ck_assert_msg(
            tm_law_equal(TM_FLOAT64, (char *)&got, (char *)&want, source->rtol, source->atol),
            "%s(%s) is %.17g, not %.17g", source->op, source->args, got, want);
    }
}

static void judge_line(char *line)
{
    char *field[5], *rest = line;
    for (int i = 0; i < 5; i++) {
        field[i] = strsep(&rest, "\t");
        ck_assert_msg(field[i], "a line of %d fields: %s", i, line);
    }
    tm_sample source = {field[0], field[1], field[2], NULL, atof(field[3]), atof(field[4])};
    char name[128], error[512] = "";
    snprintf(name, sizeof name, "%s", source.op);
    char *dot = strchr(name, '.');
    if (dot)
        *dot++ = '\0';
    const tm_op *op = tm_op_find(name, dot ? dot : "");
    ck_assert_msg(op, "there is no op %s", source.op);
    tm_law_arena arena = {0};
    tm_law_sample sample;
    ck_assert_msg(tm_law_parse(&arena, op, &source, &sample, error, sizeof error), "%s(%s): %s",
                  source.op, source.args, error);
    const tm_tensor **handles = calloc((size_t)sample.num_tensors + 1, sizeof *handles);
    tm_value args[TM_MAX_ARGS], results[TM_MAX_OUTPUTS];
    set_args(&sample, handles, args, line);
    tm_status status = tm_op_call(op, args, sample.num_args, results, tm_op_num_outputs(op));
    bool lacking = status == TM_ERR_NO_KERNEL && !has_lapack; /* test_linalg.c has these */
    ck_assert_msg(status == TM_OK || lacking, "%s(%s): %s", source.op, source.args,
                  tm_error_message());
    if (lacking)
        tm_error_clear();
    else if (tm_op_output_type(op, 0) == TM_TYPE_TENSOR_LIST)
        judge_list(&sample, results[0].tensors, &source);
    else
        judge_outputs(&sample, results, &source);
    free(handles);
    tm_law_free_all(&arena);
}

/* One file a test. */
START_TEST(values_are_the_other_library_s)
{
    char path[512];
    snprintf(path, sizeof path, TM_TEST_DATA "/reference/%s", files[_i]);
    FILE *file = fopen(path, "r");
    ck_assert_msg(file, "%s cannot be read", path);
    char *line = NULL;
    size_t room = 0;
    int cases = 0;
    for (ssize_t n; (n = getline(&line, &room, file)) > 0;) {
        line[strcspn(line, "\n")] = '\0';
        if (!*line || *line == '#')
            continue;
        tm_scope *scope = tm_scope_push();
        judge_line(line);
        tm_scope_pop(scope);
        cases++;
    }
    ck_assert_msg(cases > 0, "%s has no case", path);
    free(line);
    fclose(file);
}
END_TEST

Suite *reference_suite(void)
{
    list_files();
    const TTest *const each[] = {values_are_the_other_library_s};
    Suite *suite = test_suite("reference", NULL, 0);
    test_suite_loop(suite, each, COUNT(each), num_files);
    return suite;
}
