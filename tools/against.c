// SPDX-License-Identifier: Apache-2.0
// toccata check --against: the contacts of a search against those of a complete preset.
#include "tools/against.h"

#include <assert.h>
#include <string.h>

#include "base/status.h"

static bool is_complete(const char *preset) {
    for (size_t i = 0; toc_preset_get(i).name; i++)
        if (strcmp(toc_preset_get(i).name, preset) == 0) return toc_preset_get(i).is_complete;
    return false;
}

toc_status tool_against_check(const char *preset, const char *answer) {
    if (!preset) return TOC_OK;
    if (!is_complete(preset))
        return tool_fail(TOC_BAD_INPUT, "--against %s: this preset can miss contacts; compare with auto or brute",
                         preset);
    if (strcmp(answer, "all") == 0) return TOC_OK;
    return tool_fail(TOC_BAD_INPUT, "--against compares all contacts; leave out --answer %s", answer);
}

// Both lists are in the order of toc_contact_compare, each pair once.
static void compare_contacts(const toc_contacts *found, const toc_contacts *truth, tool_against *out) {
    size_t i = 0, j = 0;
    while (i < found->count || j < truth->count) {
        const int order = i == found->count   ? 1
                          : j == truth->count ? -1
                                              : toc_contact_compare(&found->contacts[i], &truth->contacts[j]);
        out->missed += order > 0;
        out->invented += order < 0;
        out->invented_in_doubt += order < 0 && found->contacts[i].verdict == TOC_UNDECIDED;
        i += order <= 0;
        j += order >= 0;
    }
}

toc_status tool_against_find(toc_scene *scene, const toc_query *query, const char *preset, const toc_contacts *found,
                             tool_against *out) {
    assert(query->answer == TOC_ANSWER_ALL && found);
    toc_query other = *query;
    toc_contacts *truth;
    other.preset = preset;
    other.research = NULL;
    other.test = toc_pair_test_default();
    other.test.method = TOC_METHOD_OF_PRESET;
    other.test.separation = query->test.separation;
    TOC_TRY(toc_scene_find_contacts(scene, &other, NULL, &truth));
    *out = (tool_against){.preset = preset, .contacts = truth->count};
    compare_contacts(found, truth, out);
    toc_contacts_destroy(truth);
    return TOC_OK;
}

void tool_against_add(tool_against *sum, const tool_against *one) {
    if (!one->preset) return;
    sum->preset = one->preset;
    sum->contacts += one->contacts;
    sum->missed += one->missed;
    sum->invented += one->invented;
    sum->invented_in_doubt += one->invented_in_doubt;
}

void tool_against_print(FILE *out, const tool_against *a) {
    if (!a->preset) return;
    fprintf(out, "against   %s: %zu contacts; %zu missed, %zu invented", a->preset, a->contacts, a->missed,
            a->invented);
    if (a->invented_in_doubt) fprintf(out, " (%zu of them undecided)", a->invented_in_doubt);
    fputc('\n', out);
}

void tool_against_print_short(FILE *out, const tool_against *a) {
    if (a->preset) fprintf(out, "  %zu missed, %zu invented", a->missed, a->invented);
}

void tool_against_to_json(cJSON *object, const tool_against *a) {
    if (!a->preset) return;
    cJSON *to = cJSON_AddObjectToObject(object, "against");
    cJSON_AddStringToObject(to, "preset", a->preset);
    tool_json_count(to, "contacts", a->contacts);
    tool_json_count(to, "missed", a->missed);
    tool_json_count(to, "invented", a->invented);
    tool_json_count(to, "invented_undecided", a->invented_in_doubt);
}
