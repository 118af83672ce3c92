// peer_torch.cpp: the functorch contestant of the throughput benchmark: libtorch's vmap, entered
// from C++ as its Python front end enters it, in inference mode. throughput.h has the protocol.
//
// Each op is what one writes for one example. The heap keeps its pages.
#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <ATen/functorch/BatchedFallback.h>
#include <ATen/functorch/BatchedTensorImpl.h>
#include <ATen/functorch/DynamicLayer.h>
#include <c10/core/InferenceMode.h>

#include <malloc.h>
#include <sys/mman.h>

#include <chrono>
#include <cstring>
#include <functional>
#include <iostream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace
{

using at::Tensor;
using Tensors = std::vector<Tensor>;
using Op = std::function<Tensors(const Tensors &, int64_t)>;

constexpr size_t arena_out = size_t(2) << 30, arena_size = size_t(4) << 30;
char *arena;

template <class Pair> Tensors both(const Pair &pair)
{
    return {std::get<0>(pair), std::get<1>(pair)};
}

const std::map<std::string, Op> ops = {
    {"addcmul", [](auto &x, int64_t) { return Tensors{at::addcmul(x[0], x[1], x[2])}; }},
    {"mul_add", [](auto &x, int64_t) { return Tensors{x[0] * x[1] + x[2]}; }},
    {"exp", [](auto &x, int64_t) { return Tensors{x[0].exp()}; }},
    {"matmul", [](auto &x, int64_t) { return Tensors{at::matmul(x[0], x[1])}; }},
    {"softmax", [](auto &x, int64_t) { return Tensors{at::softmax(x[0], -1)}; }},
    {"log_softmax", [](auto &x, int64_t) { return Tensors{at::log_softmax(x[0], -1)}; }},
    {"layer_norm", [](auto &x, int64_t) { return Tensors{at::layer_norm(x[0], {x[0].size(-1)})}; }},
    {"sum", [](auto &x, int64_t dim) { return Tensors{x[0].sum(dim)}; }},
    {"mean", [](auto &x, int64_t dim) { return Tensors{x[0].mean(dim)}; }},
    {"amax", [](auto &x, int64_t dim) { return Tensors{x[0].amax(dim)}; }},
    {"argmax", [](auto &x, int64_t dim) { return Tensors{x[0].argmax(dim)}; }},
    {"triu", [](auto &x, int64_t) { return Tensors{x[0].triu()}; }},
    {"transpose",
     [](auto &x, int64_t) {
         return Tensors{x[0].transpose(-1, -2).clone(at::MemoryFormat::Contiguous)};
     }},
    {"concat",
     [](auto &x, int64_t dim) {
         return Tensors{at::cat({x[0], x[1]}, dim)};
     }},
    {"gather", [](auto &x, int64_t) { return Tensors{x[0].gather(-1, x[1])}; }},
    {"cholesky", [](auto &x, int64_t) { return Tensors{at::linalg_cholesky(x[0])}; }},
    {"solve", [](auto &x, int64_t) { return Tensors{at::linalg_solve(x[0], x[1])}; }},
    {"inv", [](auto &x, int64_t) { return Tensors{at::linalg_inv(x[0])}; }},
    {"det", [](auto &x, int64_t) { return Tensors{at::linalg_det(x[0])}; }},
    {"lu", [](auto &x, int64_t) { return both(at::linalg_lu_factor(x[0])); }},
    {"eigh", [](auto &x, int64_t) { return both(at::linalg_eigh(x[0])); }},
    {"svd",
     [](auto &x, int64_t) {
         auto [u, s, vh] = at::linalg_svd(x[0], false);
         return Tensors{s, u, vh};
     }},
    {"qr", [](auto &x, int64_t) { return both(at::linalg_qr(x[0])); }},
    {"sort", [](auto &x, int64_t) { return both(x[0].sort(-1)); }},
    {"argsort", [](auto &x, int64_t) { return Tensors{x[0].argsort(-1, false)}; }},
    {"sort_with_indices", [](auto &x, int64_t) { return both(x[0].sort(-1)); }},
    {"topk", [](auto &x, int64_t k) { return both(x[0].topk(k)); }},
    {"conv1d", [](auto &x, int64_t) { return Tensors{at::conv1d(x[0], x[1])}; }},
    {"conv2d",
     [](auto &x, int64_t) {
         return Tensors{at::conv2d(x[0], x[1], {}, 1, at::IntArrayRef{1, 1})};
     }},
    {"fft", [](auto &x, int64_t) { return Tensors{at::fft_fft(x[0])}; }},
};

struct Row {
    const Op *op = nullptr;
    std::string name;
    int64_t arg = 0, batch = 1;
    Tensors inputs;
    std::vector<int64_t> dims; // -1: not mapped
};

// One region: a level is pushed, inputs are wrapped, the function runs once, results are unwrapped.
Tensors run(const Row &row, std::vector<int64_t> *out_dims = nullptr)
{
    using namespace at::functorch;
    int64_t level = initAndPushDynamicLayer(TransformType::Vmap, row.batch, RandomnessType::Error);
    Tensors out;
    try {
        Tensors in;
        for (size_t i = 0; i < row.inputs.size(); i++)
            in.push_back(row.dims[i] < 0 ? row.inputs[i]
                                         : makeBatched(row.inputs[i], row.dims[i], level));
        for (const Tensor &y : (*row.op)(in, row.arg)) {
            BatchedTensorImpl *batched = maybeGetBatchedImpl(y);
            out.push_back(batched ? batched->value() : y);
            if (out_dims)
                out_dims->push_back(batched ? batched->bdim() : -1);
        }
    } catch (...) {
        popDynamicLayerAndDeleteMetadata();
        throw;
    }
    popDynamicLayerAndDeleteMetadata();
    return out;
}

void open_row(Row &row, std::istringstream &words)
{
    int number, threads, parts, count;
    row = Row();
    words >> number >> threads >> parts >> row.name >> row.arg >> count;
    auto found = ops.find(row.name);
    if (found == ops.end())
        throw std::runtime_error("none");
    row.op = &found->second;
    size_t offset = 0;
    for (int i = 0; i < count; i++) {
        char kind;
        int64_t axis, ndim;
        words >> kind >> axis >> ndim;
        std::vector<int64_t> sizes(static_cast<size_t>(ndim));
        for (int64_t &size : sizes)
            words >> size;
        at::ScalarType dtype = kind == 'i'   ? at::kLong
                               : kind == 'c' ? at::kComplexFloat
                                             : at::kFloat;
        Tensor x = at::from_blob(arena + offset, sizes, dtype).clone();
        offset += (x.nbytes() + 4095) / 4096 * 4096;
        if (axis >= 0)
            row.batch = sizes[static_cast<size_t>(axis)];
        row.inputs.push_back(x);
        row.dims.push_back(axis);
    }
    run(row);
}

int64_t check(const Row &row)
{
    std::vector<int64_t> dims;
    Tensors out = run(row, &dims), parts;
    if (row.name == "sort" || row.name == "eigh" || row.name == "svd")
        out.resize(1);
    for (size_t i = 0; i < out.size(); i++) {
        Tensor x = dims[i] < 0 ? out[i].unsqueeze(0).expand_as(out[i]) : out[i].movedim(dims[i], 0);
        if (x.is_complex())
            x = at::view_as_real(x);
        if (row.name == "lu" && i == 1)
            x = x - 1; // its pivots count from 1
        parts.push_back(x.reshape({row.batch, -1}).to(at::kFloat));
    }
    Tensor all = at::cat(parts, 1).contiguous();
    std::memcpy(arena + arena_out, all.data_ptr<float>(), all.nbytes());
    return all.numel();
}

void answer(Row &row, const std::string &line)
{
    std::istringstream words(line);
    std::string word;
    words >> word;
    if (word == "open") {
        open_row(row, words);
        std::cout << "ok" << std::endl;
    } else if (word == "check") {
        std::cout << "ok " << check(row) << std::endl;
    } else if (word == "time") {
        int64_t repeats;
        words >> repeats;
        auto start = std::chrono::steady_clock::now();
        for (int64_t i = 0; i < repeats; i++)
            run(row);
        std::chrono::nanoseconds time = std::chrono::steady_clock::now() - start;
        std::cout << "ok " << time.count() << std::endl;
    } else {
        std::cout << "ok" << std::endl;
    }
}

} // namespace

int main(int argc, char **argv)
{
    if (argc != 3)
        return 2;
    mallopt(M_MMAP_MAX, 0);
    mallopt(M_TRIM_THRESHOLD, INT32_MAX);
    mallopt(M_TOP_PAD, 64 << 20);
    void *memory =
        mmap(nullptr, arena_size, PROT_READ | PROT_WRITE, MAP_SHARED, std::stoi(argv[1]), 0);
    if (memory == MAP_FAILED)
        return 1;
    arena = static_cast<char *>(memory);
    at::set_num_threads(std::stoi(argv[2]));
    at::set_num_interop_threads(1);
    c10::InferenceMode inference;
    at::functorch::setVmapFallbackWarningEnabled(false);
    at::ones({1 << 28}); // the heap's pages are there from the beginning
    Row row;
    for (std::string line; std::getline(std::cin, line);) {
        try {
            answer(row, line);
        } catch (const std::exception &error) {
            std::string text = error.what();
            std::cout << "no " << text.substr(0, text.find('\n')) << std::endl;
        }
    }
    return 0;
}
