/* signature.c: gufunc signatures: the parser, and the checks that follow from one.
 *
 *     signature = operands "->" operands
 *     operands  = operand { "," operand }
 *     operand   = "(" [ dim { "," dim } ] ")"
 *     dim       = ( name | number ) [ "?" ]
 */
#include "signature.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "call.h"

typedef struct parser {
    const char *start, *at;
    tm_signature *signature;
    tm_schema_error *error;
} parser;

static bool fail(parser *p, const char *message)
{
    p->error->column = (int)(p->at - p->start) + 1;
    snprintf(p->error->message, sizeof p->error->message, "%s", message);
    return false;
}

static void skip_space(parser *p)
{
    while (*p->at == ' ')
        p->at++;
}

static bool accept(parser *p, char c)
{
    skip_space(p);
    if (*p->at != c)
        return false;
    p->at++;
    return true;
}

static bool parse_dim(parser *p, uint8_t *dim)
{
    tm_signature *s = p->signature;
    skip_space(p);
    const char *from = p->at;
    while (isalnum((unsigned char)*p->at) || *p->at == '_')
        p->at++;
    size_t length = (size_t)(p->at - from);
    if (length == 0 || length >= sizeof s->names[0]) {
        p->at = from;
        return fail(p, "expected a core dimension: a name of at most 15 characters, or a size");
    }
    bool optional = accept(p, '?');
    for (int i = 0; i < s->num_dims; i++)
        if (strlen(s->names[i]) == length && strncmp(s->names[i], from, length) == 0) {
            if (s->optional[i] != optional) {
                p->at = from;
                return fail(p, "a core dimension is optional (?) everywhere or nowhere");
            }
            *dim = (uint8_t)i;
            return true;
        }
    if (s->num_dims == TM_SIGNATURE_DIMS) {
        p->at = from;
        return fail(p, "too many core dimensions");
    }
    *dim = (uint8_t)s->num_dims++;
    memcpy(s->names[*dim], from, length);
    s->names[*dim][length] = '\0';
    s->optional[*dim] = optional;
    if (isdigit((unsigned char)*from)) {
        char *end;
        s->fixed[*dim] = strtoll(s->names[*dim], &end, 10);
        if (*end || s->fixed[*dim] <= 0) {
            p->at = from;
            return fail(p, "a fixed size must be a positive number");
        }
        s->has_fixed = true;
    }
    return true;
}

static bool parse_operands(parser *p, int *count)
{
    tm_signature *s = p->signature;
    do {
        int operand = s->num_inputs + s->num_outputs;
        skip_space(p);
        if (operand == TM_SIGNATURE_OPERANDS)
            return fail(p, "too many operands");
        if (!accept(p, '('))
            return fail(p, "expected '('");
        tm_signature_operand *o = &s->operands[operand];
        if (!accept(p, ')')) {
            do {
                if (o->num_dims == TM_SIGNATURE_CORE)
                    return fail(p, "too many core dimensions in one operand");
                skip_space(p);
                o->columns[o->num_dims] = (int)(p->at - p->start) + 1;
                int known = s->num_dims;
                if (!parse_dim(p, &o->dims[o->num_dims]))
                    return false;
                if (s->num_dims > known)
                    o->new_dims |= (uint8_t)(1u << o->num_dims);
                o->num_dims++;
            } while (accept(p, ','));
            if (!accept(p, ')'))
                return fail(p, "expected ',' or ')'");
        }
        (*count)++;
    } while (accept(p, ','));
    return true;
}

bool tm_signature_parse(const char *text, tm_signature *signature, tm_schema_error *error)
{
    memset(signature, 0, sizeof *signature);
    memset(error, 0, sizeof *error);
    parser p = {text, text, signature, error};
    if (!parse_operands(&p, &signature->num_inputs))
        return false;
    skip_space(&p);
    if (strncmp(p.at, "->", 2) != 0)
        return fail(&p, "expected '->'");
    p.at += 2;
    if (!parse_operands(&p, &signature->num_outputs))
        return false;
    skip_space(&p);
    if (*p.at)
        return fail(&p, "expected the end");
    for (int i = signature->num_inputs; i < signature->num_inputs + signature->num_outputs; i++)
        for (int k = 0; k < signature->operands[i].num_dims; k++) {
            int dim = signature->operands[i].dims[k];
            bool found = signature->fixed[dim] > 0;
            for (int j = 0; j < signature->num_inputs; j++)
                for (int m = 0; m < signature->operands[j].num_dims; m++)
                    found = found || signature->operands[j].dims[m] == dim;
            p.at = text + signature->operands[i].columns[k] - 1;
            if (!found)
                return fail(&p, "an output's core dimension must be an input's or a number");
        }
    return true;
}

/* The i-th tensor input of the call. Inputs are the first operands; outputs that are arguments come
 * after them. */
static const tm_tensor *input(const tm_call *call, int i)
{
    return call->args[call->op->operands[i].arg].tensor;
}

static const char *input_name(const tm_call *call, int i)
{
    return call->op->schema.params[call->op->operands[i].arg].name;
}

