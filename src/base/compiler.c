/* compiler -- what happens when Argus itself is wrong or the machine has no memory left.
 *
 * The one place in the library that prints and ends the process: neither case leaves a state worth a
 * report, and going on would turn a bug into wrong findings. A bug aborts, for its core; missing memory is
 * the machine's state and exits with 1. The text goes out with one write(2), because stdio may need the
 * memory that is missing. */
#include "base/compiler.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/memory.h"

void ag_assert_fail(const char *expr, const char *file, int line)
{
	char msg[512];
	int n = snprintf(msg, sizeof(msg), "argus: internal error: %s:%d: assertion failed: %s\n",
	                 file, line, expr);

	AG_IGNORE(write(STDERR_FILENO, msg,
	                n < 0                     ? 0
	                : (size_t)n < sizeof(msg) ? (size_t)n
	                                          : sizeof(msg) - 1) < 0,
	          "aborting anyway");
	abort();
}

/* What is in use is the least that the data needs. Neither snprintf() of integers nor /proc needs the heap. */
void ag_oom(void)
{
	char msg[256];
	struct rlimit as;
	ag_memory used;
	bool by_address;
	int n;

	ag_memory_read_used("", &used);
	by_address = !getrlimit(RLIMIT_AS, &as) && as.rlim_cur != RLIM_INFINITY;
	n = snprintf(msg, sizeof(msg),
	             "argus: out of memory: this needs more than %llu MB\n"
	             "       give it more memory, or less data at a time\n",
	             (unsigned long long)((by_address ? used.address : used.resident) / 1000000));
	AG_IGNORE(write(STDERR_FILENO, msg, n < 0 ? 0 : (size_t)n) < 0, "ending anyway");
	_exit(1);
}

void *ag_xmalloc(size_t n)
{
	void *p = malloc(n ? n : 1);

	if (AG_UNLIKELY(!p))
		ag_oom();
	return p;
}

void *ag_xcalloc(size_t n, size_t size)
{
	void *p = calloc(n ? n : 1, size ? size : 1);

	if (AG_UNLIKELY(!p))
		ag_oom();
	return p;
}

void *ag_xrealloc(void *p, size_t n)
{
	void *q = realloc(p, n ? n : 1);

	if (AG_UNLIKELY(!q))
		ag_oom();
	return q;
}
