// SPDX-License-Identifier: Apache-2.0
// A trial: a small scene, a sequence of steps and edits, and questions about each step, all written out as operations.
//
// The generator writes a trial, the runner applies it to the library and to a model of its own, the shrinker leaves out
// operations. An operation that makes no sense for the model (a vertex that is gone) is left out on both sides, so any
// part of a trial is a trial.
#ifndef TOC_CAMPAIGN_TRIAL_H
#define TOC_CAMPAIGN_TRIAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "toccata/toccata.h"

typedef enum trial_verb {
    TRIAL_BODY,           // add a body: 3n numbers; ids: shape, corners... of its elements, one after the other
    TRIAL_MOVE,           // body; numbers: the new end, 3 a vertex
    TRIAL_SET_MOTION,     // body; numbers: start, then end
    TRIAL_ACCELERATE,     // body; numbers: 3 a vertex
    TRIAL_ADD_VERTICES,   // body; numbers: positions
    TRIAL_ADD_ELEMENT,    // body; ids: shape, corners...
    TRIAL_REMOVE_ELEMENT, // body; ids: element
    TRIAL_REMOVE_VERTEX,  // body; ids: vertex
    TRIAL_SPLIT,          // body; ids: vertex, elements...
    TRIAL_MERGE,          // body; ids: kept, gone
    TRIAL_GROUP,          // body; ids: element, group
    TRIAL_THICKNESS,      // body; ids: element; numbers: thickness
    TRIAL_BODY_THICKNESS, // body; numbers: thickness
    TRIAL_BODY_FILTER,    // body; ids: layers, mask
    TRIAL_SELF_CONTACT,   // body; ids: on
    TRIAL_GROUP_CONTACT,  // ids: group, group, on
    TRIAL_REMOVE_BODY,    // body
    TRIAL_QUESTION,
    TRIAL_VERB_COUNT
} trial_verb;

typedef enum trial_ask {
    TRIAL_ALL,
    TRIAL_FIRST,
    TRIAL_ANY,
    TRIAL_SAFE_STEP,
    TRIAL_NEAR,
    TRIAL_NEAR_IN_STEP,
    TRIAL_OVERLAPS,
    TRIAL_ELEMENT_OVERLAPS,
    TRIAL_FEATURES,
    TRIAL_ROOM_STEP, // from here on questions of include/toccata/solver.h
    TRIAL_CANDIDATES,
    TRIAL_TOUCHES,
    TRIAL_CLOSEST,
    TRIAL_HITS,
    TRIAL_CONTAINING,
    TRIAL_CONTAINMENTS,
    TRIAL_CONFLICT,
    TRIAL_CHANGES,
    TRIAL_ASK_COUNT
} trial_ask;

typedef struct trial_question {
    trial_ask ask;
    int preset; // index for toc_preset_get
    int method; // toc_method; -1 for the preset's own
    int threads;
    int end;
    double separation, thickness, from, to;
    bool surface_only, fresh; // fresh: asked of a scene that was never asked before
    uint32_t skip;
    uint32_t filter;  // 0 for no callback; else the callback refuses some pairs, by a hash with this number
    uint32_t fail_at; // n-th allocation fails; 0 for none
    uint32_t stop_at; // n-th report of progress says stop; 0 for none
    bool thin;        // without the thickness of bodies and elements
    uint32_t image;   // kinds and seed of an image of the scene that must answer alike (image.h); 0 for none
    uint32_t salt;    // seed of the probes, shares and fractions of a solver's question
} trial_question;

typedef struct trial_op {
    trial_verb verb;
    uint32_t body;
    size_t number_count, id_count;
    double *numbers;
    uint32_t *ids;
    trial_question question;
} trial_op;

typedef struct trial {
    uint64_t seed;
    const char *family; // of the generator
    size_t count, capacity;
    trial_op *ops;
} trial;

/// Add an operation with copies of the arrays.
trial_op *trial_add(trial *t, trial_verb verb, uint32_t body, size_t number_count, const double *numbers,
                    size_t id_count, const uint32_t *ids);
/// A deep copy, without the operations whose `keep` is false; NULL keeps all.
trial trial_copy(const trial *t, const bool *keep);
void trial_free(trial *t);
/// As text, one operation a line, doubles as hexadecimal floats; and back. False for a text that is none.
void trial_write(const trial *t, FILE *to);
bool trial_read(trial *t, FILE *from);
/// As a C program on the public interface.
void trial_write_program(const trial *t, const char *what, FILE *to);
const char *trial_ask_name(trial_ask ask);
/// Whether an operation or a question has this name.
bool trial_has(const trial *t, const char *name);

/// Make the trial of a seed.
trial trial_generate(uint64_t seed);
/// Number of families, and the name of one.
int trial_family_count(void);
const char *trial_family_name(int family);

/// Random numbers (splitmix64).
typedef struct trial_random {
    uint64_t state;
} trial_random;
uint64_t trial_bits(trial_random *r);
uint32_t trial_below(trial_random *r, uint32_t count);
double trial_between(trial_random *r, double low, double high);
bool trial_chance(trial_random *r, double share);
uint64_t trial_hash(uint64_t a, uint64_t b);

#endif
