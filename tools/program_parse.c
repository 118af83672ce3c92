/* program_parse.c: tokens as statements.
 *
 *     statement = "vmap" { NAME "=" value } | "end"
 *               | [ targets "=" ] NAME [ "." NAME ] "(" [ argument { "," argument } ] ")"
 *     targets   = NAME { "," NAME } [ "," ]
 *     argument  = [ NAME "=" ] value
 *     value     = NUMBER | TEXT | NAME [ "[" INTEGER "]" ] | "gen" "(" INTEGER [ "," INTEGER ] ")"
 *               | ( "[" | "(" ) [ value { "," value } [ "," ] ] ( "]" | ")" )
 */
#include <stdio.h>
#include <string.h>

#include "program.h"

enum { DEEPEST = 8 }; /* lists in lists: no type has any */

typedef struct parser {
    tm_program *program;
    tm_place place;
    tm_token token; /* the next one */
    int depth, lists;
    tm_place open[TM_MAX_LEVELS]; /* each vmap that has no end yet */
} parser;

/* Room for one more behind `count` things. */
static void *grow(parser *p, void *array, int count, size_t size)
{
    if (count & (count - 1))
        return array;
    size_t room = count ? 2 * (size_t)count : 1;
    char *more = tm_cli_alloc(p->program->memory, room, size);
    if (count)
        memcpy(more, array, (size_t)count * size);
    return more;
}

static int advance(parser *p)
{
    p->token = tm_token_read(p->program->memory, &p->program->source, &p->place);
    return p->token.kind == TM_TOKEN_WRONG ? TM_EXIT_USAGE : TM_EXIT_OK;
}

static bool is_sign(const parser *p, char sign)
{
    return p->token.kind == TM_TOKEN_SIGN && p->token.text[0] == sign;
}

static bool ends_line(const parser *p)
{
    return p->token.kind == TM_TOKEN_LINE || p->token.kind == TM_TOKEN_END;
}

static int expected(const parser *p, const char *what)
{
    const char *quote = ends_line(p) ? "" : "'";
    return tm_source_wrong(&p->program->source, p->token.place, "expected %s, got %s%.100s%s", what,
                           quote, p->token.text, quote);
}

static int take_sign(parser *p, char sign, const char *what)
{
    return is_sign(p, sign) ? advance(p) : expected(p, what);
}

/* -- Values ------------------------------------------------------------------------------------ */

static bool is_word(const char *text)
{
    return strcmp(text, "None") == 0 || strcmp(text, "True") == 0 || strcmp(text, "False") == 0 ||
           tm_dtype_from_name(text) != TM_DTYPE_NONE;
}

static int parse_value(parser *p, tm_written *value);

static int parse_list(parser *p, tm_written *value)
{
    char close = is_sign(p, '[') ? ']' : ')';
    value->kind = TM_WRITTEN_LIST;
    if (++p->lists > DEEPEST)
        return tm_source_wrong(&p->program->source, p->token.place, "no list is so deep");
    int code = advance(p);
    while (code == TM_EXIT_OK && !is_sign(p, close)) {
        value->items = grow(p, value->items, value->count, sizeof *value->items);
        code = parse_value(p, &value->items[value->count++]);
        if (code == TM_EXIT_OK && !is_sign(p, close))
            code = take_sign(p, ',', close == ']' ? "',' or ']'" : "',' or ')'");
    }
    p->lists--;
    return code == TM_EXIT_OK ? advance(p) : code;
}

/* The word that cli_value.c reads: "gen(7, 3)". */
static int parse_generator(parser *p, tm_written *value)
{
    char word[80];
    const char *numbers[2] = {"0", "0"};
    value->kind = TM_WRITTEN_WORD;
    int code = advance(p);
    for (int i = 0; i < 2 && code == TM_EXIT_OK; i++) {
        if (p->token.kind != TM_TOKEN_NUMBER)
            return expected(p, i ? "how many calls came before" : "a seed");
        numbers[i] = p->token.text;
        code = advance(p);
        if (code != TM_EXIT_OK || i == 1 || !is_sign(p, ','))
            break;
        code = advance(p);
    }
    snprintf(word, sizeof word, "gen(%.32s, %.32s)", numbers[0], numbers[1]);
    size_t length = strlen(word) + 1;
    value->text = memcpy(tm_cli_alloc(p->program->memory, length, 1), word, length);
    return code == TM_EXIT_OK ? take_sign(p, ')', "')'") : code;
}

static int parse_index(parser *p, tm_written *value)
{
    int code = advance(p);
    if (code != TM_EXIT_OK)
        return code;
    if (p->token.kind != TM_TOKEN_NUMBER ||
        !tm_cli_int(p->token.text, strlen(p->token.text), &value->index) || value->index < 0)
        return expected(p, "an integer of at least 0");
    code = advance(p);
    return code == TM_EXIT_OK ? take_sign(p, ']', "']'") : code;
}

