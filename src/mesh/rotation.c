// SPDX-License-Identifier: Apache-2.0
// Rigid motion in steps of straight paths: how far the paths are from the motion, and how many steps keep them near.
//
// A vertex at the distance r from the axis turns by the angle w in a step, and its position x(t) has |x''| = r w^2 at
// all times; the shift is linear. A function differs from its linear interpolation by at most max |x''| / 8, so
// straight paths are within r w^2 / 8 of the rigid motion, at the same time. At half of the step the distance is r (1 -
// cos(w / 2)), so the bound is tight for small angles. n equal steps have r (w / n)^2 / 8 each.
#include <math.h>

#include "base/arithmetic.h"
#include "base/status.h"
#include "base/vec.h"
#include "toccata/mesh.h"

static const double UP = 1 + 0x1p-40; // more than the rounding of all that is computed here

static toc_status check_rotation(const toc_rotation *r) {
    double square = 0;
    TOC_NEED(r);
    for (int k = 0; k < 3; k++) {
        if (!isfinite(r->centre[k]) || !isfinite(r->axis[k]) || !isfinite(r->shift[k]))
            return toc_fail(TOC_BAD_INPUT, "coordinate %c of the rotation is not finite", "xyz"[k]);
        square += r->axis[k] * r->axis[k];
    }
    if (!isfinite(r->angle)) return toc_fail(TOC_BAD_INPUT, "the angle of the rotation is %g", r->angle);
    if (!(square > 0) || !isfinite(square)) return toc_fail(TOC_BAD_INPUT, "the axis of the rotation has no length");
    return TOC_OK;
}

static toc_vec unit_axis(const toc_rotation *r) { return toc_vec_unit(toc_vec_of(r->axis)); }

// The largest distance of a vertex from the axis, rounded up.
static double largest_radius(const toc_rotation *r, size_t count, const double *x) {
    const toc_vec axis = unit_axis(r), centre = toc_vec_of(r->centre);
    double most = 0;
    for (size_t i = 0; i < count; i++) {
        const toc_vec arm = toc_vec_sub(toc_vec_of(x + 3 * i), centre);
        // An arm along the axis has a cross product of rounding errors alone.
        most = toc_larger(most, toc_vec_length(toc_vec_cross(axis, arm)) + 0x1p-48 * toc_vec_length(arm));
    }
    return most * UP;
}

// A bound of the distance of straight paths from the start to the end of the motion.
static toc_status bound_rotation_error(const toc_rotation *rotation, size_t count, const double *x, double *error) {
    TOC_TRY(check_rotation(rotation));
    if (count) TOC_NEED(x);
    const double bound = largest_radius(rotation, count, x) * rotation->angle * rotation->angle / 8 * UP;
    if (!isfinite(bound))
        return toc_fail(TOC_BAD_INPUT, "the vertices, or the angle %g, are too large", rotation->angle);
    *error = bound;
    return TOC_OK;
}

toc_status toc_rotation_find_steps(const toc_rotation *rotation, size_t count, const double *x, double tolerance,
                                   uint32_t *steps) {
    TOC_SCOPED_ARITHMETIC;
    double error = 0;
    TOC_NEED(steps);
    if (!(tolerance > 0) || !isfinite(tolerance))
        return toc_fail(TOC_BAD_INPUT, "the tolerance of a rotation is positive and finite, not %g", tolerance);
    TOC_TRY(bound_rotation_error(rotation, count, x, &error));
    const double needed = ceil(sqrt(error / tolerance) * UP);
    if (!(needed <= INT32_MAX))
        return toc_fail(TOC_BAD_INPUT, "a tolerance of %g needs %g steps, more than %d", tolerance, needed, INT32_MAX);
    *steps = needed < 1 ? 1 : (uint32_t)needed;
    return TOC_OK;
}

// Rodrigues' formula.
static toc_vec turned(toc_vec arm, toc_vec axis, double angle) {
    const double c = cos(angle), s = sin(angle);
    const toc_vec along = toc_vec_scale(axis, toc_vec_dot(axis, arm) * (1 - c));
    return toc_vec_add(toc_vec_add(toc_vec_scale(arm, c), toc_vec_scale(toc_vec_cross(axis, arm), s)), along);
}

toc_status toc_rotation_place(const toc_rotation *rotation, double fraction, size_t count, const double *x0,
                              double *x) {
    TOC_SCOPED_ARITHMETIC;
    TOC_TRY(check_rotation(rotation));
    if (!(fraction >= 0 && fraction <= 1))
        return toc_fail(TOC_BAD_INPUT, "the fraction of a motion is 0 to 1, not %g", fraction);
    if (count) TOC_NEED(x0);
    if (count) TOC_NEED(x);
    const toc_vec axis = unit_axis(rotation), centre = toc_vec_of(rotation->centre);
    const toc_vec shift = toc_vec_scale(toc_vec_of(rotation->shift), fraction);
    for (size_t i = 0; i < count; i++) {
        const toc_vec arm = toc_vec_sub(toc_vec_of(x0 + 3 * i), centre);
        const toc_vec at = toc_vec_add(toc_vec_add(centre, shift), turned(arm, axis, rotation->angle * fraction));
        x[3 * i] = at.x, x[3 * i + 1] = at.y, x[3 * i + 2] = at.z;
    }
    return TOC_OK;
}
