/* signature.h: gufunc signatures, "(m?,n),(n,p?)->(m?,p?)". */
#ifndef TM_DISPATCH_SIGNATURE_H
#define TM_DISPATCH_SIGNATURE_H

#include "schema.h"

enum { TM_SIGNATURE_DIMS = 12, TM_SIGNATURE_OPERANDS = 12, TM_SIGNATURE_CORE = 8 };

/** One operand's core dimensions, outermost first. */
typedef struct tm_signature_operand {
    uint8_t num_dims;
    uint8_t new_dims; /**< bit k: no operand before this one has its k-th dimension */
    uint8_t dims[TM_SIGNATURE_CORE]; /**< indices into the signature's names */
    int columns[TM_SIGNATURE_CORE];  /**< where each stands in the text, 1-based */
} tm_signature_operand;

/** A parsed signature. */
typedef struct tm_signature {
    int num_inputs, num_outputs, num_dims;
    char names[TM_SIGNATURE_DIMS][16];
    bool
        optional[TM_SIGNATURE_DIMS]; /**< written `n?`: may be absent in all operands that end it */
    bool has_fixed;
    int64_t fixed[TM_SIGNATURE_DIMS]; /**< a number in the signature; 0: a name */
    tm_signature_operand operands[TM_SIGNATURE_OPERANDS]; /**< inputs, then outputs */
} tm_signature;

/** Parses `text`. False, with *error set (1-based column), where it is no signature. */
bool tm_signature_parse(const char *text, tm_signature *signature, tm_schema_error *error);

/** The checks and output shapes that follow from a signature: core sizes must agree, loop
 *  dimensions broadcast. The output's dtype is the promotion of the inputs'. */
tm_status tm_signature_meta(tm_call *call, const tm_signature *signature);

#endif