/* Which optional dimensions are absent: those of operands that have too few dimensions. */
static tm_status find_absent(tm_call *call, const tm_signature *s, uint32_t *absent)
{
    *absent = 0;
    for (int i = 0; i < s->num_inputs; i++) {
        const tm_tensor *x = input(call, i);
        const tm_signature_operand *o = &s->operands[i];
        int needed = o->num_dims;
        for (int k = 0; k < o->num_dims && x->ndim < needed; k++)
            if (s->optional[o->dims[k]]) {
                *absent |= 1u << o->dims[k];
                needed--;
            }
        const char *name = input_name(call, i);
        if (x->ndim < needed)
            return tm_fail_arg(call, TM_ERR_RANK, name,
                               "%s must have at least %d dimension%s for the signature %s, got "
                               "shape %s",
                               name, needed, needed == 1 ? "" : "s", call->op->def.signature,
                               tm_shape_text(call, x));
    }
    return TM_OK;
}

static int present_dims(const tm_signature_operand *o, uint32_t absent)
{
    int n = 0;
    for (int k = 0; k < o->num_dims; k++)
        n += !(absent >> o->dims[k] & 1);
    return n;
}

/* The common case: core dimensions alone, all of them, of the right sizes. False where there is
 * more to say. */
static bool is_exact(const tm_call *call, const tm_signature *s, int64_t *size, tm_dtype *dtype)
{
    if (s->has_fixed)
        return false;
    for (int i = 0; i < s->num_inputs; i++) {
        const tm_tensor *x = input(call, i);
        const tm_signature_operand *o = &s->operands[i];
        if (x->ndim != o->num_dims)
            return false;
        for (int k = 0; k < o->num_dims; k++) {
            if (o->new_dims >> k & 1)
                size[o->dims[k]] = x->shape[k];
            else if (size[o->dims[k]] != x->shape[k])
                return false;
        }
        if (i == 0)
            *dtype = (tm_dtype)x->dtype;
        else if ((tm_dtype)x->dtype != *dtype)
            *dtype = tm_promote(*dtype, (tm_dtype)x->dtype);
    }
    return true;
}

/* Describes the outputs: loop dimensions, then core dimensions. */
static inline tm_status describe(tm_call *call, const tm_signature *s, tm_dtype dtype,
                                 int loop_ndim, const int64_t *loop_shape, const int64_t *size,
                                 uint32_t absent)
{
    for (int i = 0; i < s->num_outputs; i++) {
        const tm_signature_operand *o = &s->operands[s->num_inputs + i];
        int64_t shape[TM_MAX_NDIM + TM_SIGNATURE_CORE];
        int ndim = 0;
        for (; ndim < loop_ndim; ndim++)
            shape[ndim] = loop_shape[ndim];
        for (int k = 0; k < o->num_dims; k++)
            if (!(absent >> o->dims[k] & 1))
                shape[ndim++] = size[o->dims[k]];
        tm_status status = tm_output(call, i, dtype, ndim, shape);
        if (status != TM_OK)
            return status;
    }
    return TM_OK;
}

TM_OUT_OF_LINE static tm_status check_all(tm_call *call, const tm_signature *s)
{
    uint32_t absent;
    tm_status status = find_absent(call, s, &absent);
    if (status != TM_OK)
        return status;
    call->reduce_mask = absent; /* the layout needs it again */
    int64_t size[TM_SIGNATURE_DIMS];
    const char *owner[TM_SIGNATURE_DIMS] = {0};
    int loop_ndim = 0;
    int64_t loop_shape[TM_MAX_NDIM];
    tm_dtype dtype = TM_DTYPE_NONE;
    for (int i = 0; i < TM_SIGNATURE_DIMS; i++)
        size[i] = s->fixed[i];
    for (int i = 0; i < s->num_inputs; i++) {
        const char *name = input_name(call, i);
        const tm_tensor *x = input(call, i);
        const tm_signature_operand *o = &s->operands[i];
        int core = present_dims(o, absent), at = x->ndim - core;
        dtype = i == 0 ? (tm_dtype)x->dtype : tm_promote(dtype, (tm_dtype)x->dtype);
        for (int k = 0; k < o->num_dims; k++) {
            int dim = o->dims[k];
            if (absent >> dim & 1)
                continue;
            int64_t here = x->shape[at++];
            if (!owner[dim] && !s->fixed[dim]) {
                size[dim] = here;
            } else if (size[dim] != here) {
                const char *whose = owner[dim] ? owner[dim] : "the signature";
                return tm_fail_arg(call, TM_ERR_SHAPE, name,
                                   "%s has size %lld in its core dimension %s, but %s has %lld "
                                   "(signature %s)",
                                   name, (long long)here, s->names[dim], whose,
                                   (long long)size[dim], call->op->def.signature);
            }
            owner[dim] = name;
        }
        if (!tm_broadcast_sizes(&loop_ndim, loop_shape, x->ndim - core, x->shape))
            return tm_fail_arg(call, TM_ERR_SHAPE, name,
                               "%s has loop dimensions %s, which do not broadcast with %s "
                               "(signature %s)",
                               name, tm_sizes_text(call, x->ndim - core, x->shape),
                               tm_sizes_text(call, loop_ndim, loop_shape), call->op->def.signature);
    }
    return describe(call, s, dtype, loop_ndim, loop_shape, size, absent);
}

tm_status tm_signature_meta(tm_call *call, const tm_signature *s)
{
    int64_t size[TM_SIGNATURE_DIMS];
    tm_dtype dtype = TM_DTYPE_NONE;
    if (!is_exact(call, s, size, &dtype))
        return check_all(call, s);
    call->reduce_mask = 0;
    return describe(call, s, dtype, 0, NULL, size, 0);
}
