// SPDX-License-Identifier: Apache-2.0
// A graphics processor through the driver of its maker, which is loaded when it is first asked for: neither a toolkit
// to build nor a library to link (docs/decisions/0038-kernels-on-a-device.md). The names are those of CUDA's driver
// API.
//
// The primary context is used, which other users of the device in this process share: PyTorch, JAX, CuPy.
#include "device/device.h"

#if defined(__unix__) && !defined(__wasm__)
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum {
    LEAST_DRIVER = 10000, // PTX 6.3
    LEAST_MAJOR = 7,      // compute capability of the kernels (CMakeLists.txt)
    BLOCK = 128,          // threads
    BLOCKS = 12,          // for each group of processors: as many as 168 registers a thread leave room for, thrice
    ATTRIBUTE_PROCESSORS = 16,
    ATTRIBUTE_MAJOR = 75,
    OUT_OF_MEMORY = 2, // CUresult
    MEMORY_DEVICE = 2, // CUmemorytype
    EVENT_WITHOUT_TIME = 2,
    POINTER_MEMORY_TYPE = 2, // CUpointer_attribute
    POINTER_DEVICE = 9,
    POINTER_RANGE_START = 11,
    POINTER_RANGE_SIZE = 12
};

#define FUNCTIONS(row)                                                                                                 \
    row(cuInit, (unsigned)) row(cuDriverGetVersion, (int *)) row(cuDeviceGetCount, (int *)) row(                       \
        cuDeviceGet, (int *, int)) row(cuDeviceGetName, (char *, int, int)) row(cuDeviceTotalMem_v2, (size_t *, int))  \
        row(cuDeviceGetAttribute, (int *, int, int)) row(cuDevicePrimaryCtxRetain, (void **, int))                     \
            row(cuCtxPushCurrent_v2, (void *)) row(cuCtxPopCurrent_v2, (void **)) row(cuModuleLoadData,                \
                                                                                      (void **, const void *))         \
                row(cuModuleGetFunction, (void **, void *, const char *)) row(cuMemAlloc_v2, (uint64_t *, size_t))     \
                    row(cuMemFree_v2, (uint64_t)) row(cuMemHostRegister_v2, (void *, size_t, unsigned))                \
                        row(cuMemHostUnregister, (void *)) row(cuStreamCreate, (void **, unsigned))                    \
                            row(cuStreamDestroy_v2, (void *)) row(cuMemcpyAsync, (uint64_t, uint64_t, size_t, void *)) \
                                row(cuStreamSynchronize, (void *))                                                     \
                                    row(cuLaunchKernel, (void *, unsigned, unsigned, unsigned, unsigned, unsigned,     \
                                                         unsigned, unsigned, void *, void **, void **))                \
                                        row(cuGetErrorString, (int, const char **))                                    \
                                            row(cuEventCreate, (void **, unsigned))                                    \
                                                row(cuEventRecord, (void *, void *))                                   \
                                                    row(cuStreamWaitEvent, (void *, void *, unsigned))                 \
                                                        row(cuEventDestroy_v2, (void *))                               \
                                                            row(cuStreamGetCtx, (void *, void **))                     \
                                                                row(cuPointerGetAttribute, (void *, int, uint64_t))

// The driver of this process, once it is open.
static struct {
    pthread_mutex_t lock;
    void *library;
#define MEMBER(name, arguments) int(*name) arguments;
    FUNCTIONS(MEMBER)
#undef MEMBER
    int number; // of the device
    void *context, *kernels[TOC_DEVICE_KERNEL_COUNT];
    pid_t process; // that opened it
    toc_device device;
} driver = {.lock = PTHREAD_MUTEX_INITIALIZER};

static toc_status check_call(int result, const char *what, size_t bytes) {
    const char *reason = NULL;
    if (result == 0) return TOC_OK;
    if (result == OUT_OF_MEMORY && bytes > 0)
        return toc_fail(TOC_OUT_OF_MEMORY, "the device has no room for %zu bytes", bytes);
    if (result == OUT_OF_MEMORY) return toc_fail(TOC_OUT_OF_MEMORY, "the device has no room to %s", what);
    driver.cuGetErrorString(result, &reason);
    return toc_fail(TOC_NO_DEVICE, "the device %s failed to %s: %s", driver.device.info.name, what,
                    reason ? reason : "no reason given");
}

static toc_status refuse_fork(void) {
    return toc_fail(TOC_NO_DEVICE, "this process was forked from one that uses the device, which the driver does not "
                                   "support: start it anew, or use the device in one of the two only");
}

// ---- the functions of a device

static toc_status driver_enter(void) {
    if (driver.process != 0 && driver.process != getpid()) return refuse_fork();
    return check_call(driver.cuCtxPushCurrent_v2(driver.context), "enter a thread", 0);
}

