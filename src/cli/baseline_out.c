/* baseline_out -- see the header. The stored report stays as it is: the comparison is a member of what is printed. */
#include "cli/baseline_out.h"

#include "app/file.h"
#include "base/path_near.h"
#include "query/extjson.h"
#include "store/baselines.h"

ag_severity ag_baseline_out_level(const ag_cli *c)
{
	const int fail_on = c->app.settings.audit.fail_on;

	return fail_on ? (ag_severity)(fail_on - 1) : AG_LOW;
}

ag_status ag_baseline_out_open(ag_cli *c, ag_baseline_use *ret, ag_err *err)
{
	const ag_str path = ag_cli_value(c, "baseline");
	const ag_severity level = ag_baseline_out_level(c);
	const char *least = ag_severity_name(c->app.settings.audit.min_severity);
	ag_str text;
	ag_status st;

	*ret = (ag_baseline_use){ .is_on = ag_cli_has(c, "baseline") ||
		                           ag_cli_has(c, "fail-on-new") };
	if (!ret->is_on)
		return AG_OK;
	/* Only listed findings can be compared. */
	if (c->app.settings.audit.min_severity > level)
		ag_cli_complain(c,
		                "--min-severity %s leaves out findings that --fail-on %s counts: "
		                "give --fail-on %s as well",
		                least, ag_severity_name(level), least);
	if (!ag_cli_has(c, "baseline")) {
		if (!c->app.settings.audit.history)
			ag_cli_complain(c,
			                "--fail-on-new compares with the previous run: leave out "
			                "--no-history, or give --baseline REPORT");
		return AG_OK;
	}
	st = ag_file_read(path, AG_STORE_MAX_REPORT_BYTES, true, NULL, c->app.arena, &text, err);
	if (st == AG_NOT_FOUND)
		return ag_path_near_hint(path, c->app.arena, err);
	return st ? st : ag_baseline_read(path, text, c->app.arena, &ret->file, err);
}

/* The run that a person chose as the baseline of the source; "" = none. */
static ag_str chosen_run(ag_cli *c, const ag_val *parsed)
{
	const ag_str key = ag_val_member_str(ag_val_getc(parsed, "source"), "key");
	ag_baseline_row row = { 0 };
	ag_store *store;
	ag_err ignored;
	bool found = false;

	if (!key.len || ag_app_store(&c->app, &store, &ignored) ||
	    ag_store_baseline(store, key, c->app.arena, &row, &found, &ignored) || !found)
		return AG_S("");
	return ag_str_dup(c->app.arena, ag_id_str(&row.run));
}

/* The report of the source's baseline, else of the previous run, from the store; false when there is no such run. */
static bool stored_run(ag_cli *c, const ag_val *parsed, ag_baseline *ret)
{
	const ag_str chosen = chosen_run(c, parsed),
		     id = chosen.len ? chosen : ag_val_member_str(parsed, "previous_run_id");
	ag_err ignored;
	ag_str text;

	return id.len && !ag_app_report(&c->app, id, &text, &ignored) &&
	       !ag_baseline_read(ag_str_printf(c->app.arena, "the %s, %.*s",
	                                       chosen.len ? "baseline" : "previous run",
	                                       AG_FMT(id)),
	                         text, c->app.arena, ret, &ignored);
}

/* The report as one more member: it ends with "}". */
static ag_str with_member(ag_cli *c, ag_str report, const ag_compared *d, const ag_baseline *b)
{
	ag_buf out = AG_BUF_INIT(AG_LIMIT_OUTPUT), member = AG_BUF_INIT(AG_STORE_MAX_REPORT_BYTES);
	ag_str ret = report, head = ag_str_trim(report);
	ag_jw w;

	ag_jw_init(&w, &member, 0);
	ag_compared_write(d, b, &w);
	if (ag_str_ends(head, AG_S("}")) && !member.failed) {
		head = ag_str_trim(ag_str_make(head.ptr, head.len - 1));
		ag_buf_addf(&out, "%.*s,\n  \"baseline\": ", AG_FMT(head));
		ag_buf_add(&out, ag_buf_view(&member));
		ag_buf_adds(&out, "\n}");
		ret = out.failed ? report : ag_buf_dup(c->app.arena, &out);
	}
	ag_buf_release(&member);
	ag_buf_release(&out);
	return ret;
}

void ag_baseline_out_compare(ag_cli *c, const ag_baseline_use *use, ag_str report,
                             const ag_val *parsed, ag_baseline_result *ret)
{
	ag_baseline stored;
	const ag_baseline *b = use->file.nreport                ? &use->file
	                       : stored_run(c, parsed, &stored) ? &stored
	                                                        : NULL;
	ag_compared d;

	ag_baseline_compare(parsed, b, c->app.arena, &d);
	*ret = (ag_baseline_result){
		.json = with_member(c, report, &d, b),
		.text = ag_compared_text(&d, b, c->app.arena),
		.reaches = ag_compared_reaches(&d, ag_baseline_out_level(c)),
	};
}
