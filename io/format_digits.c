/* format_digits.c: a binary float as decimal digits.
 *
 * Steele and White's algorithm in the form of Burger and Dybvig ("Printing Floating-Point Numbers
 * Quickly and Accurately", 1996, figure 3): the value and half the gaps to its neighbours are
 * integers over one common scale; digits are divided out one by one until what is left is less than
 * a gap, that is, until no neighbour of the same dtype can be meant. NumPy prints with the same
 * algorithm and rounds in the same places, hence exact integers here rather than printf: the last
 * digit is the one NumPy prints, also for float16, which C has no printf for. Digits of the exact
 * value come from the same division without the gaps.
 *
 * The integers need at most 1100 bits: the smallest double is 2^-1074, and 10^324 is 1077 bits.
 */
#include <math.h>
#include <string.h>

#include "format.h"

#define LIMBS 40

/* A natural number, least significant limb first, no leading zero limbs. */
typedef struct big {
    int length;
    uint32_t limb[LIMBS];
} big;

static big big_of(uint64_t value)
{
    big result = {0};
    for (; value != 0; value >>= 32) {
        result.limb[result.length++] = (uint32_t)value;
    }
    return result;
}

static void big_scale(big *x, uint32_t factor)
{
    uint64_t carry = 0;
    for (int i = 0; i < x->length; i++) {
        carry += (uint64_t)x->limb[i] * factor;
        x->limb[i] = (uint32_t)carry;
        carry >>= 32;
    }
    if (carry != 0) {
        x->limb[x->length++] = (uint32_t)carry;
    }
}

static void big_scale_pow10(big *x, int power)
{
    for (; power >= 9; power -= 9) {
        big_scale(x, 1000000000);
    }
    for (; power > 0; power--) {
        big_scale(x, 10);
    }
}

static void big_shift(big *x, int bits)
{
    int limbs = bits / 32;
    if (limbs > 0 && x->length > 0) {
        memmove(x->limb + limbs, x->limb, (size_t)x->length * sizeof(x->limb[0]));
        memset(x->limb, 0, (size_t)limbs * sizeof(x->limb[0]));
        x->length += limbs;
    }
    big_scale(x, (uint32_t)1 << (bits % 32));
}

static int big_compare(const big *a, const big *b)
{
    if (a->length != b->length) {
        return a->length < b->length ? -1 : 1;
    }
    for (int i = a->length - 1; i >= 0; i--) {
        if (a->limb[i] != b->limb[i]) {
            return a->limb[i] < b->limb[i] ? -1 : 1;
        }
    }
    return 0;
}

static void big_add(big *a, const big *b)
{
    uint64_t carry = 0;
    int length = a->length > b->length ? a->length : b->length;
    for (int i = 0; i < length; i++) {
        carry += (uint64_t)(i < a->length ? a->limb[i] : 0) + (i < b->length ? b->limb[i] : 0);
        a->limb[i] = (uint32_t)carry;
        carry >>= 32;
    }
    a->length = length;
    if (carry != 0) {
        a->limb[a->length++] = (uint32_t)carry;
    }
}

/* a -= b, where a >= b. */
static void big_subtract(big *a, const big *b)
{
    uint64_t borrow = 0;
    for (int i = 0; i < a->length; i++) {
        uint64_t difference = (uint64_t)a->limb[i] - (i < b->length ? b->limb[i] : 0) - borrow;
        a->limb[i] = (uint32_t)difference;
        borrow = difference >> 63;
    }
    while (a->length > 0 && a->limb[a->length - 1] == 0) {
        a->length--;
    }
}

tm_binary tm_binary_of(tm_dtype dtype, const void *element)
{
    int fraction_bits, exponent_bits;
    uint64_t bits = 0;
    uint32_t bits32;
    uint16_t bits16;
    switch (dtype) {
    case TM_FLOAT64:
        fraction_bits = 52, exponent_bits = 11;
        memcpy(&bits, element, sizeof(bits));
        break;
    case TM_FLOAT32:
        fraction_bits = 23, exponent_bits = 8;
        memcpy(&bits32, element, sizeof(bits32));
        bits = bits32;
        break;
    default: /* the two of 16 bits */
        fraction_bits = dtype == TM_BFLOAT16 ? 7 : 10;
        exponent_bits = 15 - fraction_bits;
        memcpy(&bits16, element, sizeof(bits16));
        bits = bits16;
        break;
    }
    uint64_t hidden = (uint64_t)1 << fraction_bits;
    uint64_t fraction = bits & (hidden - 1);
    int largest = (1 << exponent_bits) - 1;
    int biased = (int)(bits >> fraction_bits) & largest;
    int shift = (largest >> 1) + fraction_bits;
    tm_binary x = {0};
    x.negative = (bits >> (fraction_bits + exponent_bits)) != 0;
    if (biased == largest) {
        x.nan = fraction != 0;
        x.magnitude = x.nan ? (double)NAN : HUGE_VAL;
        return x;
    }
    x.finite = true;
    x.mantissa = biased != 0 ? hidden | fraction : fraction;
    x.exponent = (biased != 0 ? biased : 1) - shift;
    x.uneven = fraction == 0 && biased > 1;
    x.magnitude = ldexp((double)x.mantissa, x.exponent);
    return x;
}

