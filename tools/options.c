// SPDX-License-Identifier: Apache-2.0
// Read the command line with getopt_long, by the option table of the subcommand.
#include "tools/options.h"

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/platform/platform.h"
#include "toccata/research.h"
#include "tools/guess.h"
#include "tools/output.h"

enum { MOST_OPTIONS = 64 };

const tool_option tool_option_help = {.kind = TOOL_ON, .name = "help", .what = "describe this subcommand"};

const char *tool_option_text(const tool_option *option) {
    static char text[80];
    snprintf(text, sizeof text, option->value ? "--%s %s" : "--%s", option->name, option->value);
    return text;
}

bool tool_names_have(tool_names *names, const char *name) {
    for (size_t i = 0; names(i); i++) {
        if (strcmp(names(i), name) == 0) return true;
    }
    return false;
}

int tool_names_find(tool_names *names, const char *name) {
    assert(tool_names_have(names, name));
    int i = 0;
    while (strcmp(names((size_t)i), name) != 0) i++;
    return i;
}

const char *tool_answer_name(size_t i) {
    static const char *const answers[] = {
        [TOC_ANSWER_ALL] = "all", [TOC_ANSWER_FIRST] = "first", [TOC_ANSWER_ANY] = "any"};
    return i < 3 ? answers[i] : NULL;
}

const char *tool_device_name(size_t i) {
    static const char *const devices[] = {
        [TOC_DEVICE_AUTO] = "auto", [TOC_DEVICE_CPU] = "cpu", [TOC_DEVICE_GPU] = "gpu"};
    return i < 3 ? devices[i] : NULL;
}

const char *tool_method_name(size_t i) { return i < TOC_METHOD_COUNT ? toc_method_get((toc_method)i).name : NULL; }

const char *tool_paper_preset_name(size_t i) { return toc_research_get_preset(i); }

// The presets of papers are the last ones.
const char *tool_preset_name(size_t i) {
    const char *name = toc_preset_get(i).name;
    return name && !tool_names_have(toc_research_get_preset, name) ? name : NULL;
}

// ---- rows of a table

static bool option_belongs(const tool_command *command, const tool_option *option, unsigned sections) {
    assert(option->section <= TOOL_FORMER);
    const unsigned kinds = ~(unsigned)TOOL_MPI;
    if (!(sections >> option->section & 1)) return false;
    if (command->who == 0 || option->who == 0) return true;
    return (command->who & option->who & kinds) && (!(command->who & TOOL_MPI) || (option->who & TOOL_MPI));
}

const tool_option *tool_options_next(const tool_command *command, const tool_option *after, unsigned sections) {
    for (const tool_option *o = after ? after + 1 : command->options; o->kind != TOOL_END; o++)
        if (option_belongs(command, o, sections)) return o;
    return NULL;
}

const char *tool_option_choice(const tool_option *option, size_t i) {
    size_t count = 0;
    if (!option->choices) return NULL;
    while (option->choices(count)) count++;
    if (i < count) return option->choices(i);
    return option->rare ? option->rare(i - count) : NULL;
}

char *tool_names_join(tool_names *names) {
    char *text = NULL;
    size_t size = 0;
    FILE *into = toc_stream_open_text(&text, &size);
    if (!into) return NULL;
    for (size_t i = 0; names(i); i++) {
        fprintf(into, "%s%s", i == 0 ? "" : names(i + 1) ? ", " : " and ", names(i));
    }
    toc_stream_close_text(into, &text, &size);
    return text;
}

static const tool_option *guessed;
static const char *guessed_choice(size_t i) { return tool_option_choice(guessed, i); }

static toc_status refuse_choice(const tool_option *option, const char *text) {
    guessed = option;
    char *known = tool_names_join(guessed_choice);
    const toc_status status =
        tool_fail(TOC_BAD_INPUT, "--%s: no such choice \"%s\"%s %s", option->name, text,
                  tool_guess_text(guessed_choice, "", text, "choose one of"), known ? known : "those in --help");
    free(known);
    return status;
}

static toc_status read_choice(const tool_option *option, const char *text) {
    assert(option->choices);
    guessed = option;
    if (!tool_names_have(guessed_choice, text)) return refuse_choice(option, text);
    *(const char **)option->to = text;
    return TOC_OK;
}

