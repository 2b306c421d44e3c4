/* audit_row -- what a row of the audit table must be before the store takes it: cut, valid text, without secrets.
 *
 * Cleaning costs about a nanosecond a byte and allocates only where a text has to change. */
#include "project/audit_row.h"

#include <stddef.h>

#include "base/log.h"
#include "base/utf8.h"

/* The texts of a row. is_free: what a caller can choose freely; ids that look like somebody's password stay readable. */
static const struct text_kind {
	size_t at, max;
	bool is_free;
} kinds[] = {
	{ offsetof(ag_ledger_row, user), AG_LEDGER_MAX_NAME, false },
	{ offsetof(ag_ledger_row, project), AG_LEDGER_MAX_NAME, false },
	{ offsetof(ag_ledger_row, token), AG_LEDGER_MAX_NAME, false },
	{ offsetof(ag_ledger_row, session), AG_LEDGER_MAX_NAME, true },
	{ offsetof(ag_ledger_row, tool), AG_LEDGER_MAX_NAME, true },
	{ offsetof(ag_ledger_row, sql), AG_LEDGER_MAX_SQL, true },
	{ offsetof(ag_ledger_row, verdict), AG_LEDGER_MAX_NAME, false },
	{ offsetof(ag_ledger_row, fingerprint), AG_LEDGER_MAX_NAME, false },
	{ offsetof(ag_ledger_row, rule), AG_LEDGER_MAX_NAME, true },
	{ offsetof(ag_ledger_row, tables), AG_LEDGER_MAX_TEXT, true },
	{ offsetof(ag_ledger_row, outcome), AG_LEDGER_MAX_NAME, false },
	{ offsetof(ag_ledger_row, detail), AG_LEDGER_MAX_TEXT, true },
	{ offsetof(ag_ledger_row, owner), AG_LEDGER_MAX_NAME, false },
};

static ag_str *text_of(ag_ledger_row *r, size_t i)
{
	return (ag_str *)(void *)((char *)r + kinds[i].at);
}

/* The text up to `max` bytes, at a whole character. */
static ag_str cut(ag_str s, size_t max)
{
	if (s.len <= max)
		return s;
	while (max && ((unsigned char)s.ptr[max] & 0xC0) == 0x80)
		max--;
	return ag_str_make(s.ptr, max);
}

static ag_arena *arena_of(ag_arena **arena)
{
	if (!*arena)
		*arena = ag_arena_new();
	return *arena;
}

static ag_str only_text(ag_str s, ag_arena **arena, size_t max)
{
	ag_buf good = AG_BUF_INIT(3 * AG_LEDGER_MAX_SQL + 16);
	char utf8[4];
	ag_str ret;

	for (size_t i = 0; i < s.len;) {
		uint32_t c = ag_utf8_next(s, &i);

		ag_buf_add(&good, ag_str_make(utf8, ag_utf8_put(utf8, c ? c : 0xFFFD)));
	}
	ret = ag_str_dup(arena_of(arena), cut(ag_buf_view(&good), max));
	ag_buf_release(&good);
	return ret;
}

static ag_str without_secrets(ag_str s, ag_arena **arena, size_t max, ag_buf *scratch)
{
	/* A secret at the end of what was cut is not found any more: as much as could be one goes. */
	if (s.len > max - 4)
		s = cut(s, ag_log_whole(s));
	ag_buf_clear(scratch);
	if (!ag_log_clean(s, scratch))
		return AG_S("[redacted]");
	return ag_str_eq(s, ag_buf_view(scratch))
	               ? s
	               : ag_str_dup(arena_of(arena), cut(ag_buf_view(scratch), max));
}

static ag_str clean_text(ag_str s, const struct text_kind *kind, ag_arena **arena, ag_buf *scratch)
{
	if (kind->is_free)
		s = without_secrets(s, arena, kind->max, scratch);
	return ag_utf8_is_text(s) ? s : only_text(s, arena, kind->max);
}

/* A list whose end was cut off: up to its last whole element. */
static ag_str close_list(ag_str s, ag_arena **arena)
{
	if (!s.len || s.ptr[0] != '[' || s.ptr[s.len - 1] == ']')
		return s;
	for (size_t i = s.len - 1; i > 2; i--) {
		if (memcmp(s.ptr + i - 2, "\",\"", 3) == 0)
			return ag_str_printf(arena_of(arena), "%.*s\"]", (int)(i - 2), s.ptr);
	}
	return AG_S("[]");
}

size_t ag_audit_row_clean(ag_ledger_row *r, ag_arena **arena)
{
	AG_AUTO(ag_buf_release) ag_buf scratch = AG_BUF_INIT(16 * AG_LEDGER_MAX_SQL);
	size_t nbyte = 0;

	for (size_t k = 0; k < AG_NELEM(kinds); k++) {
		ag_str *text = text_of(r, k);

		*text = cut(*text, kinds[k].max);
		if (text->len)
			*text = clean_text(*text, &kinds[k], arena, &scratch);
		nbyte += text->len;
	}
	r->tables = close_list(r->tables, arena);
	r->at_ms = r->at_ms > 0 ? r->at_ms : 0;
	r->nrow = r->nrow < INT64_MAX ? r->nrow : INT64_MAX;
	r->nbyte = r->nbyte < INT64_MAX ? r->nbyte : INT64_MAX;
	return nbyte;
}

void ag_audit_row_dup(ag_ledger_row *r, ag_arena *arena)
{
	for (size_t k = 0; k < AG_NELEM(kinds); k++)
		*text_of(r, k) = ag_str_dup(arena, *text_of(r, k));
}
