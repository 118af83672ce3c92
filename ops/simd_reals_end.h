/* simd_reals_end.h: takes back what simd_reals.h defines for one version. */
#undef NAME
#undef TARGET
#undef VECTOR_BYTES
#undef LANES
