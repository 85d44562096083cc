// SPDX-License-Identifier: Apache-2.0
// The last check of an answer: a defect of the search is told to the caller, and does not reach its list.
#include "search/contacts.h"

#include "support/test.h"

static void several_contacts_instead_of_one_are_a_defect(void **state) {
    (void)state;
    const toc_contact contacts[2] = {{.kind = TOC_VF}, {.kind = TOC_EE}};
    toc_contacts result = {.contacts = contacts, .count = 2};
    toc_query query = toc_query_default();
    assert_ok(toc_contacts_check(&query, &result));
    for (int answer = TOC_ANSWER_FIRST; answer <= TOC_ANSWER_ANY; answer++) {
        query.answer = (toc_answer)answer;
        result.count = 2;
        assert_fails(toc_contacts_check(&query, &result), TOC_INTERNAL, "found 2 contacts instead of one");
        for (result.count = 0; result.count <= 1; result.count++) assert_ok(toc_contacts_check(&query, &result));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(several_contacts_instead_of_one_are_a_defect),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
