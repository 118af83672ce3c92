/* lanes_transpose.h: runs of neighbours to lanes and back, for one size of elements and of vectors;
 * included by lanes_pack.c once for each.
 *
 * U is an unsigned integer of the element's size, N how many a vector has, TARGET the attribute of
 * the functions. LOW and HIGH are the shuffles that take the elements of two vectors in turn, from
 * the lower and upper half of each 16 bytes, EVEN and ODD those that take every other 16 bytes of
 * one vector and then of another. STORE(to, vector) puts a vector into a result. NAME(x) is a name
 * of its own for x.
 */

typedef U NAME(vector) __attribute__((vector_size(N * sizeof(U)), may_alias, aligned(sizeof(U))));

/* Rows become columns. First squares within 16 bytes, which cost less than what crosses them: each
 * step puts rows i and i + SIDE/2 of a square, element by element in turn, into rows 2i and 2i + 1.
 * Then the squares change places: each step puts the halves of rows of squares 2i and 2i + 1 into
 * i and i + SQUARES/2. */
TARGET TM_INLINE void NAME(transpose)(NAME(vector) r[N])
{
    enum { SIDE = 16 / sizeof(U), SQUARES = N / SIDE };
    NAME(vector) s[N];
    for (int done = 1; done < SIDE; done *= 2) {
        for (int first = 0; first < N; first += SIDE)
            for (int i = first; i < first + SIDE / 2; i++) {
                s[2 * i - first] = __builtin_shufflevector(r[i], r[i + SIDE / 2], LOW);
                s[2 * i - first + 1] = __builtin_shufflevector(r[i], r[i + SIDE / 2], HIGH);
            }
        for (int i = 0; i < N; i++)
            r[i] = s[i];
    }
    for (int done = 1; done < SQUARES; done *= 2) {
        for (int i = 0; i < N / 2; i++) {
            const int from = i / SIDE * 2 * SIDE + i % SIDE;
            s[i] = __builtin_shufflevector(r[from], r[from + SIDE], EVEN);
            s[i + N / 2] = __builtin_shufflevector(r[from], r[from + SIDE], ODD);
        }
        for (int i = 0; i < N; i++)
            r[i] = s[i];
    }
}

/* The last vector of a run that is no multiple of one overlaps the one before. */
TARGET static void NAME(pack)(const tm_lanes_operand *o)
{
    char *const buffer = o->buffer, *const *const lanes = o->lane;
    const int64_t ahead = o->ahead, run = o->run, row = o->width * (int64_t)sizeof(U);
    for (int64_t first = 0; first < o->count; first += run)
        for (int64_t at = 0; at < run; at += N) {
            const int64_t m = first + (at + N <= run ? at : run - N), offset = o->offset[m];
            const int32_t *place = o->place + m;
            for (int lane = 0; lane < o->width; lane += N) {
                NAME(vector) r[N];
                for (int i = 0; i < N; i++) {
                    const char *from = lanes[lane + i] + offset;
                    r[i] = *(const NAME(vector) *)(const void *)from;
                    __builtin_prefetch(from + ahead);
                }
                NAME(transpose)(r);
                for (int i = 0; i < N; i++)
                    ((NAME(vector) *)(void *)(buffer + place[i] * row))[lane / N] = r[i];
            }
        }
}

TARGET static void NAME(unpack)(const tm_lanes_operand *o, int valid)
{
    const char *const buffer = o->buffer;
    char *const *const lanes = o->lane;
    const int64_t ahead = o->ahead, run = o->run, row = o->width * (int64_t)sizeof(U);
    const bool bypass = o->bypass;
    (void)bypass; /* where vectors are no lines */
    for (int64_t first = 0; first < o->count; first += run)
        for (int64_t at = 0; at < run; at += N) {
            const int64_t m = first + (at + N <= run ? at : run - N), offset = o->offset[m];
            const int32_t *place = o->place + m;
            for (int lane = 0; lane < valid; lane += N) {
                NAME(vector) r[N];
                for (int i = 0; i < N; i++)
                    r[i] =
                        ((const NAME(vector) *)(const void *)(buffer + place[i] * row))[lane / N];
                NAME(transpose)(r);
                if (valid - lane >= N) /* the vectors stay in registers */
                    for (int i = 0; i < N; i++)
                        STORE(lanes[lane + i] + offset, r[i]);
                else
                    for (int i = 0; i < valid - lane; i++)
                        STORE(lanes[lane + i] + offset, r[i]);
            }
        }
}

#undef U
#undef N
#undef TARGET
#undef STORE
#undef LOW
#undef HIGH
#undef EVEN
#undef ODD
#undef NAME
