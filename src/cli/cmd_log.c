/* argus log: the audit table, for people and programs; and whether anybody changed it. */
#include "base/utf8.h"
#include "cli/past.h"
#include "project/calls.h"
#include "report/human.h"

#define DEFAULT_LIMIT 20
#define MAX_SQL_WIDTH 200

static const ag_option options[] = {
	{ "user", 'u', "USER", NULL, NULL, "only calls of this user" },
	{ "project", 'p', "ID", NULL, NULL, "only calls of this project" },
	{ "tool", 't', "NAME", NULL, NULL, "only calls of this tool" },
	{ "outcome", 0, "WORD", NULL, NULL,
	  "only calls that ended so: ok, the code of an error, running, or interrupted",
	  "ok running interrupted" },
	{ "since", 0, "WHEN", NULL, NULL,
	  "only calls since then: 30m, 12h, 7d, or a date, also with a time" },
	{ "limit", 'n', "N", NULL, NULL, "how many, the newest (20)" },
	{ "verify", 0, NULL, NULL, NULL,
	  "check the whole table: was a row changed, added or removed?" },
	{ "head", 0, "ROW:HASH", NULL, NULL,
	  "with --verify: what an earlier check printed as its end; it must still stand there" },
	AG_PAST_OUTPUT_OPTION,
	AG_PAST_STORE_OPTION,
};

/* "30m", "12h", "7d", or ISO 8601. */
static int64_t since_ms(ag_cli *c)
{
	const ag_str text = ag_cli_value(c, "since");
	const char units[] = "smhd";
	static const int64_t unit_ms[] = { 1000, 60000, 3600000, 86400000 };
	const char *unit = text.len > 1 ? strchr(units, text.ptr[text.len - 1]) : NULL;
	const int64_t now_ms = ag_clock_wall(c->app.ctx.clock);
	uint64_t n;
	int64_t ms;

	if (!text.len && !ag_cli_has(c, "since"))
		return 0;
	if (unit && *unit && ag_str_to_u64(ag_str_make(text.ptr, text.len - 1), &n) &&
	    n <= 36500u * 86400u)
		return now_ms - (int64_t)n * unit_ms[unit - units] > 0
		               ? now_ms - (int64_t)n * unit_ms[unit - units]
		               : 0;
	if (ag_time_parse_iso(text, &ms) && ms >= 0)
		return ms;
	ag_cli_complain(c, "--since: want 30m, 12h, 7d or a date like 2026-11-21, got \"%.*s\"",
	                AG_FMT(ag_utf8_prefix(text, 40)));
	return 0;
}

/* --- rows --- */

static bool is_open_outcome(ag_str s)
{
	return ag_str_eqc(s, "running") || ag_str_eqc(s, "interrupted") || ag_str_eqc(s, "unknown");
}

static int json(ag_cli *c, const ag_ledger_row *rows, size_t n)
{
	ag_buf out = AG_BUF_INIT(AG_LIMIT_OUTPUT);
	ag_jw w;

	ag_jw_init(&w, &out, 2);
	ag_jw_obj(&w);
	ag_jw_kkey(&w, "calls");
	ag_jw_arr(&w);
	for (size_t i = n; i-- > 0;)
		ag_call_json(&w, &rows[i], c->app.arena);
	ag_jw_arr_end(&w);
	ag_jw_obj_end(&w);
	return ag_past_print_json(c, &out);
}

static ag_str duration(int64_t us, ag_arena *arena)
{
	return us < 10000     ? ag_str_printf(arena, "%.1f ms", (double)us / 1000)
	       : us < 1000000 ? ag_str_printf(arena, "%lld ms", (long long)us / 1000)
	                      : ag_str_printf(arena, "%.1f s", (double)us / 1e6);
}

