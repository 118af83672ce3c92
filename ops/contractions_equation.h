/* contractions_equation.h: the equations of einsum.
 *
 *     equation = term { "," term } [ "->" term ]
 *     term     = { letter } [ "..." ] { letter }        spaces are skipped
 *
 * Each dimension of a tensor has a label: a letter, or its place in the ellipsis counted from the
 * last, so that equal labels are dimensions that broadcast.
 */
#ifndef TM_OPS_CONTRACTIONS_EQUATION_H
#define TM_OPS_CONTRACTIONS_EQUATION_H

#include <transmute/kernel.h>

enum {
    TM_EINSUM_LETTERS = 52, /**< A to Z, then a to z: the order of the alphabet in an output */
    TM_EINSUM_LABELS = TM_EINSUM_LETTERS + TM_MAX_NDIM
};

/** The labels of a tensor's dimensions. */
typedef struct tm_labels {
    int count;
    uint8_t label[TM_EINSUM_LABELS];
} tm_labels;

typedef struct tm_equation {
    int64_t size[TM_EINSUM_LABELS]; /**< of each label; -1: no term has it */
    int64_t left[TM_EINSUM_LABELS]; /**< how many terms have it, with the output */
    tm_labels out;
    tm_dtype dtype; /**< that the tensors' dtypes promote to */
} tm_equation;

/** Reads the equation for these tensors, with all checks. */
tm_status tm_equation_read(tm_call *call, const char *text, tm_tensor_list xs, tm_equation *e);
/** The labels of the term at `at`, for a tensor of `ndim` dimensions; returns where the next term
 *  begins. The term must have passed the checks. */
const char *tm_equation_term(const char *at, int ndim, tm_labels *labels);
/** Takes a term out of the count: `left` is then what later terms and the output have. */
void tm_equation_pass(tm_equation *e, const tm_labels *term);
/** Whether the label is one of them. */
bool tm_labels_have(const tm_labels *labels, uint8_t label);

#endif
