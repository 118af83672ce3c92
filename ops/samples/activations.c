/* samples/activations.c: activation functions; values by closed forms. */
#include "elementwise.h"

/* A function with a number for a parameter, which has made bool an integer. */
#define ROWS_WITH_NUMBERS(op, numbers)                                                             \
    LAWS_OF_FLOATS(op), TM_LAW(op, "i32[5]"), TM_LAW(op, "u8[3]"), TM_LAW(op, "b8[4]"),            \
        NO_COMPLEX(op), TM_LAW(op, "f32[17]~special, " numbers), TM_LAW(op, "f64[3,2], " numbers), \
        TM_LAW(op, "f16[5], " numbers), NO_DTYPE(op, "f32[2], 1+2j", "complex64")

static const tm_sample rows[] = {
    TM_NEAR("gelu", "f64[5]{0 1 -1 3 -10}",
            "f64[5]{0 0.8413447460685429 -0.15865525393145707 2.99595030590511 "
            "-7.619853024160489e-23}",
            1e-13, 0),
    TM_EXACT("gelu", "f32[6]{nan inf -inf 0 -0 100}", "f32[6]{nan inf -0 0 -0 100}"),
    TM_NEAR("gelu", "f32[2]{1 -1}, approximate='tanh'", "f32[2]{0.841192 -0.158808}", 1e-6, 0),
    TM_EXACT("gelu", "f64[6]{nan inf -inf 0 -0 100}, 'tanh'", "f64[6]{nan inf -0 0 -0 100}"),
    TM_NEAR("gelu", "i32[1]{1}, 'none'", "f32[1]{0.8413447}", 1e-6, 0),
    ROWS_OF_FLOATING("gelu"),
    NO_COMPLEX("gelu"),
    TM_LAW("gelu", "f32[67]~special, 'tanh'"),
    TM_LAW("gelu", "f64[3,2], 'tanh'"),
    TM_LAW("gelu", "bf16[9], 'tanh'"),
    NO_DTYPE("gelu", "b8[2], 'tanh'", "bool"),
    TM_FAILS("gelu", "f32[2], 'erf'", "value: approximate must be 'none' or 'tanh', got 'erf'"),

    TM_NEAR("silu", "f64[3]{0 1 -1}", "f64[3]{0 0.7310585786300049 -0.2689414213699951}", 1e-14, 0),
    TM_NEAR("silu", "f32[3]{0 1 -1}", "f32[3]{0 0.7310586 -0.26894143}", 1e-6, 0),
    TM_EXACT("silu", "f32[6]{nan inf -inf 0 -0 100}", "f32[6]{nan inf -0 0 -0 100}"),
    TM_NEAR("silu", "i64[1]{1}", "f32[1]{0.7310586}", 1e-6, 0),
    ROWS_OF_FLOATING("silu"),
    NO_COMPLEX("silu"),

    TM_NEAR("elu", "f64[4]{0 1 -1 -1e-10}", "f64[4]{0 1 -0.6321205588285577 -9.9999999995e-11}",
            1e-14, 0),
    TM_EXACT("elu", "f32[5]{nan inf -inf 0 -0}, 0.5", "f32[5]{nan inf -0.5 0 -0}"),
    TM_NEAR("elu", "f32[2]{-1 2}, alpha=2", "f32[2]{-1.2642411 2}", 1e-6, 0),
    TM_NEAR("elu", "i32[2]{-1 2}", "f32[2]{-0.63212055 2}", 1e-6, 0),
    ROWS_WITH_NUMBERS("elu", "0.5"),

    TM_NEAR("selu", "f64[3]{0 1 -1}", "f64[3]{0 1.0507009873554805 -1.1113307378125625}", 1e-14, 0),
    TM_NEAR("selu", "f32[5]{nan inf -inf 0 -0}", "f32[5]{nan inf -1.7580993 0 -0}", 1e-6, 0),
    ROWS_OF_FLOATING("selu"),
    NO_COMPLEX("selu"),

    TM_NEAR("softplus", "f64[4]{0 1 -1 30}",
            "f64[4]{0.6931471805599453 1.3132616875182228 0.31326168751822286 30}", 1e-14, 0),
    TM_NEAR("softplus", "f32[5]{nan inf -inf 20 -100}", "f32[5]{nan inf 0 20 3.783506e-44}", 1e-6,
            1e-44),
    TM_NEAR("softplus", "f64[2]{0 1}, 2", "f64[2]{0.34657359027997264 1.0634640055214863}", 1e-14,
            0),
    TM_EXACT("softplus", "f32[2]{1 3}, beta=1, threshold=0.5", "f32[2]{1 3}"),
    TM_NEAR("softplus", "i32[1]{0}", "f32[1]{0.6931472}", 1e-6, 0),
    ROWS_WITH_NUMBERS("softplus", "2, 0.5"),

    TM_EXACT("leaky_relu", "f32[6]{nan inf -inf 0 -0 -3}", "f32[6]{nan inf -inf 0 -0 -0.03}"),
    TM_EXACT("leaky_relu", "f64[2]{-3 3}, 0.5", "f64[2]{-1.5 3}"),
    TM_EXACT("leaky_relu", "i32[2]{-4 4}, negative_slope=0.25", "f32[2]{-1 4}"),
    TM_EXACT("leaky_relu", "f16[2]{-4 4}, 2", "f16[2]{-8 4}"),
    ROWS_WITH_NUMBERS("leaky_relu", "0.5"),

    TM_EXACT("relu6", "f32[7]{nan inf -inf 0 -0 5.5 7}", "f32[7]{nan 6 0 0 0 5.5 6}"),
    TM_EXACT("relu6", "i32[4]{-3 0 5 9}", "i32[4]{0 0 5 6}"),
    TM_EXACT("relu6", "u8[3]{0 6 255}", "u8[3]{0 6 6}"),
    ROWS_OF_NUMERIC("relu6"),
    NO_COMPLEX("relu6"),

    TM_EXACT("hardtanh", "f32[7]{nan inf -inf 0 -0 0.5 -2}", "f32[7]{nan 1 -1 0 -0 0.5 -1}"),
    TM_EXACT("hardtanh", "f64[3]{-3 0.25 3}, min=-2, max=0.125", "f64[3]{-2 0.125 0.125}"),
    TM_EXACT("hardtanh", "i32[2]{-4 4}, -3, 2", "f32[2]{-3 2}"),
    ROWS_WITH_NUMBERS("hardtanh", "-0.5, 0.75"),

    TM_EXACT("hardsigmoid", "f32[7]{nan inf -inf 0 -3 1.5 4}", "f32[7]{nan 1 0 0.5 0 0.75 1}"),
    TM_EXACT("hardsigmoid", "i64[2]{0 9}", "f32[2]{0.5 1}"),
    ROWS_OF_FLOATING("hardsigmoid"),
    NO_COMPLEX("hardsigmoid"),

    TM_EXACT("hardswish", "f32[7]{nan inf -inf 0 -3 1.5 3e38}",
             "f32[7]{nan inf -0 0 -0 1.125 3e38}"),
    TM_EXACT("hardswish", "f64[2]{-1.5 4}", "f64[2]{-0.375 4}"),
    ROWS_OF_FLOATING("hardswish"),
    NO_COMPLEX("hardswish"),

    TM_NEAR("mish", "f64[2]{0 1}", "f64[2]{0 0.8650983882673103}", 1e-14, 0),
    TM_EXACT("mish", "f32[5]{nan inf -inf 0 100}", "f32[5]{nan inf -0 0 100}"),
    ROWS_OF_FLOATING("mish"),
    NO_COMPLEX("mish"),

    TM_EXACT("softsign", "f32[7]{nan inf -inf 0 -0 1 -3}", "f32[7]{nan 1 -1 0 -0 0.5 -0.75}"),
    TM_EXACT("softsign", "f64[1]{3}", "f64[1]{0.75}"),
    ROWS_OF_FLOATING("softsign"),
    NO_COMPLEX("softsign"),

    TM_NEAR("logsigmoid", "f64[3]{0 1 -1000}",
            "f64[3]{-0.6931471805599453 -0.31326168751822286 -1000}", 1e-14, 0),
    TM_EXACT("logsigmoid", "f32[3]{nan inf -inf}", "f32[3]{nan -0 -inf}"),
    ROWS_OF_FLOATING("logsigmoid"),
    NO_COMPLEX("logsigmoid"),

    TM_EXACT("threshold", "f32[5]{nan inf -inf 0.5 1}, 0.5, 9", "f32[5]{nan inf 9 9 1}"),
    TM_EXACT("threshold", "i32[3]{1 2 3}, 2, -1", "f32[3]{-1 -1 3}"),
    TM_EXACT("threshold", "f64[0], 1, value=2", "f64[0]{}"),
    TM_LAW("threshold", "f32[67]~special, 0.5, -1"),
    TM_LAW("threshold", "f64[2,3], 0, 0"),
    TM_LAW("threshold", "bf16[5], 1, 2"),
    TM_LAW("threshold", "b8[5], 0, 2"),
    NO_DTYPE("threshold", "c64[2], 1, 2", "complex64"),
    NO_DTYPE("threshold", "f32[2], 1, 0+2j", "complex64"),
};
TM_SAMPLES(activations, rows);
