/* scan -- what all scanners share, and the two that find JSON texts in a block.
 *
 * A block of NDJSON is any range of bytes: a line belongs to the block in which it starts. So blocks are read
 * in parallel without looking at the file first. Other JSON was cut by plan.c with the same splitter. */
#include "columns/scan.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/utf8.h"
#include "run/ctx.h"

void ag_scan_init(ag_scan *s)
{
	memset(s, 0, sizeof(*s));
	ag_builder_init(&s->b);
	s->scratch = ag_arena_new();
}

void ag_scan_release(ag_scan *s)
{
	ag_builder_release(&s->b);
	ag_arena_free(s->scratch);
	ag_json_parser_free(s->json);
	free(s->buf);
}

void ag_scan_issue_add(ag_scan *s, uint64_t line, size_t at, const char *fmt, ...)
{
	ag_scan_issue *i;
	va_list ap;

	s->broken++;
	if (s->nissue == AG_SCAN_MAX_ISSUES)
		return;
	i = &s->issues[s->nissue++];
	i->line = line;
	i->byte = s->at + at;
	va_start(ap, fmt);
	vsnprintf(i->what, sizeof(i->what), fmt, ap);
	va_end(ap);
}

bool ag_scan_goes_on(ag_scan *s)
{
	return s->ndoc++ % 256 != 0 || !ag_ctx_check(s->ctx, NULL);
}

ptrdiff_t ag_scan_bad_utf8(const char *p, size_t n)
{
	ag_str s = ag_str_make(p, n);
	size_t i = 0;

	if (ag_utf8_valid(s))
		return -1;
	while (i < n) {
		size_t was = i;

		ag_utf8_next(s, &i);
		if (i == was + 1 && (unsigned char)p[was] >= 0x80)
			return (ptrdiff_t)was;
	}
	return -1;
}

static bool is_blank_line(const char *p, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (p[i] != ' ' && p[i] != '\t' && p[i] != '\r')
			return false;
	}
	return true;
}

void ag_scan_ndjson(ag_scan *s)
{
	const char *p = s->p;
	size_t at = 0;
	uint32_t line = 0;

	while (at < s->end && ag_scan_goes_on(s)) {
		const char *nl = (const char *)memchr(p + at, '\n', s->len - at);
		size_t to = nl ? (size_t)(nl - p) : s->len;

		if (to - at > s->max_doc_bytes)
			ag_scan_issue_add(s, line, at, "a line of more than %zu bytes",
			                  s->max_doc_bytes);
		else if (!is_blank_line(p + at, to - at))
			ag_scan_json_doc(s, at, to - at, line);
		at = to + 1;
		line++;
		if (nl && to < s->end)
			s->nline++;
	}
}

static void scan_json_item(ag_scan *s, const ag_split_item *item, uint32_t line)
{
	size_t n = item->end - item->at;

	if (n > s->max_doc_bytes)
		ag_scan_issue_add(s, line, item->at, "a document of more than %zu bytes",
		                  s->max_doc_bytes);
	else if (item->why)
		ag_scan_issue_add(s, line, item->at, "%s", item->why);
	else
		ag_scan_json_doc(s, item->at, n, line);
}

void ag_scan_json(ag_scan *s)
{
	ag_json_split split = s->split;
	ag_split_item item;
	size_t at = 0, counted = 0;
	uint64_t line = 0;

	while (ag_scan_goes_on(s) &&
	       ag_json_split_next(&split, s->p, s->len, true, at, &item) == AG_SPLIT_ITEM) {
		/* A broken document may have been searched up to the end of the block. */
		if (item.why)
			s->ndoc = 0;
		line += ag_split_count_lines(s->p + counted, item.at - counted);
		counted = item.at;
		scan_json_item(s, &item, (uint32_t)line);
		at = item.next;
	}
	s->nline = line + ag_split_count_lines(s->p + counted, s->len - counted);
}
