// SPDX-License-Identifier: Apache-2.0
// BVH, the motion files of Biovision: a skeleton, and the numbers of its channels for each frame.
#ifndef TOC_IO_MOTION_CAPTURE_FILE_H
#define TOC_IO_MOTION_CAPTURE_FILE_H

#include "io/core/source.h"

enum { TOC_CAPTURE_MOST_CHANNELS = 6 };

/// A joint. Channels 0 to 2 are positions along x, y, z; 3 to 5 rotations about x, y, z, in degrees.
typedef struct toc_capture_joint {
    size_t name;     // where it begins among the names
    uint32_t parent; // UINT32_MAX for none; parents stand before their children
    double offset[3];
    size_t first_channel;
    uint8_t channels[TOC_CAPTURE_MOST_CHANNELS], channel_count;
} toc_capture_joint;

typedef struct toc_capture_file {
    TOC_ARRAY(toc_capture_joint) joints;
    TOC_ARRAY(char) names;    // each with a 0 behind it
    TOC_ARRAY(double) values; // frame by frame, channel_count each
    size_t channel_count, frame_count;
    double step; // seconds from frame to frame
} toc_capture_file;

/// Read a file. Free with toc_capture_file_free, also on failure.
toc_status toc_capture_file_read(toc_source *source, toc_capture_file *out);
void toc_capture_file_free(toc_capture_file *capture, const toc_allocator *allocator);

#endif
