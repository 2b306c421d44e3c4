/* past -- see the header. */
#include "cli/past.h"

#include <stdlib.h>

#include "app/agents.h"
#include "audit/neighbours.h"
#include "base/utf8.h"
#include "documents/source.h"
#include "query/extjson.h"
#include "report/human.h"

ag_status ag_past_store_or_memory(ag_cli *c, bool is_unwritable, ag_store **ret, ag_err *err)
{
	ag_settings *s = &c->app.settings;
	const bool is_default = s->place[ag_settings_find(AG_S("store"))] == AG_PLACE_DEFAULT;
	ag_status st = is_unwritable ? AG_IO : ag_app_store(&c->app, ret, err);

	if (!st || !is_default ||
	    (st != AG_IO && st != AG_DENIED && st != AG_INVALID && st != AG_NOT_FOUND))
		return st;
	ag_cli_warn(c, "%s; this run is kept in memory and forgotten at exit%s", err->msg,
	            ag_store_is_damaged(err) ? " (`argus doctor` says what to do)" : "");
	c->app.store = ag_store_close(c->app.store);
	s->store = AG_S("memory:");
	return ag_app_store(&c->app, ret, err);
}

static bool is_known(const ag_str *keys, size_t n, ag_str key)
{
	for (size_t i = 0; i < n; i++)
		if (ag_str_eq(keys[i], key))
			return true;
	return false;
}

/* Of runs that were made of a source that is not there any more. */
static ag_status keys_of_runs(ag_cli *c, ag_store *store, ag_str source, ag_str **ret, size_t *nret,
                              ag_err *err)
{
	ag_run_row *rows;
	ag_str *keys;
	ag_status st;
	size_t n;

	*nret = 0;
	st = ag_store_runs(store, AG_S(""), AG_STORE_MAX_RUNS, 0, c->app.arena, &rows, &n, err);
	if (st)
		return st;
	*ret = keys = ag_new_n(c->app.arena, ag_str, n + 1);
	for (size_t i = 0; i < n; i++)
		if ((ag_str_eq(rows[i].source_uri, source) ||
		     ag_str_eq(rows[i].source_key, source) ||
		     ag_str_eq(rows[i].collection, source)) &&
		    !is_known(keys, *nret, rows[i].source_key))
			keys[(*nret)++] = rows[i].source_key;
	return AG_OK;
}

ag_status ag_past_keys(ag_cli *c, ag_store *store, ag_str source, ag_str **ret, size_t *nret,
                       ag_err *err)
{
	ag_source_place *places;
	ag_err why = { 0 };
	size_t n;
	ag_status st = ag_source_list(&c->app.ctx, source, c->app.arena, &places, &n, &why);

	if (st == AG_OK) {
		ag_str *keys = ag_new_n(c->app.arena, ag_str, n ? n : 1);

		for (size_t i = 0; i < n; i++)
			keys[i] = places[i].key;
		*ret = keys;
		*nret = n;
		return AG_OK;
	}
	/* Only what is gone, or was never a file, may be the name of earlier runs. */
	if (st != AG_NOT_FOUND && st != AG_INVALID) {
		*err = why;
		return st;
	}
	st = keys_of_runs(c, store, source, ret, nret, err);
	if (!st && !*nret) {
		*err = why;
		return why.status;
	}
	return st;
}

ag_status ag_past_audit(ag_cli *c, ag_store *store, ag_str name, ag_run_row *ret, ag_err *err)
{
	const ag_status st = ag_store_find_run(store, name, c->app.arena, ret, err);

	if (st || ag_app_agent(ret->agent) == &ag_agent_audit)
		return st;
	ag_fail(err, AG_INVALID, "cli.past", "run %s is a question and no audit", ret->id.text);
	return ag_err_hint(err,
	                   "`argus show %.13s` shows its answer; `argus runs` lists the audits",
	                   ret->id.text);
}

ag_str ag_past_when(int64_t ms, ag_arena *arena)
{
	char text[AG_TIME_MAX_TEXT];
	const ag_str s = ag_human_time(ag_str_make(text, ag_time_format(text, ms)), arena);

	return ag_str_make(s.ptr, s.len < 16 ? s.len : 16); /* to the minute */
}

