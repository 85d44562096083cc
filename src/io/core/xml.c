// SPDX-License-Identifier: Apache-2.0
// The elements of an XML file. Expat parses; this file gives it the caller's memory, and limits.
#include "io/core/xml.h"

const char *toc_xml_attribute(const char **attributes, const char *name) {
    for (; attributes[0]; attributes += 2)
        if (strcmp(attributes[0], name) == 0) return attributes[1];
    return NULL;
}

bool toc_xml_attribute_is(const char **attributes, const char *name, const char *value) {
    const char *found = toc_xml_attribute(attributes, name);
    return found && strcmp(found, value) == 0;
}

#ifdef TOC_HAVE_EXPAT

#include <expat.h>

#include "base/platform/platform.h"
#include "io/core/sized.h"

enum { DEEPEST = 64, PART = 1 << 24, PART_LEAST = 64 };

// Expat passes no context to its memory functions, so the allocator of the current parse is stored per thread.
static _Thread_local const toc_allocator *expat_memory;

static void *expat_new(size_t size) { return toc_sized_resize(expat_memory, NULL, size); }

static void *expat_resize(void *block, size_t size) { return toc_sized_resize(expat_memory, block, size); }

static void expat_free(void *block) { toc_sized_free(expat_memory, block); }

/// Expat gives an index of -1 where it has seen no byte, and between calls for some versions: the position is then the
/// end of the bytes that expat was given.
const char *toc_xml_tag(const toc_xml *xml) {
    const XML_Index index = XML_GetCurrentByteIndex(xml->parser);
    const size_t seen = (size_t)(xml->fed - xml->source->begin);
    if (index < 0 || (uint64_t)index > seen - xml->passed) return xml->fed;
    return xml->source->begin + xml->passed + index;
}

const char *toc_xml_behind_tag(const toc_xml *xml) { return toc_xml_tag(xml) + XML_GetCurrentByteCount(xml->parser); }

static void stop(toc_xml *xml, toc_status status) {
    if (xml->status != TOC_OK || status == TOC_OK) return;
    xml->status = status;
    XML_StopParser(xml->parser, XML_FALSE);
}

static toc_status xml_fail_tag(toc_xml *xml, const char *sentence) {
    xml->source->at = toc_xml_tag(xml);
    return toc_source_fail(xml->source, "%s", sentence);
}

static void xml_on_begin(void *user, const XML_Char *name, const XML_Char **attributes) {
    toc_xml *xml = user;
    if (xml->status != TOC_OK) return;
    if (xml->texts && strcmp(name, xml->texts + 1) == 0) xml->text = toc_xml_behind_tag(xml);
    if (++xml->depth > DEEPEST)
        stop(xml, xml_fail_tag(xml, "the elements are nested too deeply"));
    else
        stop(xml, xml->begin(xml, name, (const char **)attributes));
}

static void xml_on_end(void *user, const XML_Char *name) {
    toc_xml *xml = user;
    if (xml->status != TOC_OK) return;
    stop(xml, xml->end(xml, name));
    xml->depth--;
}

static void on_document_type(void *user, const XML_Char *name, const XML_Char *system, const XML_Char *public,
                             int internal) {
    (void)name, (void)system, (void)public, (void)internal;
    toc_xml *xml = user;
    if (!xml->takes_type) stop(xml, xml_fail_tag(xml, "a document type (<!DOCTYPE) is not accepted"));
}

static void on_entity(void *user, const XML_Char *name, int is_parameter, const XML_Char *value, int length,
                      const XML_Char *base, const XML_Char *system, const XML_Char *public, const XML_Char *notation) {
    (void)name, (void)is_parameter, (void)value, (void)length, (void)base, (void)system, (void)public, (void)notation;
    stop(user, xml_fail_tag(user, "an entity (<!ENTITY) is not accepted"));
}

/// Expat's error, unless we stopped it.
static toc_status fail_parse(toc_xml *xml) {
    if (xml->status != TOC_OK) return xml->status;
    const enum XML_Error error = XML_GetErrorCode(xml->parser);
    if (error == XML_ERROR_NO_MEMORY) return toc_fail_memory(0);
    return xml_fail_tag(xml, XML_ErrorString(error));
}

/// The end of the next part to parse: behind a tag whose text is skipped, if there is one. Expat takes an int for the
/// length.
static const char *part_end(const toc_xml *xml, const char *at, const char *until) {
    const size_t left = (size_t)(until - at), part = left < PART ? left : PART, least = xml->least;
    const char *tag =
        xml->texts && least < part ? toc_bytes_find(at + least, part - least, xml->texts, strlen(xml->texts)) : NULL;
    const char *end = tag ? memchr(tag, '>', (size_t)(at + part - tag)) : NULL;
    return end ? end + 1 : at + part;
}

/// The start of the next part: the next tag, if the text before it is skipped. A false match, as in a comment, makes
/// parts longer.
static const char *pass_text(toc_xml *xml, const char *at, const char *until) {
    const char *tag = xml->text == at ? memchr(at, '<', (size_t)(until - at)) : NULL;
    if (xml->text != at) xml->least = xml->least ? 2 * xml->least : PART_LEAST;
    if (!tag) return at;
    xml->passed += (size_t)(tag - at);
    return tag;
}

static toc_status feed(toc_xml *xml, const char *until) {
    const bool whole = until == xml->source->end;
    toc_source walk = *xml->source;
    walk.at = walk.begin;
    do {
        const char *end = part_end(xml, walk.at, until);
        const int part = (int)(end - walk.at);
        xml->fed = end;
        if (XML_Parse(xml->parser, walk.at, part, whole && end == until) != XML_STATUS_OK) return fail_parse(xml);
        walk.at = pass_text(xml, end, until);
        toc_source_pass(&walk);
    } while (walk.at < until);
    return TOC_OK;
}

toc_status toc_xml_parse(toc_xml *xml, const char *until) {
    const XML_Memory_Handling_Suite memory = {expat_new, expat_resize, expat_free};
    const toc_allocator *before = expat_memory;
    expat_memory = &xml->source->allocator;
    xml->parser = XML_ParserCreate_MM(NULL, &memory, NULL);
    toc_status status = xml->parser ? TOC_OK : toc_fail_memory(0);
    if (xml->parser) {
        XML_SetUserData(xml->parser, xml);
        XML_SetElementHandler(xml->parser, xml_on_begin, xml_on_end);
        XML_SetStartDoctypeDeclHandler(xml->parser, on_document_type);
        XML_SetEntityDeclHandler(xml->parser, on_entity);
        xml->fed = xml->source->begin;
        status = feed(xml, until);
        XML_ParserFree(xml->parser);
        xml->parser = NULL;
    }
    expat_memory = before;
    return status;
}

#else

const char *toc_xml_tag(const toc_xml *xml) { return xml->source->at; }

const char *toc_xml_behind_tag(const toc_xml *xml) { return xml->source->at; }

toc_status toc_xml_parse(toc_xml *xml, const char *until) {
    (void)until;
    return toc_source_fail(xml->source, "XML files cannot be read: this library was built without expat");
}

#endif
