// SPDX-License-Identifier: Apache-2.0
// Wheels run with glibc 2.17 and later. The linker binds a function to its newest version, so these calls are taken to
// their first one (-Wl,--wrap=NAME for each); before glibc 2.33 programs saw stat and fstat as __xstat and __fxstat.
#define _GNU_SOURCE
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <sys/stat.h>

#ifdef __x86_64__
#define FIRST "GLIBC_2.2.5"
enum { STAT_VERSION = 1 };
#else
#define FIRST "GLIBC_2.17"
enum { STAT_VERSION = 0 };
#endif

#define OLD(type, name, parameters, values)                                                                            \
    type old_##name parameters;                                                                                        \
    __asm__(".symver old_" #name "," #name "@" FIRST);                                                                 \
    __attribute__((visibility("hidden"))) type __wrap_##name parameters;                                               \
    type __wrap_##name parameters { return old_##name values; }

OLD(int, pthread_create, (pthread_t * thread, const pthread_attr_t *attributes, void *(*run)(void *), void *data),
    (thread, attributes, run, data))
OLD(int, pthread_join, (pthread_t thread, void **result), (thread, result))
OLD(int, pthread_attr_setstacksize, (pthread_attr_t * attributes, size_t size), (attributes, size))
OLD(int, pthread_sigmask, (int how, const sigset_t *set, sigset_t *former), (how, set, former))
OLD(void *, dlopen, (const char *path, int flags), (path, flags))
OLD(void *, dlsym, (void *library, const char *name), (library, name))
OLD(int, dlclose, (void *library), (library))
OLD(double, log, (double x), (x))
OLD(double, pow, (double x, double y), (x, y))
OLD(double, hypot, (double x, double y), (x, y))

int old_xstat(int version, const char *path, struct stat *out);
int old_fxstat(int version, int file, struct stat *out);
__asm__(".symver old_xstat,__xstat@" FIRST);
__asm__(".symver old_fxstat,__fxstat@" FIRST);
__attribute__((visibility("hidden"))) int __wrap_stat(const char *path, struct stat *out);
__attribute__((visibility("hidden"))) int __wrap_fstat(int file, struct stat *out);
int __wrap_stat(const char *path, struct stat *out) { return old_xstat(STAT_VERSION, path, out); }
int __wrap_fstat(int file, struct stat *out) { return old_fxstat(STAT_VERSION, file, out); }
