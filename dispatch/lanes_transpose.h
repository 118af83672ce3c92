/* lanes_transpose.h: runs of neighbours to lanes and back, for one size of elements and of vectors;
 * included by lanes_pack.c once for each.
 *
 * U is an unsigned integer of the element's size, N how many a vector has, TARGET the attribute of
 * the functions. TURN(r) turns N vectors (turn.h). STORE(to, vector) puts a vector into a result,
 * by the locals `ahead` and `bypass` of tm_lanes_operand. NAME(x) is a name of its own for x.
 */

typedef U NAME(vector) __attribute__((vector_size(N * sizeof(U)), may_alias, aligned(sizeof(U))));

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
                TURN(r)
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
                TURN(r)
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
#undef TURN
#undef NAME