// Names with commas between them.
static toc_status read_choices(const tool_option *option, const char *text) {
    assert(option->choices);
    for (const char *end; *text; text = *end ? end + 1 : end) {
        char name[80];
        size_t i = 0;
        end = text + strcspn(text, ",");
        snprintf(name, sizeof name, "%.*s", (int)(end - text), text);
        while (option->choices(i) && strcmp(option->choices(i), name) != 0) i++;
        if (!option->choices(i)) return refuse_choice(option, name);
        *(uint32_t *)option->to |= UINT32_C(1) << i;
    }
    return TOC_OK;
}

static toc_status read_count(const tool_option *option, const char *text) {
    char *end;
    errno = 0;
    const unsigned long long value = strtoull(text, &end, 10);
    // strtoull reads "-1" as a huge number.
    if (end == text || *end || errno || strchr(text, '-') || value > INT32_MAX) {
        return tool_fail(TOC_BAD_INPUT, "--%s takes a whole number from 0 to %d, not \"%s\"", option->name, INT32_MAX,
                         text);
    }
    *(size_t *)option->to = (size_t)value;
    return TOC_OK;
}

static toc_status read_length(const tool_option *option, const char *text) {
    char *end;
    const double value = strtod(text, &end);
    if (end == text || *end || !isfinite(value) || value < 0) {
        return tool_fail(TOC_BAD_INPUT, "--%s takes a finite number of at least 0, not \"%s\"", option->name, text);
    }
    *(double *)option->to = value;
    return TOC_OK;
}

// Units are powers of 1000, as in the messages.
static double unit_of(const char *text) {
    static const char units[] = "KMGT";
    const char *unit = *text ? strchr(units, toupper((unsigned char)*text)) : NULL;
    double factor = 1;
    if (*text == 0) return 1;
    if (!unit || (text[1] && !(toupper((unsigned char)text[1]) == 'B' && !text[2]))) return 0;
    for (const char *u = units; u <= unit; u++) factor *= 1000;
    return factor;
}

static toc_status read_size(const tool_option *option, const char *text) {
    char *end;
    const double value = strtod(text, &end), unit = unit_of(end), bytes = value * unit;
    if (end == text || unit == 0 || !(bytes >= 1 && bytes < 1e18)) {
        return tool_fail(TOC_BAD_INPUT, "--%s takes a number of bytes as in 500M or 4G, not \"%s\"", option->name,
                         text);
    }
    *(uint64_t *)option->to = (uint64_t)bytes;
    return TOC_OK;
}

static toc_status read_text(const tool_option *option, const char *text) {
    assert(text);
    tool_texts *to = option->to;
    if (to->count == TOOL_MOST_TEXTS)
        return tool_fail(TOC_BAD_INPUT, "--%s is given more than %d times", option->name, TOOL_MOST_TEXTS);
    to->at[to->count++] = text;
    return TOC_OK;
}

static toc_status read_value(const tool_option *option, const char *text) {
    switch (option->kind) {
    case TOOL_ON:
    case TOOL_OFF:
        *(bool *)option->to = option->kind == TOOL_ON;
        return TOC_OK;
    case TOOL_COUNT:
        return read_count(option, text);
    case TOOL_LENGTH:
        return read_length(option, text);
    case TOOL_SIZE:
        return read_size(option, text);
    case TOOL_CHOICE:
        return read_choice(option, text);
    case TOOL_CHOICES:
        return read_choices(option, text);
    case TOOL_TEXTS:
        return read_text(option, text);
    case TOOL_TEXT:
    case TOOL_FILE:
    case TOOL_FOLDER:
        *(const char **)option->to = text;
        return TOC_OK;
    case TOOL_FILES: // taken before
    case TOOL_END:
        break;
    }
    return tool_fail(TOC_INTERNAL, "the option --%s has no kind", option->name);
}

// The rows of a command, and the same in getopt's form with --help last.
typedef struct option_list {
    int count;
    const tool_option *rows[MOST_OPTIONS];
    struct option forms[MOST_OPTIONS + 2];
} option_list;

static void list_options(const tool_command *command, option_list *out) {
    *out = (option_list){0};
    for (const tool_option *o = NULL; (o = tool_options_next(command, o, TOOL_ALL));) {
        assert(out->count < MOST_OPTIONS);
        out->forms[out->count] =
            (struct option){.name = o->name, .has_arg = o->value ? required_argument : no_argument};
        out->rows[out->count++] = o;
    }
    out->forms[out->count] = (struct option){.name = tool_option_help.name};
}

