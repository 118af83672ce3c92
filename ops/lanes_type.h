/* lanes_type.h: the lane types of one version and what C has no operator for; see lanes.h.
 *
 * A version brings S, SI (the signed integer of its size), WIDTH, LANES_FN and NAME(x). A truth
 * value is made by the functions here, never by C's comparisons, which give 1 in one example and -1
 * in a lane.
 */

#define V NAME(lane_value)
#define M NAME(lane_truth)

#if WIDTH == 1
typedef S V;
typedef SI M;
#define LANE(v, l) (v)
#define COMPARE(a, op, b) ((a)op(b) ? -1 : 0)
#else
typedef S V __attribute__((vector_size(WIDTH * sizeof(S))));
typedef SI M __attribute__((vector_size(WIDTH * sizeof(S))));
#define LANE(v, l) ((v)[l])
#define COMPARE(a, op, b) ((a)op(b))
#endif

LANES_FN TM_INLINE M NAME(greater)(V a, V b)
{
    return COMPARE(a, >, b);
}

LANES_FN TM_INLINE M NAME(equal)(V a, V b)
{
    return COMPARE(a, ==, b);
}

/* a where it is true, else b. */
LANES_FN TM_INLINE V NAME(choose)(M m, V a, V b)
{
#if WIDTH == 1
    return m ? a : b;
#else
    return (V)((m & (M)a) | (~m & (M)b));
#endif
}

/* A number in every lane. */
LANES_FN TM_INLINE V NAME(splat)(S x)
{
#if WIDTH == 1
    return x;
#else
    return x - (V){0}; /* -0 stays */
#endif
}

/* An index in every lane, with the bits of a truth value. */
LANES_FN TM_INLINE M NAME(count)(int64_t x)
{
#if WIDTH == 1
    return (SI)x;
#else
    return (M){0} + (SI)x;
#endif
}

/* Where an index is 0, or nothing is true. */
LANES_FN TM_INLINE M NAME(is_none)(M a)
{
    return COMPARE(a, ==, NAME(count)(0));
}

LANES_FN TM_INLINE V NAME(size)(V a)
{
#if WIDTH == 1
    return sizeof(S) == 4 ? (S)fabsf((float)a) : (S)fabs((double)a);
#else
    return (V)((M)a & ~(M)NAME(splat)((S)-0.0));
#endif
}

LANES_FN TM_INLINE M NAME(finite)(V a)
{
    V zero = a * NAME(splat)((S)0); /* NaN, where a is not finite */
    return NAME(equal)(zero, zero);
}

LANES_FN TM_INLINE V NAME(root)(V a)
{
#if WIDTH == 1
    return sizeof(S) == 4 ? (S)sqrtf((float)a) : (S)sqrt((double)a);
#else
    for (int l = 0; l < WIDTH; l++)
        a[l] = sizeof(S) == 4 ? (S)sqrtf((float)a[l]) : (S)sqrt((double)a[l]);
    return a;
#endif
}

LANES_FN TM_INLINE bool NAME(any)(M m)
{
    SI any = 0;
    for (int l = 0; l < WIDTH; l++)
        any |= LANE(m, l);
    return any != 0;
}

/* A truth value as bits, lane 0 the lowest. */
LANES_FN TM_INLINE uint64_t NAME(bits)(M m)
{
    uint64_t bits = 0;
    for (int l = 0; l < WIDTH; l++)
        bits |= (uint64_t)(LANE(m, l) & 1) << l;
    return bits;
}

#if WIDTH > 1
/* From rows to columns, or back. */
LANES_FN TM_INLINE void NAME(turn)(const V *from, int64_t rows, int64_t columns, V *to)
{
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < columns; j++)
            to[j * rows + i] = from[i * columns + j];
}

/* The same. Returns the lanes in which all of it is finite. */
LANES_FN TM_INLINE M NAME(turn_finite)(const V *from, int64_t rows, int64_t columns, V *to)
{
    M finite = NAME(is_none)(NAME(count)(0));
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < columns; j++) {
            V x = from[i * columns + j];
            finite &= NAME(finite)(x);
            to[j * rows + i] = x;
        }
    return finite;
}
#endif

#undef COMPARE
