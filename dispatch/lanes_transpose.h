/* lanes_transpose.h: runs of neighbours to lanes and back, for one size of elements and of vectors;
 * included by lanes_pack.c once for each.
 *
 * U is an unsigned integer of the element's size, N how many a vector has, TARGET the attribute of
 * the functions, LOW and HIGH the shuffles that take the elements of two vectors in turn, from
 * their lower and upper halves, STORE(to, vector) puts a vector into a result. NAME(x) is a name of
 * its own for x.
 */

typedef U NAME(vector) __attribute__((vector_size(N * sizeof(U)), may_alias, aligned(sizeof(U))));

/* Rows become columns: each step puts rows i and i + N/2, element by element in turn, into rows 2i
 * and 2i + 1. */
TARGET TM_INLINE void NAME(transpose)(NAME(vector) r[N])
{
    NAME(vector) s[N];
    for (int done = 1; done < N; done *= 2) {
        for (int i = 0; i < N / 2; i++) {
            s[2 * i] = __builtin_shufflevector(r[i], r[i + N / 2], LOW);
            s[2 * i + 1] = __builtin_shufflevector(r[i], r[i + N / 2], HIGH);
        }
        for (int i = 0; i < N; i++)
            r[i] = s[i];
    }
}

/* The last vector of a run that is no multiple of one overlaps the one before. */
TARGET static void NAME(pack)(const tm_lanes_operand *o)
{
    for (int64_t first = 0; first < o->count; first += o->run)
        for (int64_t at = 0; at < o->run; at += N) {
            int64_t m = first + (at + N <= o->run ? at : o->run - N);
            for (int lane = 0; lane < o->width; lane += N) {
                NAME(vector) r[N];
                for (int i = 0; i < N; i++) {
                    const char *from = o->lane[lane + i] + o->offset[m];
                    r[i] = *(const NAME(vector) *)(const void *)from;
                    __builtin_prefetch(from + o->ahead);
                }
                NAME(transpose)(r);
                for (int i = 0; i < N; i++)
                    *(NAME(vector) *)(void *)((U *)(void *)o->buffer +
                                              (int64_t)o->place[m + i] * o->width + lane) = r[i];
            }
        }
}

TARGET static void NAME(unpack)(const tm_lanes_operand *o, int valid)
{
    for (int64_t first = 0; first < o->count; first += o->run)
        for (int64_t at = 0; at < o->run; at += N) {
            int64_t m = first + (at + N <= o->run ? at : o->run - N);
            for (int lane = 0; lane < valid; lane += N) {
                NAME(vector) r[N];
                for (int i = 0; i < N; i++)
                    r[i] =
                        *(const NAME(vector) *)(const void *)((const U *)(void *)o->buffer +
                                                              (int64_t)o->place[m + i] * o->width +
                                                              lane);
                NAME(transpose)(r);
                int here = valid - lane < N ? valid - lane : N;
                for (int i = 0; i < here; i++)
                    STORE(o->lane[lane + i] + o->offset[m], r[i]);
            }
        }
}

#undef U
#undef N
#undef TARGET
#undef STORE
#undef LOW
#undef HIGH
#undef NAME
