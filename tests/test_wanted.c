/* test_wanted.c: no op that users look for is missing: the list in data/ops_wanted.txt against what
 * the program says there is. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support.h"

/* What `transmute ops --json` prints, to be freed. */
static char *json(void)
{
    FILE *pipe = popen(TM_PROGRAM " ops --json", "r");
    ck_assert_ptr_nonnull(pipe);
    size_t room = 1 << 20, length = 0;
    char *text = malloc(room);
    for (size_t n; (n = fread(text + length, 1, room - length - 1, pipe)) > 0;) {
        length += n;
        if (length == room - 1)
            text = realloc(text, room *= 2);
    }
    text[length] = '\0';
    ck_assert_int_eq(pclose(pipe), 0);
    return text;
}

/* Whether a name stands between quotes in a "name" or an "aliases" line. */
static bool is_listed(const char *text, const char *name)
{
    char quoted[128];
    snprintf(quoted, sizeof quoted, "\"%s\"", name);
    for (const char *at = text; (at = strstr(at, quoted)); at++) {
        const char *line = at;
        while (line > text && line[-1] != '\n')
            line--;
        if (strncmp(line, "    \"name\": ", 12) == 0 || strncmp(line, "    \"aliases\": ", 15) == 0)
            return true;
    }
    return false;
}

START_TEST(no_op_is_missing)
{
    FILE *file = fopen(TM_TEST_DATA "/ops_wanted.txt", "r");
    ck_assert_ptr_nonnull(file);
    char *text = json(), line[256], gaps[4096] = "";
    int wanted = 0, missing = 0;
    while (fgets(line, sizeof line, file)) {
        if (line[0] == '#')
            continue;
        for (char *rest = line, *name; (name = strtok_r(rest, " \n", &rest));) {
            wanted++;
            if (is_listed(text, name))
                continue;
            missing++;
            snprintf(gaps + strlen(gaps), sizeof gaps - strlen(gaps), " %s", name);
        }
    }
    fclose(file);
    free(text);
    ck_assert_int_gt(wanted, 250);
    ck_assert_msg(missing == 0, "%d of %d ops are missing:%s", missing, wanted, gaps);
}
END_TEST

Suite *wanted_suite(void)
{
    const TTest *const tests[] = {no_op_is_missing};
    return test_suite("wanted", tests, COUNT(tests));
}
