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
    /// The graphics processor, or the call fails with TOC_NO_DEVICE and a sentence that says why. The elementary tests
    /// of contacts run there; everything else, and other questions, on the processor. Only pairs of a certified test on
    /// straight paths go there. TOC_DEVICE=search in the environment lets the device search surfaces, too, which was
    /// tried on the emulated device only so far. A device takes about a second to start in a process, and longer the
    /// first time.
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

#ifdef __cplusplus
}
#endif

#endif