static int parse_name(parser *p, tm_written *value)
{
    tm_program_names *names = p->program->names;
    value->text = p->token.text;
    int code = advance(p);
    if (code != TM_EXIT_OK)
        return code;
    if (strcmp(value->text, "gen") == 0 && is_sign(p, '('))
        return parse_generator(p, value);
    if (is_sign(p, '('))
        return tm_source_wrong(&p->program->source, value->place,
                               "a call stands on a line of its own: name its result there");
    value->kind = TM_WRITTEN_NAME;
    value->name = tm_program_names_find(names, value->text);
    if (value->name < 0)
        return tm_source_wrong(&p->program->source, value->place, "'%.100s' has not been set",
                               value->text);
    tm_program_names_used(names, value->name, p->program->num_statements);
    return is_sign(p, '[') ? parse_index(p, value) : TM_EXIT_OK;
}

static int parse_value(parser *p, tm_written *value)
{
    *value = (tm_written){.place = p->token.place, .name = -1, .index = -1};
    if (is_sign(p, '[') || is_sign(p, '('))
        return parse_list(p, value);
    value->text = p->token.text;
    value->kind = TM_WRITTEN_WORD;
    if (p->token.kind == TM_TOKEN_NAME && !is_word(p->token.text))
        return parse_name(p, value);
    if (p->token.kind == TM_TOKEN_TEXT)
        value->kind = TM_WRITTEN_TEXT;
    else if (p->token.kind != TM_TOKEN_NUMBER && p->token.kind != TM_TOKEN_NAME)
        return expected(p, "a value");
    return advance(p);
}

/* -- Calls ------------------------------------------------------------------------------------- */

static tm_argument *add_argument(parser *p, tm_statement *s)
{
    s->arguments = grow(p, s->arguments, s->num_arguments, sizeof *s->arguments);
    tm_argument *argument = &s->arguments[s->num_arguments++];
    *argument = (tm_argument){.place = p->token.place};
    return argument;
}

/* NAME=VALUE and VALUE part at the second token. */
static int parse_argument(parser *p, tm_statement *s)
{
    tm_argument *argument = add_argument(p, s);
    if (p->token.kind == TM_TOKEN_NAME) {
        tm_token name = p->token;
        tm_place behind = p->place;
        int code = advance(p);
        if (code != TM_EXIT_OK)
            return code;
        if (is_sign(p, '=')) {
            argument->name = name.text;
            code = advance(p);
            return code == TM_EXIT_OK ? parse_value(p, &argument->value) : code;
        }
        p->token = name;
        p->place = behind;
    }
    return parse_value(p, &argument->value);
}

static int check_callee(parser *p, const tm_statement *s)
{
    const tm_source *source = &p->program->source;
    if (tm_form_find(s->callee)) {
        bool at_level = strcmp(s->callee, "in") == 0 || strcmp(s->callee, "out") == 0 ||
                        strcmp(s->callee, "vmap_index") == 0;
        if (at_level && p->depth == 0)
            return tm_source_wrong(source, s->place, "%s stands in no vmap block", s->callee);
        if (s->overload)
            return tm_source_wrong(source, s->place, "%s has no overloads", s->callee);
        return TM_EXIT_OK;
    }
    if (!tm_op_find(s->callee, "")) {
        char why[512];
        tm_cli_describe_unknown(s->callee, why, sizeof why);
        return tm_source_wrong(source, s->place, "%s", why);
    }
    if (s->overload && !tm_op_find(s->callee, s->overload))
        return tm_source_wrong(source, s->place, "%s has no overload '%.100s'", s->callee,
                               s->overload);
    return TM_EXIT_OK;
}

/* Behind the callee's name. */
static int parse_call(parser *p, tm_statement *s)
{
    int code = TM_EXIT_OK;
    if (is_sign(p, '.')) {
        code = advance(p);
        if (code == TM_EXIT_OK && p->token.kind != TM_TOKEN_NAME)
            return expected(p, "an overload's name");
        s->overload = p->token.text;
        code = code == TM_EXIT_OK ? advance(p) : code;
    }
    if (code == TM_EXIT_OK)
        code = take_sign(p, '(', "'('");
    if (code == TM_EXIT_OK)
        code = check_callee(p, s);
    while (code == TM_EXIT_OK && !is_sign(p, ')')) {
        code = parse_argument(p, s);
        if (code == TM_EXIT_OK && !is_sign(p, ')'))
            code = take_sign(p, ',', "',' or ')'");
    }
    return code == TM_EXIT_OK ? advance(p) : code;
}

/* -- Blocks ------------------------------------------------------------------------------------ */