static const tool_command *guessed_command;
static const char *guessed_option(size_t i) {
    const tool_option *option = NULL;
    do option = tool_options_next(guessed_command, option, TOOL_ALL);
    while (option && i-- > 0);
    return option ? option->name : NULL;
}

static toc_status refuse_option(const tool_command *command, int found, const char *word) {
    if (found == ':') return tool_fail(TOC_BAD_INPUT, "%s needs a value; see toccata %s --help", word, command->name);
    char name[80];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(word + strspn(word, "-"), "="), word + strspn(word, "-"));
    guessed_command = command;
    return tool_fail(TOC_BAD_INPUT, "%s is not an option of this subcommand%s toccata %s --help", word,
                     tool_guess_text(guessed_option, "--", name, "see"), command->name);
}

// A former spelling works, and says the new one.
static toc_status take_value(const tool_option *option, const char *text) {
    assert(option->section != TOOL_FORMER || option->now);
    if (option->section == TOOL_FORMER) tool_former(option->name, option->now);
    return read_value(option, text);
}

// ---- options with one file or two

// The option of this kind that a word names, with its first value behind a "=" or NULL.
static const tool_option *files_option(const tool_command *command, const char *word, const char **value) {
    for (const tool_option *o = NULL; (o = tool_options_next(command, o, TOOL_ALL));) {
        const size_t length = strlen(o->name);
        if (o->kind != TOOL_FILES || strncmp(word, "--", 2) != 0 || strncmp(word + 2, o->name, length) != 0) continue;
        *value = word[2 + length] == '=' ? word + 3 + length : NULL;
        if (*value || !word[2 + length]) return o;
    }
    return NULL;
}

static bool is_value(const char *word) { return word[0] != '-' || word[1] == 0 || word[1] == '.'; }

static toc_status take_file_pair(const tool_option *option, const char *first, const char *second) {
    assert(first);
    tool_files *to = option->to;
    if (to->count == TOOL_MOST_TEXTS)
        return tool_fail(TOC_BAD_INPUT, "--%s is given more than %d times", option->name, TOOL_MOST_TEXTS);
    to->at[to->count][0] = first;
    to->at[to->count++][1] = second;
    return TOC_OK;
}

// Take these options and their files out of the words. @param count the number of words, before and after.
static toc_status take_files(const tool_command *command, int *count, char **words) {
    assert(*count > 0);
    int kept = 1;
    bool seen = false;
    for (int i = 1; i < *count; i++) {
        const char *value;
        const tool_option *option = strcmp(words[i], "--") == 0 ? NULL : files_option(command, words[i], &value);
        if (!option) {
            seen = seen || is_value(words[i]);
            words[kept++] = words[i];
            continue;
        }
        if (!seen)
            return tool_fail(TOC_BAD_INPUT, "give the frames before --%s, which takes one file or two", option->name);
        if (!value && (i + 1 >= *count || !is_value(words[i + 1])))
            return tool_fail(TOC_BAD_INPUT, "--%s needs a value; see toccata %s --help", option->name, command->name);
        if (!value) value = words[++i];
        const char *second = i + 1 < *count && is_value(words[i + 1]) ? words[++i] : NULL;
        const toc_status status = take_file_pair(option, value, second);
        if (status != TOC_OK) return status;
    }
    *count = kept;
    return TOC_OK;
}

// getopt would read -.ply, standard input with a format, as an option: hide its hyphen while it works.
static void swap_first(int count, char **words, char from, char to) {
    for (int i = 1; i < count; i++)
        if (words[i][0] == from && words[i][1] == '.') words[i][0] = to;
}

toc_status tool_options_read(const tool_command *command, int *word_count, char **arguments, int *first,
                             bool *wants_help) {
    option_list list;
    list_options(command, &list);
    int found, index = 0;
    const toc_status taken = take_files(command, word_count, arguments);
    const int count = *word_count;
    if (taken != TOC_OK) return taken;
    enum { HIDDEN = 1 };
    optind = 0;
    swap_first(count, arguments, '-', HIDDEN);
    while ((found = getopt_long(count, arguments, ":h", list.forms, &index)) != -1) {
        if (found == 'h' || (found == 0 && index == list.count)) {
            *wants_help = true;
            return TOC_OK;
        }
        if (found != 0) return refuse_option(command, found, arguments[optind - 1]);
        const toc_status status = take_value(list.rows[index], optarg);
        if (status != TOC_OK) return status;
    }
    swap_first(count, arguments, HIDDEN, '-');
    *first = optind;
    return TOC_OK;
}