static void driver_leave(void) {
    void *context;
    driver.cuCtxPopCurrent_v2(&context);
}

static toc_status driver_allocate(size_t bytes, void **out) {
    uint64_t at = 0;
    TOC_TRY(check_call(driver.cuMemAlloc_v2(&at, bytes), "allocate memory", bytes));
    *out = (void *)(uintptr_t)at;
    return TOC_OK;
}

static void driver_release(void *at, size_t bytes) {
    (void)bytes;
    if (at && driver.process == getpid()) driver.cuMemFree_v2((uintptr_t)at);
}

static void driver_pin(void *at, size_t bytes) { driver.cuMemHostRegister_v2(at, bytes, 0); }
static void driver_unpin(void *at) {
    if (driver.process == getpid()) driver.cuMemHostUnregister(at);
}

static toc_status driver_queue_open(void **queue) {
    const unsigned apart_from_default = 1;
    return check_call(driver.cuStreamCreate(queue, apart_from_default), "open a queue", 0);
}

static void driver_queue_close(void *queue) {
    if (queue && driver.process == getpid()) driver.cuStreamDestroy_v2(queue);
}

static toc_status driver_copy(void *queue, void *to, const void *from, size_t bytes) {
    if (bytes == 0) return TOC_OK;
    return check_call(driver.cuMemcpyAsync((uintptr_t)to, (uintptr_t)from, bytes, queue), "copy memory", bytes);
}

static toc_status driver_launch(void *queue, toc_device_kernel kernel, const void *work, size_t bytes) {
    void *arguments[1];
    (void)bytes;
    memcpy(arguments, &work, sizeof work); // the driver takes pointers without const
    const unsigned blocks = BLOCKS * (unsigned)driver.device.info.processors;
    return check_call(
        driver.cuLaunchKernel(driver.kernels[kernel], blocks, 1, 1, BLOCK, 1, 1, 0, queue, arguments, NULL),
        "start a kernel", 0);
}

static toc_status driver_wait(void *queue) {
    return check_call(driver.cuStreamSynchronize(queue), "finish its work", 0);
}

// ---- memory and streams of the caller

static toc_status driver_order(void *first, void *then) {
    void *event = NULL;
    if (first == then) return TOC_OK;
    TOC_TRY(check_call(driver.cuEventCreate(&event, EVENT_WITHOUT_TIME), "make an event", 0));
    int result = driver.cuEventRecord(event, first);
    if (result == 0) result = driver.cuStreamWaitEvent(then, event, 0);
    driver.cuEventDestroy_v2(event); // once it has happened
    return check_call(result, "order two streams", 0);
}

static toc_status driver_check_stream(void *stream) {
    void *context = NULL;
    if (driver.cuStreamGetCtx(stream, &context) == 0 && context == driver.context) return TOC_OK;
    return toc_fail(TOC_BAD_INPUT,
                    "the stream %p is of another context than the primary one of %s, which the library uses", stream,
                    driver.device.info.name);
}

static toc_status driver_check_memory(const void *at, size_t bytes) {
    const uint64_t address = (uintptr_t)at;
    unsigned type = 0;
    int number = -1;
    uint64_t start = 0;
    size_t size = 0;
    if (driver.cuPointerGetAttribute(&type, POINTER_MEMORY_TYPE, address) != 0 || type != MEMORY_DEVICE)
        return toc_fail(TOC_BAD_INPUT, "the memory at %p is not that of a device", at);
    if (driver.cuPointerGetAttribute(&number, POINTER_DEVICE, address) == 0 && number != driver.number)
        return toc_fail(TOC_BAD_INPUT, "the memory at %p is of device %d; the library uses device %d", at, number,
                        driver.number);
    if (driver.cuPointerGetAttribute(&start, POINTER_RANGE_START, address) != 0 ||
        driver.cuPointerGetAttribute(&size, POINTER_RANGE_SIZE, address) != 0 || start > address)
        return TOC_OK; // no more is known about it
    const uint64_t left = size - (address - start);
    if (bytes <= left) return TOC_OK;
    return toc_fail(TOC_BAD_INPUT, "the memory at %p has %llu bytes there, and %zu are needed", at,
                    (unsigned long long)left, bytes);
}

// ---- opening

static toc_status load_driver(void) {
    if (!driver.library) driver.library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!driver.library)
        return toc_fail(TOC_NO_DEVICE, "there is no device: the driver of NVIDIA (libcuda.so.1) is not installed");
    void *function;
