// SPDX-License-Identifier: Apache-2.0
#ifndef TOCCATA_DEVICE_H
#define TOCCATA_DEVICE_H

#include "toccata/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The processor or the graphics processor that searches (toc_query.device). The answers have the same bits.
typedef enum toc_device_choice {
    /// The library chooses. This version takes the processor.
    TOC_DEVICE_AUTO = 0,
    TOC_DEVICE_CPU,
    /// The graphics processor, or the call fails with TOC_NO_DEVICE and a sentence that says why. All contacts and the
    /// first contact of surfaces and volumes on straight paths are found there, by the certified test, thick or not;
    /// likewise the pairs of a safe step and of a step with room, and near pairs. Of presets other than "auto" the
    /// elementary tests run there. The rest runs on the processor: any contact, accelerated bodies, the closest
    /// approach
    /// over a step, other questions, and pairs that need exact arithmetic. A device takes about a second to start in a
    /// process, and longer the first time.
    TOC_DEVICE_GPU
} toc_device_choice;

/// A device of this machine.
typedef struct toc_device_info {
    char name[96];      ///< As its maker calls it.
    uint64_t memory;    ///< Bytes.
    int32_t processors; ///< Groups of threads that run at once.
    int32_t driver;     ///< Version of the driver: 1000 * major + 10 * minor.
} toc_device_info;

/// List the devices that TOC_DEVICE_GPU can use; queries take the first one. Their driver (libcuda.so.1) is loaded by
/// this call or by the first such query, not before. TOC_DEVICE=emulated in the environment stands for one device whose
/// kernels run on the processor, for tests.
/// @param room in `devices`, which may be NULL for 0. @param count receives the number of devices, which may be more.
/// @return TOC_NO_DEVICE where there is none.
TOC_API toc_status toc_device_list(size_t room, toc_device_info *devices, size_t *count);

// Memory of the device that queries use. Programs with arrays of their own there (CUDA, PyTorch, CuPy, Warp, JAX) need
// none of this: their pointers are taken as they are (toc_scene_move_on_device).

/// Allocate memory of the device.
/// @param out receives its address there; give it back with toc_device_release. Untouched on failure.
/// @return TOC_OK, TOC_BAD_INPUT for 0 bytes, TOC_OUT_OF_MEMORY or TOC_NO_DEVICE.
TOC_API toc_status toc_device_allocate(size_t bytes, void **out);
/// Give memory of toc_device_allocate back, once all work with it is done; NULL is fine.
TOC_API void toc_device_release(void *at);
/// Copy from or to memory of the device, behind the work that a stream has been given so far, and wait for the copy.
/// @param stream as in toc_scene_move_on_device. @param bytes 0 to wait for the stream alone.
/// @return TOC_OK, TOC_BAD_INPUT where neither address is one of the device, or TOC_NO_DEVICE.
TOC_API toc_status toc_device_copy(void *to, const void *from, size_t bytes, void *stream);

#ifdef __cplusplus
}
#endif

#endif
