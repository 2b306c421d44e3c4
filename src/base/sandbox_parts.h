/* sandbox_parts -- the two halves of base/sandbox.c, for it and for its test. */
#ifndef AG_BASE_SANDBOX_PARTS_H
#define AG_BASE_SANDBOX_PARTS_H

#include "base/sandbox.h"

/* What ABI 7 is the newest of is all we know to ask for. */
#define AG_LANDLOCK_MAX_ABI 7

/* 1.. as the kernel says; 0 = none, and *ret_errno is ENOSYS (too old) or EOPNOTSUPP (switched off). */
int ag_landlock_abi(int *ret_errno);
/* abi  1..AG_LANDLOCK_MAX_ABI and at most the kernel's: what it does not know is not asked for.
 * returns 0, or an errno with nothing changed */
int ag_landlock_enter(const ag_sandbox_opts *o, int abi);

/* 0, or the errno of why the kernel has none. */
int ag_seccomp_probe(void);
/* returns 0, or an errno with nothing changed */
int ag_seccomp_enter(bool is_worker);

/* As on a kernel whose Landlock has at most max_abi, and which has seccomp or has not. */
AG_CHECK ag_status ag_sandbox_enter_as(const ag_sandbox_opts *o, int max_abi, bool has_seccomp,
                                       ag_sandbox_report *ret, ag_err *err);

/* Sanitizers look at the threads through ptrace from a process of their own when the program ends. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define AG_SANDBOX_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || \
	__has_feature(memory_sanitizer)
#define AG_SANDBOX_SANITIZED 1
#endif
#endif
#ifndef AG_SANDBOX_SANITIZED
#define AG_SANDBOX_SANITIZED 0
#endif

#endif
