/* cli_words.c: the command line as options and arguments.
 *
 * A word that starts with "-" and a digit, ".", "inf" or "nan" is an argument, so that negative
 * numbers need no quoting; "-" alone is one too. An option's value is the rest of its word behind
 * "=", or the next word, which must not look like an option itself.
 */
#include <string.h>

#include "cli.h"

static bool is_argument(const char *word)
{
    if (word[0] != '-' || word[1] == '\0')
        return true;
    const char *rest = word + 1;
    return strchr("0123456789.", *rest) || strncmp(rest, "inf", 3) == 0 ||
           strncmp(rest, "nan", 3) == 0;
}

/* Also "-,0", which no option begins with. */
static bool is_value(const char *word)
{
    return is_argument(word) || word[1] == ',' || word[1] == ':';
}

static tm_cli_kind take_value(tm_cli_words *w, const tm_cli_option *option, const char *behind,
                              const char **value)
{
    if (!option->has_value) {
        if (*behind == '\0')
            return TM_CLI_OPTION;
        tm_cli_wrong("%s takes no value", option->name);
        return TM_CLI_WRONG;
    }
    if (*behind == '=') {
        *value = behind + 1;
        return TM_CLI_OPTION;
    }
    if (w->next < w->count && is_value(w->words[w->next])) {
        *value = w->words[w->next++];
        return TM_CLI_OPTION;
    }
    tm_cli_wrong("%s needs a value", option->name);
    return TM_CLI_WRONG;
}

tm_cli_kind tm_cli_next(tm_cli_words *w, int *option, const char **value)
{
    if (w->next == w->count)
        return TM_CLI_END;
    const char *word = w->words[w->next++];
    *value = word;
    if (w->only_arguments || is_argument(word))
        return TM_CLI_ARGUMENT;
    if (strcmp(word, "--") == 0) {
        w->only_arguments = true;
        return tm_cli_next(w, option, value);
    }
    if (strcmp(word, "-h") == 0 || strcmp(word, "--help") == 0)
        return TM_CLI_HELP;
    for (int i = 0; w->options[i].name; i++) {
        const tm_cli_option *o = &w->options[i];
        size_t length = strlen(o->name);
        bool is_long = o->name[1] == '-';
        if (strncmp(word, o->name, length) != 0 ||
            (word[length] != '\0' && (word[length] != '=' || !is_long)))
            continue;
        if (!o->repeats && w->seen >> i & 1) {
            tm_cli_wrong("%s is given twice", o->name);
            return TM_CLI_WRONG;
        }
        w->seen |= 1u << i;
        *option = i;
        return take_value(w, o, word + length, value);
    }
    tm_cli_wrong("unknown option '%s'", word);
    return TM_CLI_WRONG;
}
