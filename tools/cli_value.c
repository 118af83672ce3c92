/* cli_value.c: a word as a value of a schema's type.
 *
 * Numbers are written as in Python: decimal, "inf" and "nan", complex with a "j" behind the
 * imaginary part. The whole word must be the number, and the number must fit: nothing is rounded to
 * infinity or cut to 64 bits.
 */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

static const char *skip_digits(const char *at)
{
    while (isdigit((unsigned char)*at))
        at++;
    return at;
}

static const char *skip_sign(const char *at)
{
    return at + (*at == '-' || *at == '+');
}

bool tm_cli_int(const char *word, size_t length, int64_t *value)
{
    bool negative = length > 0 && word[0] == '-';
    size_t at = length > 0 && (word[0] == '-' || word[0] == '+');
    if (at == length)
        return false;
    *value = 0;
    for (; at < length; at++) {
        int digit = word[at] - '0';
        if (digit < 0 || digit > 9 || __builtin_mul_overflow(*value, 10, value) ||
            __builtin_add_overflow(*value, negative ? -digit : digit, value))
            return false;
    }
    return true;
}

bool tm_cli_unsigned(const char *word, uint64_t *value)
{
    if (!*word)
        return false;
    *value = 0;
    for (; *word; word++) {
        unsigned digit = (unsigned)(*word - '0');
        if (digit > 9 || __builtin_mul_overflow(*value, (uint64_t)10, value) ||
            __builtin_add_overflow(*value, (uint64_t)digit, value))
            return false;
    }
    return true;
}

bool tm_cli_randomness(const char *word, tm_randomness *randomness)
{
    static const char *const names[] = {[TM_RANDOMNESS_ERROR] = "error",
                                        [TM_RANDOMNESS_DIFFERENT] = "different",
                                        [TM_RANDOMNESS_SAME] = "same"};
    for (int i = 0; i < 3; i++) {
        if (strcmp(word, names[i]) == 0) {
            *randomness = (tm_randomness)i;
            return true;
        }
    }
    return false;
}

/* Where a float that begins at `at` ends, and its value; NULL where none begins. */
static const char *read_float(const char *at, double *value)
{
    const char *from = at;
    at = skip_sign(at);
    if (strncmp(at, "inf", 3) == 0 || strncmp(at, "nan", 3) == 0) {
        *value = strncmp(at, "inf", 3) == 0 ? INFINITY : NAN;
        if (*from == '-')
            *value = -*value;
        return at + 3;
    }
    const char *digits = at;
    at = skip_digits(at);
    size_t count = (size_t)(at - digits);
    if (*at == '.') {
        const char *fraction = at + 1;
        at = skip_digits(fraction);
        count += (size_t)(at - fraction);
    }
    if (count == 0)
        return NULL;
    if (*at == 'e' || *at == 'E') {
        const char *exponent = skip_sign(at + 1);
        const char *end = skip_digits(exponent);
        if (end == exponent)
            return NULL;
        at = end;
    }
    *value = strtod(from, NULL);
    return isinf(*value) ? NULL : at;
}

static bool to_float(const char *word, double *value)
{
    const char *end = read_float(word, value);
    return end && *end == '\0';
}

/* "2j" or "1+2j". */
static bool to_complex(const char *word, tm_scalar *scalar)
{
    double re = 0, im;
    const char *end = read_float(word, &im);
    if (end && (*end == '+' || *end == '-')) {
        re = im;
        end = read_float(end, &im);
    }
    *scalar = tm_scalar_complex(re, end ? im : 0);
    return end && strcmp(end, "j") == 0;
}

static bool to_bool(const char *word, bool *value)
{
    *value = strcmp(word, "True") == 0;
    return *value || strcmp(word, "False") == 0;
}

static bool to_scalar(const char *word, tm_scalar *scalar)
{
    bool b;
    int64_t i;
    double f;
    if (to_bool(word, &b))
        return *scalar = tm_scalar_bool(b), true;
    if (tm_cli_int(word, strlen(word), &i))
        return *scalar = tm_scalar_int(i), true;
    const char *first = skip_sign(word);
    if (*first && *skip_digits(first) == '\0')
        return false; /* an integer of more than 64 bits is not taken for a float */
    if (to_float(word, &f))
        return *scalar = tm_scalar_float(f), true;
    return to_complex(word, scalar);
}

