/* Any bytes as the header traceparent: refused, or a trace and a span of hexadecimal digits, none of them all zeros, that are in the
 * header at their place; and what Argus writes from them is read as the same. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "fuzz.h"
#include "run/span.h"

static void check(bool ok)
{
	if (!ok)
		abort();
}

/* Written apart from the code under test. */
static void is_id(const char *id, size_t n)
{
	check(strlen(id) == n && strspn(id, "0123456789abcdef") == n && strspn(id, "0") < n);
}

static void is_proper(ag_str header, const ag_span_remote *r)
{
	char again[AG_TRACEPARENT_MAX];
	ag_span_remote same;
	size_t from = 0;

	while (from < header.len && strchr(" \t\r\n\v\f", header.ptr[from]))
		from++;
	is_id(r->trace, 32);
	is_id(r->span, 16);
	check(header.len - from >= 55 && memcmp(header.ptr + from, "ff", 2) != 0);
	check(memcmp(header.ptr + from + 3, r->trace, 32) == 0);
	check(memcmp(header.ptr + from + 36, r->span, 16) == 0);
	snprintf(again, sizeof(again), "00-%s-%s-%02d", r->trace, r->span, r->is_sampled);
	check(ag_traceparent_read(ag_str_c(again), &same));
	check(strcmp(same.trace, r->trace) == 0 && strcmp(same.span, r->span) == 0 &&
	      same.is_sampled == r->is_sampled);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *copy = malloc(size ? size : 1); /* of exactly its size: a read past its end is seen */
	ag_span_remote r, before;

	check(copy);
	if (size)
		memcpy(copy, data, size);
	memset(&r, 'x', sizeof(r));
	before = r;
	if (ag_traceparent_read(ag_str_make(copy, size), &r))
		is_proper(ag_str_make(copy, size), &r);
	else
		check(memcmp(&r, &before, sizeof(r)) == 0);
	free(copy);
	return 0;
}
