/* compiler -- what happens when Argus itself is wrong or the machine has no memory left.
 *
 * The one place in the library that prints and aborts: both cases leave no state worth a report,
 * and going on would turn a bug into wrong findings. The text goes out with one write(2), because
 * stdio may need the memory that is missing. */
#include "base/compiler.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

AG_NORETURN static void die(const char *msg, size_t len)
{
	AG_IGNORE(write(STDERR_FILENO, msg, len) < 0, "aborting anyway");
	abort();
}

void ag_assert_fail(const char *expr, const char *file, int line)
{
	char msg[512];
	int n = snprintf(msg, sizeof(msg), "argus: internal error: %s:%d: assertion failed: %s\n",
	                 file, line, expr);

	die(msg, n < 0 ? 0 : (size_t)n < sizeof(msg) ? (size_t)n : sizeof(msg) - 1);
}

void ag_oom(void)
{
	static const char msg[] = "argus: out of memory\n";

	die(msg, sizeof(msg) - 1);
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
