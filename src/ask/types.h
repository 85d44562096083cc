// SPDX-License-Identifier: Apache-2.0
// The types of the answers to questions (base/answer.h), each in the file of its question.
#ifndef TOC_ASK_TYPES_H
#define TOC_ASK_TYPES_H

#include "base/answer.h"

extern const toc_answer_type toc_near_type, toc_overlap_type, toc_vertex_pair_type, toc_containment_type;

#endif
