// SPDX-License-Identifier: Apache-2.0
// A plugin of qemu's user mode that counts the instructions of a program and says them at its end. For processors of
// other machines: their number tells about the code of a compiler, not about time. The functions of qemu are declared
// here as its interface 1 has them, for Debian's qemu-user comes without the header.
#include <inttypes.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define EXPORTED __attribute__((visibility("default")))

typedef uint64_t qemu_plugin_id_t;
struct qemu_plugin_tb; // a run of instructions without a jump
enum { QEMU_PLUGIN_INLINE_ADD_U64 };

extern void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t id,
                                                  void (*note)(qemu_plugin_id_t id, struct qemu_plugin_tb *run));
extern size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *run);
extern void qemu_plugin_register_vcpu_tb_exec_inline(struct qemu_plugin_tb *run, int operation, void *to,
                                                     uint64_t amount);
extern void qemu_plugin_register_atexit_cb(qemu_plugin_id_t id, void (*end)(qemu_plugin_id_t id, void *user),
                                           void *user);
int qemu_plugin_install(qemu_plugin_id_t id, const void *about, int count, char **words);

extern EXPORTED int qemu_plugin_version;
EXPORTED int qemu_plugin_version = 1;

static uint64_t instructions; // of a program of one thread

static void count_run(qemu_plugin_id_t id, struct qemu_plugin_tb *run) {
    (void)id;
    qemu_plugin_register_vcpu_tb_exec_inline(run, QEMU_PLUGIN_INLINE_ADD_U64, &instructions,
                                             qemu_plugin_tb_n_insns(run));
}

static void say_instructions(qemu_plugin_id_t id, void *user) {
    (void)id;
    (void)user;
    fprintf(stderr, "instructions %" PRIu64 "\n", instructions);
}

EXPORTED int qemu_plugin_install(qemu_plugin_id_t id, const void *about, int count, char **words) {
    (void)about;
    (void)count;
    (void)words;
    qemu_plugin_register_vcpu_tb_trans_cb(id, count_run);
    qemu_plugin_register_atexit_cb(id, say_instructions, NULL);
    return 0;
}
