// SPDX-License-Identifier: Apache-2.0
// Lines, fields, options and parameters of an LS-DYNA deck.
#include <assert.h>
#include <ctype.h>
#include <math.h>
#include <strings.h>

#include "io/dyna/dyna.h"

bool toc_dyna_line(toc_dyna *deck, toc_card *line) {
    toc_source *source = deck->source;
    while (source->at < source->end && *source->at == '$') toc_source_next_line(source);
    if (source->at == source->end || *source->at == '*') return false;
    toc_card_take(source, line);
    return true;
}

bool toc_dyna_card(toc_dyna *deck, toc_card *line) {
    do {
        if (!toc_dyna_line(deck, line)) return false;
    } while (line->at == line->end);
    return true;
}

toc_status toc_dyna_need(toc_dyna *deck, toc_card *line) {
    if (toc_dyna_line(deck, line)) return TOC_OK;
    return toc_source_fail(deck->source, "a card of *%s is missing here", deck->name);
}

toc_status toc_dyna_skip(toc_dyna *deck, int64_t count) {
    for (toc_card line; count > 0; count--) TOC_TRY(toc_dyna_need(deck, &line));
    return TOC_OK;
}

static bool is_parameter(toc_text field) {
    return field.count > 1 && (field.at[0] == '&' || (field.at[0] == '-' && field.at[1] == '&'));
}

/// The value of &name or -&name; false if it is not defined. The last definition counts.
static bool dyna_card_find_parameter(const toc_dyna *deck, toc_text field, double *out) {
    const bool negative = field.at[0] == '-';
    const toc_text name = {field.at + 1 + negative, field.count - 1 - negative};
    for (size_t i = deck->parameters.count; i-- > 0;) {
        const toc_dyna_parameter *p = &deck->parameters.at[i];
        if (strlen(p->name) != name.count || strncasecmp(p->name, name.at, name.count) != 0) continue;
        *out = negative ? -p->value : p->value;
        return true;
    }
    return false;
}

toc_status toc_dyna_real(toc_dyna *deck, toc_card *line, size_t width, double *out) {
    assert(width > 0);
    const toc_text field = toc_card_field(line, width);
    *out = 0;
    if (field.count == 0) return TOC_OK;
    if (is_parameter(field)) {
        const bool known = dyna_card_find_parameter(deck, field, out);
        return known ? TOC_OK : toc_field_fail(deck->source, field, "a parameter that is defined");
    }
    if (!toc_field_real(field, out)) return toc_field_fail(deck->source, field, "a number");
    return isfinite(*out) ? TOC_OK : toc_field_fail(deck->source, field, "a finite number");
}

toc_status toc_dyna_real_or_0(toc_dyna *deck, toc_card *line, size_t width, double *out) {
    assert(width > 0);
    toc_card look = *line;
    const toc_text field = toc_card_field(&look, width);
    *out = 0;
    if (!is_parameter(field) || dyna_card_find_parameter(deck, field, out))
        return toc_dyna_real(deck, line, width, out);
    *line = look;
    return TOC_OK;
}

toc_status toc_dyna_integer(toc_dyna *deck, toc_card *line, size_t width, int64_t *out) {
    assert(width > 0);
    static const double most = 1e15; // integers up to there are doubles
    const toc_text field = toc_card_field(line, width);
    double value;
    *out = 0;
    if (field.count == 0 || toc_field_integer(field, out)) return TOC_OK;
    if (!is_parameter(field) || !dyna_card_find_parameter(deck, field, &value) || !(fabs(value) < most))
        return toc_field_fail(deck->source, field, "an integer");
    *out = (int64_t)value;
    return TOC_OK;
}

bool toc_dyna_option(const toc_dyna *deck, const char *option) {
    const size_t length = strlen(option);
    for (const char *at = deck->name; (at = strchr(at, '_')); at++)
        if (strncmp(at + 1, option, length) == 0 && (at[length + 1] == 0 || at[length + 1] == '_')) return true;
    return false;
}

int toc_dyna_options(const toc_dyna *deck, const char *const *options) {
    assert(options);
    int count = 0;
    for (; *options; options++) count += toc_dyna_option(deck, *options);
    return count;
}

/// "R  name" or "Iname", and its value.
static toc_status read_parameter(toc_dyna *deck, toc_text field, toc_card *line) {
    toc_dyna_parameter parameter = {.value = 0};
    size_t skip = 1;
    while (skip < field.count && toc_is_blank(field.at[skip])) skip++;
    const size_t length = field.count - skip;
    if (length == 0 || length >= TOC_DYNA_PARAMETER)
        return toc_field_fail(deck->source, field, "the name of a parameter");
    memcpy(parameter.name, field.at + skip, length);
    TOC_TRY(toc_dyna_real(deck, line, deck->column, &parameter.value));
    TOC_TRY(toc_array_reserve(&deck->allocator, &deck->parameters, 1));
    deck->parameters.at[deck->parameters.count++] = parameter;
    return TOC_OK;
}

toc_status toc_dyna_read_parameters(toc_dyna *deck) {
    for (toc_card line; toc_dyna_card(deck, &line);)
        while (line.at < line.end) {
            const toc_text field = toc_card_field(&line, deck->column);
            if (field.count == 0 || toupper((unsigned char)field.at[0]) == 'C') break; // a text fills its card
            TOC_TRY(read_parameter(deck, field, &line));
        }
    return TOC_OK;
}
