/* err -- filling an ag_err, and the columns of the status table.
 *
 * A message is formatted into a local buffer first, because callers may pass the old err->msg as an
 * argument. It is cut between characters and made one line: it goes into logs, JSON and model
 * prompts, where half a character or a newline would do harm. */
#include "base/err.h"

#ifdef __clang_analyzer__
#undef ag_fail
#undef ag_fail_errno
#undef ag_err_hint
#endif

#include <errno.h>
#include <stdio.h>

static const struct {
	const char *meaning;
	int http, json_rpc;
	bool retry;
} statuses[AG_STATUS_COUNT] = {
#define X(name, http, rpc, retry, meaning) [AG_##name] = { meaning, http, rpc, retry },
	AG_STATUS_TABLE(X)
#undef X
};

/* The names as people and JSON see them: the enum's word in lower case. */
static const char *const names[AG_STATUS_COUNT] = {
	[AG_OK] = "ok",
	[AG_INVALID] = "invalid",
	[AG_NOT_FOUND] = "not_found",
	[AG_DENIED] = "denied",
	[AG_CONFLICT] = "conflict",
	[AG_TIMEOUT] = "timeout",
	[AG_UNAVAILABLE] = "unavailable",
	[AG_LIMIT] = "limit",
	[AG_CANCELLED] = "cancelled",
	[AG_PROTOCOL] = "protocol",
	[AG_IO] = "io",
	[AG_INTERNAL] = "internal",
};

static size_t row(ag_status st)
{
	return (size_t)st < AG_STATUS_COUNT ? (size_t)st : AG_INTERNAL;
}

const char *ag_status_name(ag_status st)
{
	return names[row(st)];
}

const char *ag_status_meaning(ag_status st)
{
	return statuses[row(st)].meaning;
}

int ag_status_http(ag_status st)
{
	return statuses[row(st)].http;
}

int ag_status_json_rpc(ag_status st)
{
	return statuses[row(st)].json_rpc;
}

bool ag_status_retryable(ag_status st)
{
	return statuses[row(st)].retry;
}

/* Where a text of n bytes must end so that no UTF-8 character is cut. `n` bytes are readable. */
static size_t whole_chars(const char *text, size_t n)
{
	size_t back = 0;

	while (back < 3 && back < n && ((unsigned char)text[n - 1 - back] & 0xC0) == 0x80)
		back++;
	if (back < n) {
		unsigned char lead = (unsigned char)text[n - 1 - back];
		size_t want = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : lead >= 0xC0 ? 2 : 1;

		if (want > back + 1)
			return n - 1 - back;
	}
	return n;
}

static void one_line(char *out, size_t size, const char *text)
{
	size_t n = strnlen(text, size);

	if (n == size)
		n = whole_chars(text, size - 1);
	for (size_t i = 0; i < n; i++)
		out[i] = (unsigned char)text[i] < ' ' ? ' ' : text[i];
	out[n] = '\0';
}

#define SCRATCH_BYTES 512 /* longer than msg and hint, so a cut text is seen to be cut */

AG_PRINTF(4, 0)
static void fill(ag_err *err, ag_status status, const char *origin, const char *fmt, va_list ap)
{
	char text[SCRATCH_BYTES];
	ag_err fresh = { .status = status };

	vsnprintf(text, sizeof(text), fmt, ap);
	one_line(fresh.msg, sizeof(fresh.msg), text);
	one_line(fresh.origin, sizeof(fresh.origin), origin ? origin : "");
	*err = fresh;
}

ag_status ag_fail(ag_err *err, ag_status status, const char *origin, const char *fmt, ...)
{
	va_list ap;

	if (!err)
		return status;
	va_start(ap, fmt);
	fill(err, status, origin, fmt, ap);
	va_end(ap);
	return status;
}

ag_status ag_fail_errno(ag_err *err, int errnum, const char *origin, const char *fmt, ...)
{
	ag_status status = errnum == ENOENT                      ? AG_NOT_FOUND
	                   : errnum == EACCES || errnum == EPERM ? AG_DENIED
	                                                         : AG_IO;
	char reason[128], text[SCRATCH_BYTES];
	va_list ap;

	if (!err)
		return status;
	va_start(ap, fmt);
	fill(err, status, origin, fmt, ap);
	va_end(ap);
	err->native = errnum;
	snprintf(text, sizeof(text), "%s: %s", err->msg,
	         strerror_r(errnum, reason, sizeof(reason)));
	one_line(err->msg, sizeof(err->msg), text);
	return status;
}

ag_status ag_err_hint(ag_err *err, const char *fmt, ...)
{
	char text[SCRATCH_BYTES];
	va_list ap;

	if (!err)
		return AG_INTERNAL;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	one_line(err->hint, sizeof(err->hint), text);
	return err->status;
}
