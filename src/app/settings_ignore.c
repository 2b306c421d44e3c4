/* The rows under "ignore:" of argus.yaml: findings that a team has decided to live with, and until when.
 *
 *   ignore:
 *     - path: customer.middleName
 *       category: null_rate
 *       reason: optional since 2024
 *       until: 2026-12-31
 *
 * A path, category or source is exact or "*". A row needs a reason, and says at least one of the three, so that no row
 * silences everything by accident. */
#include "app/settings.h"
#include "audit/audit.h"
#include "base/time.h"

#define ORIGIN           "app.settings"
#define MAX_REASON_BYTES 500

static const char *const keys[] = { "source", "path", "category", "reason", "until" };

static ag_status wrong_key(ag_str where, ag_str key, ag_err *err)
{
	const char *near = ag_str_nearest(key, keys, AG_NELEM(keys));

	ag_fail(err, AG_INVALID, ORIGIN, "%.*s: an ignore row has no \"%.*s\"", AG_FMT(where),
	        (int)(key.len < 60 ? key.len : 60), key.ptr);
	return near ? ag_err_hint(err, "did you mean \"%s\"?", near)
	            : ag_err_hint(err, "it may have source, path, category, reason and until");
}

static ag_status check_category(ag_str where, ag_str name, ag_arena *arena, ag_err *err)
{
	const char *names[100], *near;
	size_t n;
	const ag_category *all = ag_category_table(&n);

	if (!name.len || ag_str_eqc(name, "*") ||
	    ag_category_find(ag_category_canonical(name, arena)))
		return AG_OK;
	n = n < AG_NELEM(names) ? n : AG_NELEM(names);
	for (size_t i = 0; i < n; i++)
		names[i] = all[i].id;
	near = ag_str_nearest(name, names, n);
	ag_fail(err, AG_INVALID, ORIGIN, "%.*s: category: there is no \"%.*s\"", AG_FMT(where),
	        (int)(name.len < 60 ? name.len : 60), name.ptr);
	return near ? ag_err_hint(err, "did you mean \"%s\"?", near)
	            : ag_err_hint(err, "a report names the category of each finding");
}

static bool is_day(ag_str s)
{
	return s.len == 10 && s.ptr[4] == '-' && s.ptr[7] == '-';
}

static bool says_nothing(ag_str s)
{
	return !s.len || ag_str_eqc(s, "*");
}

ag_status ag_settings_ignore_add(ag_settings *s, ag_str where, const ag_val *members,
                                 ag_arena *arena, ag_err *err)
{
	ag_str text[AG_NELEM(keys)] = { 0 };
	ag_ignore *rows, row;
	ag_status st;

	for (uint32_t i = 0; i < members->n; i++) {
		const ag_member *m = &members->u.members[i];
		size_t k = 0;

		while (k < AG_NELEM(keys) && !ag_str_eqc(m->key, keys[k]))
			k++;
		if (k == AG_NELEM(keys))
			return wrong_key(where, m->key, err);
		if (m->val.type != AG_T_STRING)
			return ag_fail(err, AG_INVALID, ORIGIN, "%.*s: %s: want one value",
			               AG_FMT(where), keys[k]);
		text[k] = ag_str_trim(ag_val_text(&m->val));
	}
	row = (ag_ignore){ .source = text[0],
		           .path = text[1],
		           .category = text[2],
		           .reason = text[3],
		           .where = where };
	if (!row.reason.len || row.reason.len > MAX_REASON_BYTES)
		return ag_fail(err, AG_INVALID, ORIGIN,
		               "%.*s: an ignore row wants a reason of 1 to %d bytes", AG_FMT(where),
		               MAX_REASON_BYTES);
	if (says_nothing(row.source) && says_nothing(row.path) && says_nothing(row.category)) {
		ag_fail(err, AG_INVALID, ORIGIN, "%.*s: this row would ignore every finding",
		        AG_FMT(where));
		return ag_err_hint(err, "give a path, a category or a source");
	}
	if (text[4].len && (!is_day(text[4]) || !ag_time_parse_iso(text[4], &row.until_ms)))
		return ag_fail(err, AG_INVALID, ORIGIN,
		               "%.*s: until: want a day like 2026-12-31, got \"%.*s\"",
		               AG_FMT(where), (int)(text[4].len < 40 ? text[4].len : 40),
		               text[4].ptr);
	st = check_category(where, row.category, arena, err);
	if (st)
		return st;
	if (s->nignore == AG_IGNORES_MAX)
		return ag_fail(err, AG_LIMIT, ORIGIN, "%.*s: at most %d ignore rows", AG_FMT(where),
		               AG_IGNORES_MAX);
	rows = ag_new_n(arena, ag_ignore, s->nignore + 1);
	if (s->nignore)
		memcpy(rows, s->ignores, s->nignore * sizeof(*rows));
	rows[s->nignore++] = row;
	s->ignores = rows;
	return AG_OK;
}