/* Time, who, where, what and how it ended; the statement below. */
static void line(ag_paint *p, const ag_ledger_row *r, ag_arena *arena)
{
	char at[AG_TIME_MAX_TEXT];
	const ag_str iso = ag_str_make(at, ag_time_format(at, r->at_ms / 1000 * 1000));
	const bool is_ok = ag_str_eqc(r->outcome, "ok");
	const bool is_open = is_open_outcome(r->outcome);
	const ag_str when = ag_human_time(iso, arena);

	ag_paint_text(p, AG_INK_DIM, ag_str_make(when.ptr, when.len < 19 ? when.len : 19));
	ag_paint_to(p, 20);
	ag_paint_cut(p, AG_INK_BOLD, 18, r->user);
	ag_paint_to(p, 39);
	ag_paint_cut(p, AG_INK_CYAN, 14, r->project);
	ag_paint_to(p, 54);
	ag_paint_cut(p, AG_INK_PLAIN, 14, r->tool);
	ag_paint_to(p, 69);
	ag_paint_text(p,
	              is_ok                               ? AG_INK_GREEN
	              : ag_str_eqc(r->outcome, "running") ? AG_INK_CYAN
	                                                  : AG_INK_RED,
	              r->outcome);
	if (is_ok)
		ag_paint_textf(p, AG_INK_PLAIN, "  %.*s row%s",
		               AG_FMT(ag_human_count(r->nrow, arena)), r->nrow == 1 ? "" : "s");
	else if (r->rule.len)
		ag_paint_textf(p, AG_INK_PLAIN, "  %.*s", AG_FMT(r->rule));
	if (!is_open)
		ag_paint_textf(p, AG_INK_DIM, "  %.*s",
		               AG_FMT(duration(r->wait_us + r->exec_us, arena)));
	ag_paint_nl(p);
	if (r->sql.len) {
		ag_paint_to(p, 20);
		ag_paint_cut(p, AG_INK_DIM,
		             p->width > 30 + 20 && p->width - 20 < MAX_SQL_WIDTH ? p->width - 20
		                                                                 : 60,
		             r->sql);
		ag_paint_nl(p);
	}
}

static int text(ag_cli *c, const ag_ledger_row *rows, size_t n)
{
	ag_buf out = AG_BUF_INIT(AG_LIMIT_OUTPUT);
	ag_paint p = ag_cli_paint(c, &out);

	for (size_t i = n; i-- > 0;)
		line(&p, &rows[i], c->app.arena);
	if (!n)
		ag_cli_note(c,
		            "No such calls. What agents do through `argus mcp` is recorded here.");
	return ag_cli_finish(c, &out, AG_EXIT_OK);
}

static int show(ag_cli *c, ag_store *store, int64_t since)
{
	ag_ledger_query q = { .user = ag_cli_value(c, "user"),
		              .project = ag_cli_value(c, "project"),
		              .tool = ag_cli_value(c, "tool"),
		              .outcome = ag_cli_value(c, "outcome"),
		              .since_ms = since,
		              .calls = true,
		              .after_seq = UINT64_MAX,
		              .limit = (size_t)ag_cli_number(c, "limit", 1, AG_STORE_MAX_ROWS,
		                                             DEFAULT_LIMIT) };
	ag_err err = { 0 };
	const size_t limit = q.limit;
	const ag_str wanted = q.outcome;
	ag_ledger_row *rows;
	size_t n, nshown = 0;

	/* Whether a call still runs is not in the table: all that have not ended are looked up. */
	if (is_open_outcome(wanted)) {
		q.outcome = AG_S(AG_LEDGER_BEGAN);
		q.limit = AG_STORE_MAX_ROWS;
	}
	if (ag_store_ledger_rows(store, &q, c->app.arena, &rows, &n, &err))
		return ag_cli_fail(c, &err);
	for (size_t i = 0; i < n && nshown < limit; i++) {
		rows[i].outcome = ag_call_outcome(&rows[i], ag_clock_wall(c->app.ctx.clock));
		if (!is_open_outcome(wanted) || ag_str_eq(rows[i].outcome, wanted))
			rows[nshown++] = rows[i];
	}
	return ag_cli_is_json(c) ? json(c, rows, nshown) : text(c, rows, nshown);
}

/* --- checking --- */

typedef struct noted {
	uint64_t seq;
	ag_str hash;
} noted;

static noted head_of(ag_cli *c)
{
	ag_str rest = ag_cli_value(c, "head"), number = ag_str_split(&rest, ':');
	noted h = { 0, rest };

	if (!ag_cli_has(c, "head"))
		return (noted){ 0 };
	if (!ag_cli_has(c, "verify"))
		ag_cli_complain(c, "--head belongs to --verify");
	if (!ag_str_to_u64(number, &h.seq) || h.seq > INT64_MAX || rest.len != 64)
		ag_cli_complain(c, "--head: want ROW:HASH as --verify printed it");
	return h;
}

