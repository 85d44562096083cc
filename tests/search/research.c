// SPDX-License-Identifier: Apache-2.0
// Presets, methods and parameters of papers: there in the usual build, and refused by name in one that leaves them out.
#include "toccata/research.h"

#include <string.h>

#include "support/answers.h"
#include "support/test.h"

static const char without[] = "research, which this build leaves out (TOC_RESEARCH=OFF)";

static toc_status ask(const toc_query *query) {
    toc_scene *scene = test_scene_of(test_grid_sheet(TOC_TRIANGLE, 2, 2), NULL);
    toc_contacts *contacts = NULL;
    const toc_status status = toc_scene_find_contacts(scene, query, NULL, &contacts);
    toc_contacts_destroy(contacts);
    toc_scene_destroy(scene);
    return status;
}

static void expect(toc_status status) {
    if (toc_research_is_built())
        assert_ok(status);
    else
        assert_fails(status, TOC_BAD_INPUT, without);
}

static void presets_of_papers(void **state) {
    (void)state;
    toc_query query = toc_query_default();
    size_t papers = 0, all = 0, found = 0;
    for (; toc_research_get_preset(papers); papers++) {
        query.preset = toc_research_get_preset(papers);
        expect(ask(&query));
    }
    for (; toc_preset_get(all).name; all++)
        for (size_t i = 0; i < papers; i++) found += strcmp(toc_preset_get(all).name, toc_research_get_preset(i)) == 0;
    assert_int_equal(papers, 7);
    assert_int_equal(found, toc_research_is_built() ? papers : 0);
    assert_int_equal(all - found, 5);
    query.preset = "nothing";
    assert_fails(ask(&query), TOC_BAD_INPUT,
                 "there is no preset nothing; choose one of: auto, bvh, voxel-safe, volccd, brute");
}

static void methods_of_papers(void **state) {
    (void)state;
    toc_query query = toc_query_default();
    const toc_method papers[] = {TOC_METHOD_CA_FEATURE, TOC_METHOD_CA_TRIANGLE, TOC_METHOD_CULLING,
                                 TOC_METHOD_INCLUSION, TOC_METHOD_ADDITIVE};
    for (int i = 0; i < 5; i++) {
        query.test.method = papers[i];
        assert_int_equal(toc_method_get(papers[i]).is_complete, toc_research_is_built());
        expect(ask(&query));
    }
    query.test.method = TOC_METHOD_CUBIC;
    assert_ok(ask(&query));
}

static void parameters_of_papers(void **state) {
    (void)state;
    toc_query query = toc_query_default();
    const toc_research nothing = {0}, dops = {.dop = 18}, unknown = {.skip = TOC_SKIP_ALL + 1};
    query.research = &nothing;
    expect(ask(&query));
    query.research = &dops;
    expect(ask(&query));
    query.research = &unknown;
    assert_fails(ask(&query), TOC_BAD_INPUT, toc_research_is_built() ? "nothing to skip" : "TOC_RESEARCH=OFF");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(presets_of_papers),
        cmocka_unit_test(methods_of_papers),
        cmocka_unit_test(parameters_of_papers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
