/* sandbox -- what this process may still do from now on: Landlock for files and TCP ports, seccomp for system calls.
 *
 * One way and for the whole process: call it before the first thread is started and after everything is opened that the
 * lists do not name. What the kernel does not have is told, not an error. Linux only (docs/decisions/0009). */
#ifndef AG_BASE_SANDBOX_H
#define AG_BASE_SANDBOX_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

typedef struct ag_sandbox_opts {
	/* Files, or folders with all below them; what does not exist is skipped. */
	const char *const *read; /* contents and listings */
	size_t nread;
	const char *const *write; /* read, write, create, remove */
	size_t nwrite;
	/* TCP ports that may be connected to; DNS over TCP (53) is the caller's to add. */
	const uint16_t *ports;
	size_t nport;
	bool any_port;
	/* A process that only computes on files: seccomp lets through what that needs, instead of refusing what is known to
	 * harm. No sockets, threads, programs, signals to others; no memory that is written and then executed. */
	bool is_worker;
} ag_sandbox_opts;

/* What holds from now on. */
typedef struct ag_sandbox_report {
	int landlock_abi;    /* 0 = the kernel has none */
	bool files, ports;   /* limited by Landlock */
	bool starts_nothing; /* by seccomp: no exec, no fork, no ptrace, no new listening socket */
	char missing[200];   /* what could not be had and why, "" = nothing */
} ag_sandbox_report;

/* errors  AG_INTERNAL when other threads are running: they would not be limited, and nothing was entered;
 *         a kernel without the feature is AG_OK with ret->missing */
AG_CHECK ag_status ag_sandbox_enter(const ag_sandbox_opts *o, ag_sandbox_report *ret, ag_err *err);

/* Was this program compiled with a sanitizer? Sanitizers need more memory and system calls than a sandbox gives. */
bool ag_sandbox_is_sanitized(void);
/* For the list `read`: what the C library, looking up names, TLS and libraries loaded later read. No data of people. */
const char *const *ag_sandbox_system_paths(size_t *ret);
/* What this kernel could do; nothing is entered. */
void ag_sandbox_probe(ag_sandbox_report *ret);

#endif
