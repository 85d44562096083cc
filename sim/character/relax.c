// SPDX-License-Identifier: Apache-2.0
// The kernels of this build.
#include "sim/character/relax.h"

flesh_relax_kernel *toc_relax_kernel_of(int lanes) {
#ifdef TOC_HAVE_AVX
    if (lanes == 8) return toc_relax_kernel8;
#endif
#if defined(TOC_HAVE_AVX) || defined(TOC_HAVE_NEON)
    if (lanes == 4) return toc_relax_kernel4;
#endif
    (void)lanes;
    return toc_relax_kernel1;
}