static bool to_ints(tm_cli_memory *memory, const char *word, tm_int_list *list)
{
    *list = tm_no_ints;
    if (strcmp(word, "()") == 0)
        return true;
    size_t count = 1;
    for (const char *c = word; *c; c++)
        count += *c == ',';
    int64_t *data = tm_cli_alloc(memory, count, sizeof *data);
    for (size_t i = 0; i < count; i++) {
        size_t length = strcspn(word, ",");
        if (!tm_cli_int(word, length, &data[i]))
            return false;
        word += length + 1;
    }
    *list = (tm_int_list){data, (int64_t)count};
    return true;
}

/* "gen(7)", or "gen(7, 3)": with 3 calls before. */
static bool to_generator(const char *word, tm_cli_room *room)
{
    char seed[32], count[32] = "0";
    int end = 0;
    room->generator.seed = room->generator.count = 0;
    if (sscanf(word, "gen(%31[0-9])%n", seed, &end) != 1 || !end)
        if (sscanf(word, "gen(%31[0-9], %31[0-9])%n", seed, count, &end) != 2 || !end)
            return false;
    return !word[end] && tm_cli_unsigned(seed, &room->generator.seed) &&
           tm_cli_unsigned(count, &room->generator.count);
}

bool tm_cli_value(tm_cli_memory *memory, const tm_param *param, const char *word, tm_cli_room *room,
                  tm_value *value)
{
    bool ok = true;
    if (param->optional && strcmp(word, "None") == 0) {
        if (param->type == TM_TYPE_DTYPE)
            value->dtype = TM_DTYPE_NONE;
        else
            value->opt = NULL;
        return true;
    }
    switch (param->type) {
    case TM_TYPE_INT:
        ok = tm_cli_int(word, strlen(word), &room->i);
        value->i = room->i;
        break;
    case TM_TYPE_FLOAT:
        ok = to_float(word, &room->f);
        value->f = room->f;
        break;
    case TM_TYPE_BOOL:
        ok = to_bool(word, &room->b);
        value->b = room->b;
        break;
    case TM_TYPE_INT_LIST:
        ok = to_ints(memory, word, &room->ints);
        value->ints = room->ints;
        break;
    case TM_TYPE_SCALAR:
        ok = to_scalar(word, &room->scalar);
        value->scalar = room->scalar;
        break;
    case TM_TYPE_DTYPE:
        value->dtype = tm_dtype_from_name(word);
        return value->dtype != TM_DTYPE_NONE;
    case TM_TYPE_GENERATOR: /* made once the overload is chosen */
        value->generator = NULL;
        return to_generator(word, room);
    case TM_TYPE_STR:
        value->str = word; /* `str?` is the pointer itself */
        return true;
    default:
        return false;
    }
    if (param->optional)
        value->opt = room;
    return ok;
}

const char *tm_cli_expected(tm_type type)
{
    switch (type) {
    case TM_TYPE_INT:
        return "an integer that an int64 can hold";
    case TM_TYPE_FLOAT:
        return "a number that a float64 can hold";
    case TM_TYPE_BOOL:
        return "True or False";
    case TM_TYPE_INT_LIST:
        return "integers joined by commas (0,1), or () for none";
    case TM_TYPE_SCALAR:
        return "True, False or a number (1, 1.5, 1+2j) that an int64 or float64 can hold";
    case TM_TYPE_DTYPE:
        return "a dtype (bool, int8, int16, int32, int64, uint8, uint16, uint32, uint64, float16, "
               "bfloat16, float32, float64, complex64, complex128)";
    case TM_TYPE_GENERATOR:
        return "gen(SEED) or gen(SEED,CALLS BEFORE), integers of 64 bits";
    case TM_TYPE_TENSOR_LIST:
        return "paths of .npy files joined by commas";
    case TM_TYPE_TENSOR:
        return "the path of a .npy file";
    default:
        return "a text";
    }
}
