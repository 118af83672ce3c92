/* lanes_versions.h: includes TM_LANES_BODY for every version; see lanes.h. */
#include "lanes.h"

#define S float
#define SI int32_t
#define WIDTH 1
#define LANES_FN
#define NAME(x) x##_f32_1
#include "lanes_type.h"
#include TM_LANES_BODY
#include "lanes_end.h"
#define S float
#define SI int32_t
#define WIDTH 4
#define LANES_FN
#define NAME(x) x##_f32_16
#include "lanes_type.h"
#include TM_LANES_BODY
#include "lanes_end.h"
#define S double
#define SI int64_t
#define WIDTH 1
#define LANES_FN
#define NAME(x) x##_f64_1
#include "lanes_type.h"
#include TM_LANES_BODY
#include "lanes_end.h"
#define S double
#define SI int64_t
#define WIDTH 2
#define LANES_FN
#define NAME(x) x##_f64_16
#include "lanes_type.h"
#include TM_LANES_BODY
#include "lanes_end.h"
#ifdef TM_HAVE_TARGETS
#define S float
#define SI int32_t
#define WIDTH 8
#define LANES_FN TM_TARGET_AVX2
#define NAME(x) x##_f32_32
#include "lanes_type.h"
#include TM_LANES_BODY
#include "lanes_end.h"
#define S float
#define SI int32_t
#define WIDTH 16
#define LANES_FN TM_TARGET_AVX512
#define NAME(x) x##_f32_64
#include "lanes_type.h"
#include TM_LANES_BODY
#include "lanes_end.h"
#define S double
#define SI int64_t
#define WIDTH 4
#define LANES_FN TM_TARGET_AVX2
#define NAME(x) x##_f64_32
#include "lanes_type.h"
#include TM_LANES_BODY
#include "lanes_end.h"
#define S double
#define SI int64_t
#define WIDTH 8
#define LANES_FN TM_TARGET_AVX512
#define NAME(x) x##_f64_64
#include "lanes_type.h"
#include TM_LANES_BODY
#include "lanes_end.h"
#endif
#undef TM_LANES_BODY
