/* program_words.c: a program's text as tokens.
 *
 * A line ends a statement. "#" begins a comment. A backslash in a text stands before a quote, a
 * backslash, n, t, or x and two hexadecimal digits.
 */
#include <ctype.h>
#include <string.h>

#include "program.h"

static bool is_name(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

static bool is_digit(char c)
{
    return isdigit((unsigned char)c);
}

static bool is_special(const char *at, size_t length)
{
    static const char *const words[] = {"inf", "nan", "infj", "nanj"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strlen(words[i]) == length && strncmp(at, words[i], length) == 0)
            return true;
    return false;
}

static size_t name_length(const char *at)
{
    size_t length = 0;
    while (is_name(at[length]))
        length++;
    return length;
}

/* Digits, letters, points, and signs: those that a number may hold. What is no number is found out
 * where its type is known. */
static size_t number_length(const char *at)
{
    size_t length = 0;
    while (is_name(at[length]) || at[length] == '.' || at[length] == '+' || at[length] == '-')
        length++;
    return length;
}

static bool begins_number(const char *at)
{
    at += *at == '-' || *at == '+';
    return is_digit(*at) || (*at == '.' && is_digit(at[1])) || is_special(at, name_length(at)) ||
           (is_name(*at) && is_special(at, 3) && (at[3] == '+' || at[3] == '-'));
}

static char *copy(tm_cli_memory *memory, const char *at, size_t length)
{
    char *text = tm_cli_alloc(memory, length + 1, 1);
    for (size_t i = 0; i < length; i++)
        text[i] = at[i];
    return text;
}

static int hex(char c)
{
    return is_digit(c) ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* What a backslash and what follows stand for: *at is moved behind it; 0 where it is nothing. */
static char escaped(const char **at)
{
    char c = *(*at)++;
    if (c == 'n')
        return '\n';
    if (c == 't')
        return '\t';
    if (c == 'x') {
        int high = hex((*at)[0]), low = high < 0 ? -1 : hex((*at)[1]);
        if (low < 0)
            return '\0';
        *at += 2;
        return (char)(16 * high + low);
    }
    return c == '"' || c == '\'' || c == '\\' ? c : '\0';
}

static tm_token wrong(const tm_source *source, tm_token token, tm_place at, const char *message)
{
    tm_source_wrong(source, at, "%s", message);
    token.kind = TM_TOKEN_WRONG;
    return token;
}

static tm_token read_text(tm_cli_memory *memory, const tm_source *source, tm_token token,
                          tm_place *place)
{
    const char *at = place->at, *end = source->text + source->length;
    char quote = *at++;
    char *text = tm_cli_alloc(memory, strcspn(at, "\n") + 1, 1), *to = text;
    while (at < end && *at != quote && *at != '\n' && *at != '\0') {
        char c = *at++;
        tm_place backslash = {at - 1, place->line};
        if (c == '\\' && !(c = escaped(&at)))
            return wrong(source, token, backslash,
                         "a backslash stands before \", ', \\, n, t, or x and two hexadecimal "
                         "digits that are not 00");
        *to++ = c;
    }
    if (at >= end || *at != quote)
        return wrong(source, token, token.place, "the text has no closing quote on its line");
    place->at = at + 1;
    token.text = text;
    return token;
}

tm_token tm_token_read(tm_cli_memory *memory, const tm_source *source, tm_place *place)
{
    const char *end = source->text + source->length;
    while (place->at < end && (*place->at == ' ' || *place->at == '\t' || *place->at == '\r'))
        place->at++;
    if (place->at < end && *place->at == '#')
        while (place->at < end && *place->at != '\n')
            place->at++;
    tm_token token = {.kind = TM_TOKEN_END, .place = *place, .text = "the end of the program"};
    if (place->at >= end)
        return token;
    const char *at = place->at;
    if (*at == '\n') {
        token.kind = TM_TOKEN_LINE;
        token.text = "the end of the line";
        *place = (tm_place){at + 1, place->line + 1};
        return token;
    }
    if (*at == '"' || *at == '\'') {
        token.kind = TM_TOKEN_TEXT;
        return read_text(memory, source, token, place);
    }
    size_t length = 1;
    token.kind = TM_TOKEN_SIGN;
    if (begins_number(at)) {
        token.kind = TM_TOKEN_NUMBER;
        length = number_length(at);
    } else if (is_name(*at)) {
        token.kind = TM_TOKEN_NAME;
        length = name_length(at);
    } else if (!strchr("=,.()[]", *at) || *at == '\0') {
        return wrong(source, token, token.place, "this character begins nothing");
    }
    token.text = copy(memory, at, length);
    place->at = at + length;
    return token;
}