ag_str ag_past_name(ag_str field, ag_str category, ag_arena *arena)
{
	return ag_str_printf(arena, "%.*s/%.*s", AG_FMT(field), AG_FMT(category));
}

/* Verdict of the stored report: "no_problems", "incomplete", "not_checked"; "" when the report has none. */
static ag_status verdict_of_report(ag_store *store, const ag_id *run, ag_arena *arena, ag_str *ret)
{
	const ag_extjson_opts opts = { .typed = true };
	ag_val report = ag_val_missing();
	ag_err ignored;
	ag_str text;
	ag_status st = ag_store_report(store, run, arena, &text, &ignored);

	*ret = AG_S("");
	if (!st)
		st = ag_extjson_parse(text, &opts, arena, &report, NULL, NULL, &ignored);
	if (!st)
		*ret = ag_val_member_str(&report, "verdict");
	return st == AG_NOT_FOUND ? AG_OK : st;
}

/* A run without findings says nothing about what it did not check. */
static ag_str no_findings(ag_store *store, const ag_run_row *r)
{
	static const char *const other[][2] = { { "not_checked", "not checked" },
		                                { "incomplete",
		                                  "no problems in what was checked" } };
	ag_str verdict = AG_S("not_checked"), ret;
	ag_arena *scratch = ag_arena_new();

	ret = ag_str_eqc(r->status, "ok") ? AG_S("no problems") : AG_S("none so far");
	if (r->documents && verdict_of_report(store, &r->id, scratch, &verdict))
		ret = AG_S("its report cannot be read");
	for (size_t i = 0; i < AG_NELEM(other); i++)
		if (ag_str_eqc(verdict, other[i][0]))
			ret = ag_str_c(other[i][1]);
	ag_arena_free(scratch);
	return ret;
}

static ag_str problems_of(ag_store *store, const ag_run_row *r, ag_arena *arena)
{
	const uint32_t all = r->critical + r->high + r->medium + r->low;

	if (ag_app_answers(r->agent))
		return ag_str_printf(arena, "\"%.*s\"", AG_FMT(r->summary));
	if (!all)
		return no_findings(store, r);
	if (r->critical)
		return ag_str_printf(arena, "%u problem%s, %u critical", all, all == 1 ? "" : "s",
		                     r->critical);
	if (r->high)
		return ag_str_printf(arena, "%u problem%s, %u high", all, all == 1 ? "" : "s",
		                     r->high);
	return ag_str_printf(arena, "%u problem%s", all, all == 1 ? "" : "s");
}

ag_str ag_past_problems(ag_store *store, const ag_run_row *r, ag_arena *arena)
{
	const ag_str ret = problems_of(store, r, arena);

	if (!(r->request_units > 0))
		return ret;
	return ag_str_printf(arena, "%.*s; %.*s request units", AG_FMT(ret),
	                     AG_FMT(ag_human_count((uint64_t)(r->request_units + 0.5), arena)));
}

int ag_past_print_json(ag_cli *c, ag_buf *out)
{
	const bool ok = ag_cli_print_json(c, ag_buf_view(out));

	ag_buf_release(out);
	return ok ? AG_EXIT_OK : AG_EXIT_FAILED;
}

bool ag_past_label(ag_str text, ag_str *ret)
{
	if (ag_str_eqc(text, "tp") || ag_str_eqc(text, "fp"))
		*ret = text;
	else if (ag_str_eqc(text, "none"))
		*ret = AG_S("");
	else
		return false;
	return true;
}

ag_str ag_past_user(void)
{
	const char *name = getenv("USER");
	const ag_str s = ag_str_c(name && name[0] ? name : getenv("LOGNAME"));

	return s.len && ag_utf8_valid(s) ? ag_utf8_prefix(s, 60) : AG_S("");
}

void ag_past_warn_unread(ag_cli *c, const ag_neighbours *n)
{
	const ag_source_place *unread;
	ag_str why;

	for (size_t i = 0; (unread = ag_neighbours_unread(n, i, &why)); i++)
		ag_cli_warn(c, "references to \"%.*s\" were not checked: %.*s",
		            AG_FMT(unread->collection), AG_FMT(why));
}
