/* cli_near.c: names close to one that does not exist.
 *
 * Close is a small edit distance (a swap of neighbours counts as one edit), or that one name
 * contains the other.
 */
#include <ctype.h>
#include <string.h>

#include "cli.h"

enum { LONGEST = 64, SUGGESTIONS = 3 };

static int least(int a, int b)
{
    return a < b ? a : b;
}

static bool differ(char a, char b)
{
    return tolower((unsigned char)a) != tolower((unsigned char)b);
}

/* Edits and exchanges of neighbours, case aside. */
static int distance(const char *a, const char *b)
{
    int n = (int)strlen(a), m = (int)strlen(b);
    int row[3][LONGEST + 1];
    int *before = row[0], *last = row[1], *now = row[2];
    for (int j = 0; j <= m; j++)
        last[j] = j;
    for (int i = 1; i <= n; i++) {
        now[0] = i;
        for (int j = 1; j <= m; j++) {
            now[j] =
                least(last[j - 1] + differ(a[i - 1], b[j - 1]), least(last[j], now[j - 1]) + 1);
            if (i > 1 && j > 1 && !differ(a[i - 1], b[j - 2]) && !differ(a[i - 2], b[j - 1]))
                now[j] = least(now[j], before[j - 2] + 1);
        }
        int *free_row = before;
        before = last;
        last = now;
        now = free_row;
    }
    return last[m];
}

/* How far apart, or -1 where a suggestion would not help. */
static int score(const char *wanted, const char *name)
{
    int d = distance(wanted, name), length = (int)strlen(wanted);
    int limit = length < 6 ? 1 : length < 9 ? 2 : 3;
    if (d <= limit)
        return d;
    bool inside = strstr(name, wanted) || strstr(wanted, name);
    return inside && length >= 3 && strlen(name) >= 3 ? limit + d : -1;
}

typedef struct suggestion {
    int score;
    char name[LONGEST + 1];
} suggestion;

static void consider(suggestion *best, const char *wanted, const char *name, size_t length)
{
    suggestion s;
    if (length > LONGEST)
        return;
    memcpy(s.name, name, length);
    s.name[length] = '\0';
    s.score = score(wanted, s.name);
    if (s.score < 0)
        return;
    for (int i = 0; i < SUGGESTIONS; i++)
        if (best[i].score >= 0 && strcmp(best[i].name, s.name) == 0)
            return;
    for (int i = 0; i < SUGGESTIONS; i++) {
        if (best[i].score >= 0 && best[i].score <= s.score)
            continue;
        suggestion moved = best[i];
        best[i] = s;
        s = moved;
        if (s.score < 0)
            break;
    }
}

void tm_cli_describe_unknown(const char *name, char *text, size_t size)
{
    suggestion best[SUGGESTIONS];
    for (int i = 0; i < SUGGESTIONS; i++)
        best[i].score = -1;
    if (strlen(name) <= LONGEST) {
        const tm_op *op;
        for (int64_t i = 0; (op = tm_op_at(i)); i++) {
            consider(best, name, tm_op_name(op), strlen(tm_op_name(op)));
            for (const char *at = tm_op_aliases(op); *at;) {
                size_t length = strcspn(at, ",");
                consider(best, name, at, length);
                at += length + (at[length] == ',');
            }
        }
    }
    char near[SUGGESTIONS * (LONGEST + 8)] = "";
    size_t used = 0;
    for (int i = 0; i < SUGGESTIONS && best[i].score >= 0; i++)
        used +=
            (size_t)snprintf(near + used, sizeof near - used, "%s%s", i ? ", " : "", best[i].name);
    if (used)
        snprintf(text, size, "unknown op '%.200s'; did you mean %s?", name, near);
    else
        snprintf(text, size, "unknown op '%.200s'; `transmute ops` lists them", name);
}

int tm_cli_unknown_op(const char *name)
{
    char text[512];
    tm_cli_describe_unknown(name, text, sizeof text);
    return tm_cli_wrong("%s", text);
}
