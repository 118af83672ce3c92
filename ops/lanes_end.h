/* lanes_end.h: takes back what lanes_versions.h and lanes_type.h define for one version. */
#undef S
#undef SI
#undef V
#undef M
#undef WIDTH
#undef LANE
#undef LANES_FN
#undef NAME