#define LOAD(name, arguments)                                                                                    \
    function = dlsym(driver.library, #name);                                                                     \
    if (!function)                                                                                               \
        return toc_fail(TOC_NO_DEVICE, "there is no device: the driver (libcuda.so.1) is too old, it has no %s", \
                        #name);                                                                                  \
    memcpy(&driver.name, &function, sizeof function);
    FUNCTIONS(LOAD)
#undef LOAD
    return TOC_OK;
}

static toc_status describe_device(int device, int *major) {
    toc_device_info *info = &driver.device.info;
    size_t memory = 0;
    int processors = 0, version = 0;
    TOC_TRY(check_call(driver.cuDriverGetVersion(&version), "tell its version", 0));
    TOC_TRY(check_call(driver.cuDeviceGetName(info->name, sizeof info->name, device), "tell its name", 0));
    TOC_TRY(check_call(driver.cuDeviceTotalMem_v2(&memory, device), "tell its memory", 0));
    TOC_TRY(check_call(driver.cuDeviceGetAttribute(&processors, ATTRIBUTE_PROCESSORS, device), "tell its size", 0));
    TOC_TRY(check_call(driver.cuDeviceGetAttribute(major, ATTRIBUTE_MAJOR, device), "tell its kind", 0));
    info->memory = memory;
    info->processors = processors;
    info->driver = version;
    return TOC_OK;
}

static toc_status find_device(int *device) {
    int count = 0, major = 0;
    const int started = driver.cuInit(0);
    if (started != 0 || driver.cuDeviceGetCount(&count) != 0 || count == 0) {
        const char *reason = NULL;
        driver.cuGetErrorString(started, &reason);
        return toc_fail(TOC_NO_DEVICE, "there is no device: the driver (libcuda.so.1) finds none%s%s",
                        started && reason ? ": " : "", started && reason ? reason : "");
    }
    TOC_TRY(check_call(driver.cuDeviceGet(device, 0), "answer", 0));
    TOC_TRY(describe_device(*device, &major));
    if (driver.device.info.driver < LEAST_DRIVER)
        return toc_fail(TOC_NO_DEVICE, "the driver of the device is too old: it has CUDA %d.%d, and 10.0 is needed",
                        driver.device.info.driver / 1000, driver.device.info.driver % 1000 / 10);
    if (major < LEAST_MAJOR)
        return toc_fail(TOC_NO_DEVICE, "the device %s is too old: its compute capability is %d, and 7 is needed",
                        driver.device.info.name, major);
    return TOC_OK;
}

static toc_status load_kernel(const toc_device_text *text, void **kernel) {
    void *module = NULL;
    char name[64];
    snprintf(name, sizeof name, "toc_device_%s", text->name);
    TOC_TRY(check_call(driver.cuModuleLoadData(&module, text->text), "compile a kernel", 0));
    return check_call(driver.cuModuleGetFunction(kernel, module, name), "find a kernel", 0);
}

static toc_status start_driver(void) {
    int device = 0;
    if (toc_device_text_count < TOC_DEVICE_KERNEL_COUNT)
        return toc_fail(TOC_NO_DEVICE, "this build has no kernels for devices: clang was missing when it was built");
    TOC_TRY(load_driver());
    TOC_TRY(find_device(&device));
    driver.number = device;
    TOC_TRY(check_call(driver.cuDevicePrimaryCtxRetain(&driver.context, device), "start", 0));
    TOC_TRY(driver_enter());
    toc_status status = TOC_OK;
    for (int i = 0; i < TOC_DEVICE_KERNEL_COUNT && status == TOC_OK; i++)
        status = load_kernel(&toc_device_texts[i], &driver.kernels[i]);
    driver_leave();
    return status;
}

static toc_status open_once(void) {
    const pid_t process = getpid();
    if (driver.process == process) return TOC_OK;
    if (driver.process != 0) return refuse_fork();
    TOC_TRY(start_driver());
    driver.device.enter = driver_enter, driver.device.leave = driver_leave;
    driver.device.allocate = driver_allocate, driver.device.release = driver_release;
    driver.device.pin = driver_pin, driver.device.unpin = driver_unpin;
    driver.device.open = driver_queue_open, driver.device.close = driver_queue_close;
    driver.device.copy = driver_copy, driver.device.launch = driver_launch, driver.device.wait = driver_wait;
    driver.device.order = driver_order, driver.device.check_stream = driver_check_stream;
    driver.device.check_memory = driver_check_memory;
    driver.process = process;
    return TOC_OK;
}

toc_status toc_driver_open(const toc_device **out) {
    pthread_mutex_lock(&driver.lock);
    const toc_status status = open_once();
    pthread_mutex_unlock(&driver.lock);
    if (status == TOC_OK) *out = &driver.device;
    return status;
}

#else

toc_status toc_driver_open(const toc_device **out) {
    (void)out;
    return toc_fail(TOC_NO_DEVICE, "there is no device on this system: only Linux is supported");
}

#endif