/* Adds one to the last digit. Returns the new number of digits. */
static int round_up(char *digits, int count, int *exponent)
{
    while (count > 0 && digits[count - 1] == '9') {
        count--;
    }
    if (count == 0) {
        digits[count++] = '1';
        ++*exponent;
    } else {
        digits[count - 1]++;
    }
    return count;
}

int tm_digits_of(const tm_binary *x, tm_cutoff cutoff, char digits[TM_DIGITS_MAX], int *exponent)
{
    *exponent = 0;
    if (x->mantissa == 0) {
        digits[0] = '0';
        return 1;
    }
    /* value / scale is the number, below / scale and above / scale half the gaps around it. */
    big value = big_of(x->mantissa), scale = big_of(1), below = big_of(1);
    int extra = x->uneven ? 2 : 1;
    big_shift(&value, (x->exponent > 0 ? x->exponent : 0) + extra);
    big_shift(&scale, (x->exponent < 0 ? -x->exponent : 0) + extra);
    big_shift(&below, x->exponent > 0 ? x->exponent : 0);

    /* The place of the first digit: a guess that is never too high, then corrected. */
    int place = (int)floor(log10(x->magnitude)) - 1;
    if (cutoff.fractional && cutoff.at_most >= 0 && place < -cutoff.at_most) {
        place = -cutoff.at_most; /* of a number below the last digit that one alone: 0, or 1 */
    }
    if (place > 0) {
        big_scale_pow10(&scale, place);
    } else {
        big_scale_pow10(&value, -place);
        big_scale_pow10(&below, -place);
    }
    for (big next = scale;; place++) {
        big_scale(&next, 10);
        if (big_compare(&value, &next) < 0) {
            break;
        }
        scale = next;
    }
    *exponent = place;
    int last = cutoff.at_most < 0  ? place - (TM_DIGITS_MAX - 1)
               : cutoff.fractional ? -cutoff.at_most
                                   : place + 1 - cutoff.at_most;
    if (last < place - (TM_DIGITS_MAX - 1)) {
        last = place - (TM_DIGITS_MAX - 1);
    }
    int first_stop = cutoff.at_least < 0 ? place
                     : cutoff.fractional ? -cutoff.at_least
                                         : place + 1 - cutoff.at_least;

    /* An even mantissa wins ties when the digits are read back, so its gaps are closed. */
    int touch = (x->mantissa & 1) == 0 ? 1 : 0;
    int count = 0;
    bool low = false, high = false;
    for (;; place--) {
        char digit = '0';
        while (big_compare(&value, &scale) >= 0) {
            big_subtract(&value, &scale);
            digit++;
        }
        digits[count++] = digit;
        if (!cutoff.exact) {
            big reach = below;
            if (x->uneven) {
                big_scale(&reach, 2);
            }
            big_add(&reach, &value);
            low = big_compare(&value, &below) < touch;
            high = big_compare(&reach, &scale) > -touch;
        }
        bool enough = cutoff.exact ? value.length == 0 : (low || high) && place <= first_stop;
        if (enough || place <= last) {
            break;
        }
        big_scale(&value, 10);
        if (big_compare(&below, &scale) <= 0) { /* a wider gap would change nothing */
            big_scale(&below, 10);
        }
    }
    bool up = high;
    if (low == high) { /* both neighbours are out of reach, or neither is: the nearer digit */
        big_scale(&value, 2);
        int half = big_compare(&value, &scale);
        up = half > 0 || (half == 0 && (digits[count - 1] & 1) != 0);
    }
    return up ? round_up(digits, count, exponent) : count;
}