/* The row that was the last one once must be what it was. *ret "" = it is. */
static ag_status compare_head(ag_store *store, const ag_ledger_check *k, noted h, ag_arena *arena,
                              ag_str *ret, ag_err *err)
{
	const ag_ledger_query q = { .after_seq = h.seq - 1, .limit = 1 };
	ag_ledger_row *row;
	size_t n;
	ag_status st;

	*ret = AG_S("");
	if (!h.seq)
		return AG_OK;
	st = ag_store_ledger_rows(store, &q, arena, &row, &n, err);
	if (st)
		return st;
	if (n && row->seq == h.seq) {
		if (!ag_str_eq(ag_str_c(row->hash), h.hash))
			*ret = ag_str_printf(arena, "row %llu is not the one that was noted",
			                     (unsigned long long)h.seq);
	} else if (h.seq < k->first || (!k->nrow && h.seq <= k->last)) {
		*ret = ag_str_printf(arena,
		                     "row %llu, which was noted, was purged: it cannot be compared",
		                     (unsigned long long)h.seq);
	} else {
		*ret = ag_str_printf(
			arena,
			"row %llu, which was noted, is missing: the table was cut at its end",
			(unsigned long long)h.seq);
	}
	return AG_OK;
}

static int check_json(ag_cli *c, const ag_ledger_check *k, ag_str why)
{
	ag_buf out = AG_BUF_INIT(64 * 1024);
	ag_jw w;

	ag_jw_init(&w, &out, 2);
	ag_jw_obj(&w);
	ag_jw_kbool(&w, "whole", !why.len);
	ag_jw_kuint(&w, "rows", k->nrow);
	ag_jw_kuint(&w, "first", k->first);
	ag_jw_kuint(&w, "last", k->last);
	ag_jw_kstr(&w, "head",
	           ag_str_printf(c->app.arena, "%llu:%s", (unsigned long long)k->last, k->head));
	if (why.len) {
		if (k->broken_at)
			ag_jw_kuint(&w, "broken_at", k->broken_at);
		ag_jw_kstr(&w, "why", why);
	}
	ag_jw_obj_end(&w);
	return ag_past_print_json(c, &out);
}

static int verify(ag_cli *c, ag_store *store, noted h)
{
	ag_ledger_check k = { 0 };
	ag_err err = { 0 };
	ag_str why;
	ag_buf out = AG_BUF_INIT(64 * 1024);

	if (ag_store_ledger_verify(store, c->app.arena, &k, &err) ||
	    compare_head(store, &k, h, c->app.arena, &why, &err))
		return ag_cli_fail(c, &err);
	why = k.broken_at ? k.why : why;
	if (ag_cli_is_json(c)) {
		const int code = check_json(c, &k, why);

		return why.len ? AG_EXIT_FAILED : code;
	}
	ag_buf_addf(&out, "%.*s row%s checked, %llu to %llu\nhead %llu:%s\n",
	            AG_FMT(ag_human_count(k.nrow, c->app.arena)), k.nrow == 1 ? "" : "s",
	            (unsigned long long)k.first, (unsigned long long)k.last,
	            (unsigned long long)k.last, k.head);
	if (why.len)
		ag_buf_addf(&out, "BROKEN: %.*s\n", AG_FMT(why));
	else
		ag_buf_adds(&out, "The chain is whole.\n");
	return ag_cli_finish(c, &out, why.len ? AG_EXIT_FAILED : AG_EXIT_OK);
}

static int run(ag_cli *c)
{
	const int64_t since = since_ms(c);
	const noted h = head_of(c);
	ag_err err = { 0 };
	ag_store *store;

	ag_cli_number(c, "limit", 1, AG_STORE_MAX_ROWS, DEFAULT_LIMIT);
	if (ag_cli_refused(c))
		return AG_EXIT_USAGE;
	if (ag_app_store(&c->app, &store, &err))
		return ag_cli_fail(c, &err);
	return ag_cli_has(c, "verify") ? verify(c, store, h) : show(c, store, since);
}

const ag_command ag_cmd_log = {
	.name = "log",
	.summary = "Show and check the audit table: who asked what",
	.group = AG_GROUP_SERVE,
	.usage = "[options]",
	.about =
		"Every call of a tool is recorded in the store before it is answered: who, project, tool, statement, verdict, "
		"tables, rows, time and outcome. The newest is last; times are UTC. A call that takes longer than 50 ms is "
		"recorded when it begins as well: its outcome is running, or interrupted when its process ended before "
		"the call did.\n\n"
		"Each row carries the SHA-256 of the row before it and of itself, so --verify finds a row that was "
		"changed, added, removed or moved, and ends with 1. Note the head that it prints somewhere else: with "
		"--head it is compared, and not even a table that was rewritten as a whole goes unnoticed. `argus purge` "
		"removes the oldest rows and keeps the chain of the others whole.",
	.examples = "argus log --project shop --since 12h # what happened tonight\n"
		    "argus log --outcome VALIDATION_ERROR -o json # what the guard refused\n"
		    "argus log --outcome interrupted # what a crash cut off\n"
		    "argus log --verify # is it as it was written?",
	.options = options,
	.noption = AG_NELEM(options),
	.run = run,
};
