/* values.h: the values of examples, made from a seed: other ones for every example. */
#ifndef TM_LAW_VALUES_H
#define TM_LAW_VALUES_H

#include "law/rng.h"
#include "law/sample.h"

/** Fills a row-major example of `tensor` by its generator. */
void tm_law_generate(tm_law_rng *rng, const tm_law_tensor *tensor, char *to);
/** Fills it with the literal values, or by the generator where there are none. */
void tm_law_original(tm_law_rng *rng, const tm_law_tensor *tensor, char *to);
/** Fills it with something like it: of the generator, or the literal's values shuffled, scaled, or
 *  drawn anew from their range, its NaNs and infinities among them. */
void tm_law_variant(tm_law_rng *rng, const tm_law_tensor *tensor, char *to);
/** Makes a row-major example constant along one axis: all of it equal to index 0. */
void tm_law_make_constant(const tm_law_tensor *tensor, int axis, char *data);

#endif
