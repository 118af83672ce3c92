# The throughput benchmark: the limits are compiled once for each kind of machine, and the program
# picks one when it runs.
set(bench_flags -Wall -Wextra -Wshadow -O3 -ffast-math)
set(avx512_flags -march=x86-64-v4 -mprefer-vector-width=512)
set(avx2_flags -march=x86-64-v3)
set(portable_flags "")
foreach(level avx512 avx2 portable)
  add_library(bench_limits_${level} OBJECT bench/limits.c)
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
    target_compile_options(bench_limits_${level} PRIVATE ${${level}_flags})
  endif()
  target_compile_options(bench_limits_${level} PRIVATE ${bench_flags})
  target_compile_definitions(bench_limits_${level} PRIVATE LEVEL=${level} _GNU_SOURCE)
  list(APPEND bench_limits $<TARGET_OBJECTS:bench_limits_${level}>)
endforeach()

file(GLOB throughput_sources CONFIGURE_DEPENDS bench/throughput*.c)
add_executable(bench_throughput ${throughput_sources} bench/limits_find.c bench/loops.c
  ${bench_limits})
target_compile_definitions(bench_throughput PRIVATE
  PEER_NUMPY="${PROJECT_SOURCE_DIR}/bench/peer_numpy.py")
target_link_libraries(bench_throughput PRIVATE tm_flags transmute_static)

find_library(BENCH_SLEEF sleef)
find_path(BENCH_SLEEF_INCLUDE sleef.h)
if(BENCH_SLEEF AND BENCH_SLEEF_INCLUDE)
  foreach(level avx512 avx2 portable)
    target_compile_definitions(bench_limits_${level} PRIVATE TM_HAVE_SLEEF)
  endforeach()
  target_link_libraries(bench_throughput PRIVATE ${BENCH_SLEEF})
endif()

# The peer that is driven from C++, where libtorch with functorch is installed. Its headers are not
# held to our warnings. Its own CMake package asks for far more than is needed here.
find_library(BENCH_TORCH_CPU torch_cpu)
find_library(BENCH_C10 c10)
find_path(BENCH_TORCH_INCLUDE ATen/functorch/DynamicLayer.h)
if(BENCH_TORCH_CPU AND BENCH_C10 AND BENCH_TORCH_INCLUDE)
  add_executable(bench_peer_torch bench/peer_torch.cpp)
  target_include_directories(bench_peer_torch SYSTEM PRIVATE ${BENCH_TORCH_INCLUDE})
  target_link_libraries(bench_peer_torch PRIVATE ${BENCH_TORCH_CPU} ${BENCH_C10})
endif()
