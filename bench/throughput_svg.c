/* throughput_svg.c: the chart: for each row the speed of ours and of the peers, as a share of the
 * fastest on that row, the limit included, where that is known. */
#include <math.h>

#include "throughput_report.h"

enum { LEFT = 300, WIDTH = 420, BAR = 6, GAP = 8, TOP = 78 };

static const struct {
    column by;
    const char *name, *colour;
} bars[] = {{BY_OURS, "transmute", "#1f6feb"},
            {BY_FUNCTORCH, "functorch", "#e5833a"},
            {BY_NUMPY, "NumPy", "#5aa469"},
            {BY_LOOP, "a loop over BLAS, LAPACK or qsort", "#9aa0a6"}};

enum { BARS = sizeof bars / sizeof *bars };

static bool is_shown(const report *r, const result *x)
{
    return x->threads == r->results[0].threads && x->row->flags & (MAIN | CHART) && !x->wrong &&
           x->by[BY_OURS].rounds;
}

/* The least time of anyone. */
static double best_time(const result *x)
{
    double best = INFINITY;
    for (int c = 0; c <= BY_NUMPY; c++)
        if (x->by[c].rounds && x->by[c].median < best)
            best = x->by[c].median;
    return best;
}

static void draw_bar(FILE *f, int y, double share, const char *colour, double time)
{
    double width = share * WIDTH;
    fprintf(f,
            "<rect x=\"%d\" y=\"%d\" width=\"%.1f\" height=\"%d\" fill=\"%s\"/>"
            "<text x=\"%.1f\" y=\"%d\" font-size=\"8\" fill=\"#555\">%.*f ms</text>\n",
            LEFT, y, width, BAR, colour, LEFT + width + 4, y + BAR, time < 1e6 ? 2 : 1, time / 1e6);
}

/* The row's bars from `y` down; returns where they end. */
static int draw_row(FILE *f, const result *x, int y)
{
    double best = best_time(x);
    int top = y;
    for (int k = 0; k < BARS; k++) {
        const timing *t = &x->by[bars[k].by];
        if (t->rounds) {
            draw_bar(f, y, best / t->median, bars[k].colour, t->median);
            y += BAR + 1;
        }
    }
    fprintf(f, "<text x=\"%d\" y=\"%d\" text-anchor=\"end\" font-size=\"11\">%s</text>\n", LEFT - 8,
            (top + y) / 2 + 3, x->row->name);
    if (x->by[BY_LIMIT].rounds) {
        double at = LEFT + best / x->by[BY_LIMIT].median * WIDTH;
        fprintf(f,
                "<line x1=\"%.1f\" y1=\"%d\" x2=\"%.1f\" y2=\"%d\" stroke=\"#d1242f\" "
                "stroke-width=\"2\"/>\n",
                at, top - 1, at, y);
    }
    return y + GAP;
}

static int rows_height(const report *r)
{
    int height = 0;
    for (int i = 0; i < r->num_results; i++) {
        const result *x = &r->results[i];
        if (!is_shown(r, x))
            continue;
        for (int k = 0; k < BARS; k++)
            height += x->by[bars[k].by].rounds ? BAR + 1 : 0;
        height += GAP;
    }
    return height;
}

void write_svg(const report *r, FILE *f)
{
    int width = LEFT + WIDTH + 70, height = TOP + rows_height(r) + 10, x = LEFT;
    if (!r->num_results)
        return;
    fprintf(f,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" "
            "height=\"%d\" font-family=\"sans-serif\">\n"
            "<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n"
            "<text x=\"12\" y=\"22\" font-size=\"15\">Under vmap, float32, %s: speed as a share of "
            "the fastest</text>\n"
            "<text x=\"12\" y=\"40\" font-size=\"11\" fill=\"#555\">Longer is faster. The red mark "
            "is the limit: copying the same bytes, or the best hand-written loop.</text>\n",
            width, height, width, height,
            r->results[0].threads == 1 ? "one thread" : "two threads");
    for (int k = 0; k < BARS; k++) {
        fprintf(f,
                "<rect x=\"%d\" y=\"52\" width=\"10\" height=\"10\" fill=\"%s\"/>"
                "<text x=\"%d\" y=\"61\" font-size=\"11\">%s</text>\n",
                x, bars[k].colour, x + 14, bars[k].name);
        x += k == 0 || k == 1 ? 95 : 75;
    }
    int y = TOP;
    for (int i = 0; i < r->num_results; i++)
        if (is_shown(r, &r->results[i]))
            y = draw_row(f, &r->results[i], y);
    fprintf(f, "</svg>\n");
}
