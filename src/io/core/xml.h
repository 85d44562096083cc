// SPDX-License-Identifier: Apache-2.0
// The elements of an XML file one after the other, through expat.
//
// Document types are refused, so that no entity can expand, and so is nesting beyond that of any real file. A format
// whose files have a type by custom takes one without entities.
#ifndef TOC_IO_CORE_XML_H
#define TOC_IO_CORE_XML_H

#include "io/core/source.h"

typedef struct toc_xml toc_xml;

struct toc_xml {
    toc_source *source;
    void *user; // for begin and end
    /// Called at the beginning and at the end of each element; anything but TOC_OK ends the parse.
    toc_status (*begin)(toc_xml *xml, const char *name, const char **attributes);
    toc_status (*end)(toc_xml *xml, const char *name);
    bool takes_type;
    void *parser; // expat's; NULL outside of a parse
    int depth;    // of the present element, 1 for the outermost
    toc_status status;
    const char *texts; // "<NAME" of elements whose text is skipped, not parsed, or NULL
    const char *text;  // behind the tag of the last of them
    const char *fed;   // end of the bytes that expat was given
    size_t passed;     // bytes that expat did not get
    size_t least;      // the length of a part; it grows so that a long tag is not parsed again and again
};

/// Parse the source up to `until`: its end, or earlier if the rest is not XML; elements may then stay open. Failures
/// name the line.
toc_status toc_xml_parse(toc_xml *xml, const char *until);

/// The beginning of the present tag, and the byte behind it. For begin and end.
const char *toc_xml_tag(const toc_xml *xml);
const char *toc_xml_behind_tag(const toc_xml *xml);

/// The value of an attribute, NULL if there is none.
const char *toc_xml_attribute(const char **attributes, const char *name);
/// Whether an attribute exists and has this value.
bool toc_xml_attribute_is(const char **attributes, const char *name, const char *value);

#endif