/* "vmap size=10 randomness=different": names are its words. */
static int parse_vmap(parser *p, tm_statement *s)
{
    if (p->depth == TM_MAX_LEVELS)
        return tm_source_wrong(&p->program->source, s->place, "at most %d vmap blocks can be open",
                               TM_MAX_LEVELS);
    p->open[p->depth++] = s->place;
    while (!ends_line(p)) {
        if (p->token.kind != TM_TOKEN_NAME)
            return expected(p, "size=... or randomness=...");
        tm_argument *argument = add_argument(p, s);
        argument->name = p->token.text;
        int code = advance(p);
        if (code == TM_EXIT_OK)
            code = take_sign(p, '=', "'='");
        if (code != TM_EXIT_OK)
            return code;
        argument->value =
            (tm_written){.place = p->token.place, .text = p->token.text, .name = -1, .index = -1};
        bool number = p->token.kind == TM_TOKEN_NUMBER;
        argument->value.kind = number || is_word(p->token.text) ? TM_WRITTEN_WORD : TM_WRITTEN_TEXT;
        if (!number && p->token.kind != TM_TOKEN_NAME && p->token.kind != TM_TOKEN_TEXT)
            return expected(p, "a value");
        code = advance(p);
        if (code != TM_EXIT_OK)
            return code;
    }
    return TM_EXIT_OK;
}

/* -- Statements -------------------------------------------------------------------------------- */

static bool is_reserved(const char *text)
{
    return is_word(text) || strcmp(text, "vmap") == 0 || strcmp(text, "end") == 0;
}

static int add_target(parser *p, tm_statement *s, tm_token name)
{
    if (is_reserved(name.text))
        return tm_source_wrong(&p->program->source, name.place, "'%s' cannot be set", name.text);
    s->targets = grow(p, s->targets, s->num_targets, sizeof *s->targets);
    s->targets[s->num_targets++] = (tm_target){name.place, name.text, -1};
    return TM_EXIT_OK;
}

/* From the first name, which is the next token's neighbour, up to "=". */
static int parse_targets(parser *p, tm_statement *s, tm_token first)
{
    int code = add_target(p, s, first);
    while (code == TM_EXIT_OK && is_sign(p, ',')) {
        code = advance(p);
        if (code != TM_EXIT_OK || is_sign(p, '=')) {
            s->list_of_one = s->num_targets == 1;
            break;
        }
        if (p->token.kind != TM_TOKEN_NAME)
            return expected(p, "a name");
        tm_token name = p->token;
        code = advance(p);
        if (code == TM_EXIT_OK)
            code = add_target(p, s, name);
    }
    return code == TM_EXIT_OK ? take_sign(p, '=', "'=' or '('") : code;
}

/* Targets count as set behind the statement: its arguments are read before. */
static void set_targets(parser *p, tm_statement *s)
{
    tm_program_names *names = p->program->names;
    for (int i = 0; i < s->num_targets; i++) {
        if (strcmp(s->targets[i].text, "_") == 0)
            continue;
        s->targets[i].name = tm_program_names_add(names, s->targets[i].text);
        tm_program_names_used(names, s->targets[i].name, p->program->num_statements);
    }
}

static int parse_statement(parser *p, tm_statement *s)
{
    if (p->token.kind != TM_TOKEN_NAME)
        return expected(p, "a name");
    tm_token name = p->token;
    int code = advance(p);
    if (code != TM_EXIT_OK)
        return code;
    s->place = name.place;
    s->callee = name.text;
    if (strcmp(name.text, "vmap") == 0)
        return parse_vmap(p, s);
    if (strcmp(name.text, "end") == 0) {
        if (p->depth == 0)
            return tm_source_wrong(&p->program->source, name.place, "there is no vmap to end");
        p->depth--;
        return TM_EXIT_OK;
    }
    if (!is_sign(p, '(') && !is_sign(p, '.')) {
        code = parse_targets(p, s, name);
        if (code == TM_EXIT_OK && p->token.kind != TM_TOKEN_NAME)
            return expected(p, "a call");
        s->place = p->token.place;
        s->callee = p->token.text;
        code = code == TM_EXIT_OK ? advance(p) : code;
    }
    if (code == TM_EXIT_OK)
        code = parse_call(p, s);
    if (code == TM_EXIT_OK)
        set_targets(p, s);
    return code;
}

int tm_program_parse(tm_program *program)
{
    parser p = {.program = program, .place = {program->source.text, 1}};
    int code = advance(&p);
    while (code == TM_EXIT_OK && p.token.kind != TM_TOKEN_END) {
        if (p.token.kind == TM_TOKEN_LINE) {
            code = advance(&p);
            continue;
        }
        program->statements =
            grow(&p, program->statements, program->num_statements, sizeof *program->statements);
        tm_statement *s = &program->statements[program->num_statements];
        *s = (tm_statement){0};
        code = parse_statement(&p, s);
        program->num_statements++;
        if (code == TM_EXIT_OK && !ends_line(&p))
            code = expected(&p, "the end of the line");
    }
    if (code == TM_EXIT_OK && p.depth > 0)
        code = tm_source_wrong(&program->source, p.open[p.depth - 1], "this vmap has no end");
    return code;
}
