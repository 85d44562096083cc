// SPDX-License-Identifier: Apache-2.0
#ifndef TOC_IO_GLTF_WRITE_H
#define TOC_IO_GLTF_WRITE_H

#include "io/core/sink.h"
#include "toccata/io.h"

/// Write a mesh with its vertices at x as a .glb.
toc_status toc_gltf_write(toc_sink *sink, const toc_mesh *mesh, const double *x);
/// Write all frames of a sequence as a .glb that shows `rate` of them a second.
toc_status toc_gltf_write_frames(toc_sink *sink, toc_sequence *sequence, double rate);

/// Write all that was collected.
toc_status toc_glb_write(toc_animation *from, toc_sink *sink);

#endif
