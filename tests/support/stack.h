// SPDX-License-Identifier: Apache-2.0
// The stack that a call takes, measured on threads with a painted stack.
#ifndef TOC_TEST_STACK_H
#define TOC_TEST_STACK_H

#include "toccata/toccata.h"

/// The most that a public call may take, base.h: "Stack".
enum { TEST_STACK_KIB = 64 };

/// A call to measure. @return its status, or that of the first of several calls that failed.
typedef toc_status test_stack_call(void *user);

/// Run a call on a thread with a painted stack. It must succeed, and take at most TEST_STACK_KIB. Prints the bytes if
/// they are more than those of the calls before.
/// @param name of the call, for the message. @return the bytes.
size_t test_stack_measure(const char *name, test_stack_call *call, void *user);

/// Run a call on a thread of 128 KiB, the size of musl's.
void test_stack_run_small(test_stack_call *call, void *user);

/// Tasks of a host, on threads with painted stacks. test_stack_tasks_end asserts that each since the last one took at
/// most TEST_STACK_KIB, and that one at least did more than begin.
extern const toc_task_system test_stack_tasks;
void test_stack_tasks_end(void);

#endif
