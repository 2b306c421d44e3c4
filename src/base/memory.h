/* memory -- how much memory this process uses, and how much more it may take.
 *
 * Linux only: /proc and /sys/fs/cgroup. What cannot be read counts as "no limit". */
#ifndef AG_BASE_MEMORY_H
#define AG_BASE_MEMORY_H

#include <stdint.h>

/* In bytes. Two budgets, because two limits end a process: resident memory (the kernel's out-of-memory
 * killer) and address space (malloc fails). */
typedef struct ag_memory {
	uint64_t resident, resident_free;
	uint64_t address, address_free; /* address_free: UINT64_MAX without RLIMIT_AS */
} ag_memory;

/* resident_free is the smaller of what the machine has available, swap included, and what the control groups
 * (v1 and v2, all levels) leave; memory that holds file pages counts as free. Takes about 100 us.
 * root  prefix of /proc and /sys, "" in the program; tests give a folder */
void ag_memory_read(const char *root, ag_memory *ret);
/* Only `resident` and `address`; takes about 5 us. */
void ag_memory_read_used(const char *root, ag_memory *ret);

/* Limit this process (RLIMIT_DATA) to what it uses plus what is free now, so that missing memory is a failed
 * allocation with a message (ag_oom) and not a kill by the kernel. For commands that end, not for servers:
 * what is free then changes. Does nothing where the kernel refuses. */
void ag_memory_limit_self(void);

#endif
