// SPDX-License-Identifier: Apache-2.0
// Rigid bodies: mass, pose, motion. Vertices keep their place in the frame of the body in sim->rest.
#ifndef SIM_BODY_RIGID_H
#define SIM_BODY_RIGID_H

#include "sim/body/body.h"

/// Append the rigid body of a mesh whose particles are in place. Solid if its boundary is closed, else its mass is on
/// its vertices.
toc_status toc_sim_rigid_add(toc_sim *sim, const sim_build *build);

/// Move for a time h: velocities by gravity and the gyroscopic moment, then the pose.
void toc_sim_rigid_predict(const toc_sim *sim, sim_rigid *rigid, double damping, double h);
/// Velocities from the poses before and now.
void toc_sim_rigid_update(sim_rigid *rigid, double h);
/// Put the vertices of all rigid bodies where their poses say.
void toc_sim_rigids_place(toc_sim *sim, double (*x)[3]);

/// A point of the frame of the body, in the world.
void toc_sim_pose_apply(const sim_pose *pose, const double local[3], double out[3]);
/// inverse inertia of the world times a vector
void toc_sim_rigid_invert(const sim_rigid *rigid, const double a[3], double out[3]);
/// Inverse mass that a force along a unit direction at a point of the world meets.
double toc_sim_rigid_inverse_mass(const sim_rigid *rigid, const double point[3], const double direction[3]);
/// Move the pose by a positional impulse at a point of the world.
void toc_sim_rigid_push(sim_rigid *rigid, const double point[3], const double impulse[3]);

#endif
