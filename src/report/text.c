/* The report for people: verdict first, then where it comes from, the findings by rank, what to do next.
 *
 * Read ag_report_text() at the end: it has the shape of the page. */
#include "report/text.h"

#include "query/extjson.h"
#include "report/text_parts.h"

#define MARGIN       2
#define MAX_WIDTH    100 /* longer lines are hard to read */
#define SHOWN_ISSUES 3
#define SHOWN_MODELS 3

static void headline(ag_rt *t)
{
	ag_ink ink = ag_report_ink(t->report);
	ag_sign sign = ink == AG_INK_GREEN ? AG_SIGN_GOOD
	               : ink == AG_INK_RED ? AG_SIGN_BAD
	                                   : AG_SIGN_WARN;

	ag_paint_sign(&t->p, ink, sign);
	ag_paint_to(&t->p, MARGIN);
	ag_paint_wrap(&t->p, AG_INK_BOLD, MARGIN, ag_report_str(t->report, "collection"));
	ag_paint_fit(&t->p, MARGIN, 2);
	ag_paint_lit(&t->p, AG_INK_BOLD, ": ");
	ag_paint_wrap(&t->p, ink, MARGIN, ag_report_verdict(t->report, 4, t->arena));
	ag_paint_nl(&t->p);
}

/* The finding with the most documents, of those above low when there is one; else what was looked at. */
static void most_widespread(ag_rt *t)
{
	size_t n;
	const ag_val *items = ag_report_items(t->report, "findings", &n), *most = NULL;
	const ag_val *first;
	bool any_low = false;
	const bool any_above = ag_report_counted(t->report, &first) &&
	                       !ag_str_eqc(ag_report_str(first, "severity"), "low");
	const uint64_t total = ag_report_count(t->report, "collection_size");
	const bool looked = (ag_report_ended(t->report, "ok") ||
	                     ag_report_ended(t->report, "partial")) &&
	                    ag_report_count(t->report, "documents_sampled");

	for (size_t i = 0; i < n; i++) {
		const bool is_low = ag_str_eqc(ag_report_str(&items[i], "severity"), "low");

		if (ag_report_is_aside(&items[i]))
			continue;
		any_low = any_low || is_low;
		if (!(any_above && is_low) && ag_report_count(&items[i], "affected_count") >
		                                      ag_report_count(most, "affected_count"))
			most = &items[i];
	}
	ag_paint_to(&t->p, MARGIN);
	if (most) {
		const uint64_t count = ag_report_count(most, "affected_count");
		const ag_str field = ag_report_str(most, "field");

		ag_paint_wrap(&t->p, AG_INK_PLAIN, MARGIN,
		              ag_str_printf(t->arena,
		                            "Most widespread%s: %.*s, %.*s of %.*s (%.*s).",
		                            any_above && any_low ? " above low" : "",
		                            AG_FMT(field.len ? field : AG_S("whole documents")),
		                            AG_FMT(ag_human_count(count, t->arena)),
		                            AG_FMT(ag_human_documents(total, t->arena)),
		                            AG_FMT(ag_human_share(count, total, t->arena))));
	} else {
		ag_paint_wrap(&t->p, AG_INK_PLAIN, MARGIN,
		              ag_str_printf(t->arena,
		                            looked ? "%.*s %s looked at."
		                                   : "The collection has %.*s.",
		                            AG_FMT(ag_human_documents(total, t->arena)),
		                            total == 1 ? "was" : "were"));
	}
	ag_paint_nl(&t->p);
}

static void how_it_ended(ag_rt *t)
{
	ag_str why = ag_report_str(t->report, "status_reason");
	const char *what = ag_report_ended(t->report, "failed")        ? "The audit failed"
	                   : ag_report_ended(t->report, "cancelled")   ? "Stopped"
	                   : ag_report_ended(t->report, "interrupted") ? "Interrupted"
	                   : ag_report_ended(t->report, "partial")     ? "Incomplete"
	                                                               : NULL;

	if (!what)
		return;
	ag_paint_to(&t->p, MARGIN);
	ag_paint_wrap(&t->p, ag_report_ended(t->report, "failed") ? AG_INK_RED : AG_INK_YELLOW,
	              MARGIN,
	              ag_str_printf(t->arena, "%s%s%.*s", what, why.len ? ": " : ".", AG_FMT(why)));
	ag_paint_nl(&t->p);
}

static void source(ag_rt *t)
{
	const ag_val *s = ag_report_get(t->report, "source");
	ag_str uri = ag_report_str(s, "uri"), format = ag_report_str(s, "format");
	uint64_t nbyte = ag_report_count(s, "bytes");
	uint64_t ndoc = ag_report_count(t->report, "collection_size");
	ag_buf line = AG_BUF_INIT(16 * 1024);

	ag_buf_add(&line, uri.len ? uri : ag_report_str(t->report, "collection"));
	if (format.len)
		ag_buf_addf(&line, ", %.*s", AG_FMT(format));
	if (nbyte)
		ag_buf_addf(&line, ", %.*s", AG_FMT(ag_human_bytes(nbyte, t->arena)));
	ag_buf_addf(&line, ", %.*s", AG_FMT(ag_human_documents(ndoc, t->arena)));
	ag_rt_row(t, MARGIN, "source", ag_buf_view(&line));
	ag_buf_release(&line);
	if (ag_val_member_bool(s, "sampled"))
		ag_rt_row(t, MARGIN, "profile",
		          ag_str_printf(t->arena, "of a sample of %.*s; every count is of all",
		                        AG_FMT(ag_human_documents(
						ag_report_count(t->report, "documents_sampled"),
						t->arena))));
}

/* The folder stands in the source line already. */
static ag_str base_name(ag_str path)
{
	size_t at = path.len;

	while (at > 0 && path.ptr[at - 1] != '/')
		at--;
	return ag_str_make(path.ptr + at, path.len - at);
}

/* "orders.ndjson, line 1205" */
static ag_str issue_place(ag_rt *t, const ag_val *issue, bool is_bson)
{
	const uint64_t line = ag_report_count(issue, "line"), byte = ag_report_count(issue, "byte");

	return ag_str_printf(t->arena, "%.*s, %s %llu",
	                     AG_FMT(base_name(ag_report_str(issue, "file"))),
	                     is_bson ? "document"
	                     : line  ? "line"
	                             : "byte",
	                     (unsigned long long)(line ? line : byte));
}

static void broken(ag_rt *t)
{
	const ag_val *s = ag_report_get(t->report, "source");
	uint64_t n = ag_report_count(s, "broken");
	size_t nissue;
	const ag_val *issues = ag_report_items(s, "issues", &nissue);
	bool is_bson = ag_str_eqc(ag_report_str(s, "format"), "bson");
	size_t ngap;
	const ag_val *list = ag_report_items(t->report, "gaps", &ngap);
	ag_str severity = AG_S("");
	const ag_val *first;
	bool shows_all;

	if (!n)
		return;
	for (size_t i = 0; i < ngap; i++)
		if (ag_str_eqc(ag_report_str(&list[i], "kind"), "unreadable"))
			severity = ag_report_str(&list[i], "severity");
	shows_all = t->look->details || !ag_report_counted(t->report, &first);
	ag_rt_row(t, MARGIN, "unreadable",
	          ag_str_printf(t->arena, "%.*s %s left out%s%.*s%s%s%.*s",
	                        AG_FMT(ag_human_documents(n, t->arena)), n == 1 ? "was" : "were",
	                        severity.len ? " (" : "", AG_FMT(severity), severity.len ? ")" : "",
	                        nissue && !shows_all ? ", first: " : "",
	                        AG_FMT(nissue && !shows_all ? issue_place(t, &issues[0], is_bson)
	                                                    : AG_S(""))));
	if (!shows_all)
		return;
	for (size_t i = 0; i < nissue && i < SHOWN_ISSUES; i++) {
		ag_rt_row(t, MARGIN, "",
		          ag_str_printf(t->arena, "%.*s: %.*s",
		                        AG_FMT(issue_place(t, &issues[i], is_bson)),
		                        AG_FMT(ag_report_str(&issues[i], "what"))));
	}
	nissue = nissue < SHOWN_ISSUES ? nissue : SHOWN_ISSUES;
	if (n > nissue)
		ag_rt_row(t, MARGIN, "",
		          ag_str_printf(t->arena, "and %.*s more",
		                        AG_FMT(ag_human_count(n - nissue, t->arena))));
}

/* What was not checked and no other line says: unreadable documents have their own. */
static void gaps(ag_rt *t)
{
	size_t n, shown = 0;
	const ag_val *items = ag_report_items(t->report, "gaps", &n);

	for (size_t i = 0; i < n; i++) {
		if (ag_str_eqc(ag_report_str(&items[i], "kind"), "unreadable"))
			continue;
		ag_rt_row(t, MARGIN, shown++ ? "" : "gap",
		          ag_str_printf(t->arena, "%.*s (%.*s): %.*s",
		                        AG_FMT(ag_report_str(&items[i], "message")),
		                        AG_FMT(ag_report_str(&items[i], "severity")),
		                        AG_FMT(ag_report_str(&items[i], "next_step"))));
	}
}

static void bent(ag_rt *t)
{
	static const char *const kinds[][3] = {
		{ "duplicate_keys", "duplicate key", "duplicate keys" },
		{ "lone_surrogates", "broken character", "broken characters" },
		{ "big_numbers", "number beyond 64 bits", "numbers beyond 64 bits" },
		{ "overflows", "number too large", "numbers too large" },
		{ "renamed_columns", "column named by its number",
		  "columns named by their number" },
	};
	const ag_val *s = ag_report_get(t->report, "source");
	ag_buf line = AG_BUF_INIT(1024);

	for (size_t i = 0; i < AG_NELEM(kinds); i++) {
		uint64_t n = ag_report_count(s, kinds[i][0]);

		if (n)
			ag_buf_addf(&line, "%s%.*s %s", line.len ? ", " : "",
			            AG_FMT(ag_human_count(n, t->arena)), kinds[i][n == 1 ? 1 : 2]);
	}
	if (line.len)
		ag_rt_row(t, MARGIN, "noticed", ag_buf_view(&line));
	ag_buf_release(&line);
}

/* What a server says of the collection, and what that means for the figures. */
static void kind(ag_rt *t)
{
	static const char *const kinds[][2] = {
		{ "view",
		  "a view: its documents are made of other collections, repair them there" },
		{ "timeseries",
		  "a time series: the server updates no single measurement, write repaired ones to a new "
		  "collection" },
		{ "capped",
		  "a capped collection: the server removes the oldest documents, so a later count may "
		  "be another one" },
	};
	const ag_val *s = ag_report_get(t->report, "source");
	const ag_str at = ag_report_str(s, "counted_at");

	for (size_t i = 0; i < AG_NELEM(kinds); i++)
		if (ag_str_eqc(ag_report_str(s, "kind"), kinds[i][0]))
			ag_rt_row(t, MARGIN, "kind", ag_str_c(kinds[i][1]));
	if (at.len)
		ag_rt_row(t, MARGIN, "counted",
		          ag_str_printf(t->arena, "%.*s, by the clock of the server",
		                        AG_FMT(ag_human_time(at, t->arena))));
}

static void facts(ag_rt *t)
{
	const ag_val *cov = ag_report_get(t->report, "coverage");
	uint64_t paths = ag_report_count(cov, "paths"), seen = ag_report_count(cov, "investigated");
	uint64_t hidden = ag_report_count(t->report, "below_min_severity");

	source(t);
	kind(t);
	broken(t);
	gaps(t);
	bent(t);
	if (paths)
		ag_rt_row(t, MARGIN, "checked",
		          ag_str_printf(
				  t->arena, "%s%.*s%s%.*s field%s, as of %.*s",
				  seen == paths && paths > 1 ? "all " : "",
				  AG_FMT(seen == paths ? AG_S("") : ag_human_count(seen, t->arena)),
				  seen == paths ? "" : " of ",
				  AG_FMT(ag_human_count(paths, t->arena)), paths == 1 ? "" : "s",
				  AG_FMT(ag_human_time(ag_report_str(t->report, "as_of"),
		                                       t->arena))));
	if (hidden)
		ag_rt_row(t, MARGIN, "hidden",
		          ag_str_printf(t->arena, "%.*s finding%s below --min-severity",
		                        AG_FMT(ag_human_count(hidden, t->arena)),
		                        hidden == 1 ? "" : "s"));
}

/* How many findings a person set aside, and ignore rows without one. */
static void aside(ag_rt *t)
{
	size_t n, nnote, nlabel = 0, nignore = 0;
	const ag_val *items = ag_report_items(t->report, "findings", &n);
	const ag_val *notes = ag_report_items(t->report, "ignore_notes", &nnote);
	ag_buf line = AG_BUF_INIT(4096);

	for (size_t i = 0; i < n; i++) {
		const ag_str by = ag_report_str(ag_report_get(&items[i], "set_aside"), "by");

		nlabel += ag_str_eqc(by, "label");
		nignore += ag_str_eqc(by, "ignore");
	}
	if (nlabel)
		ag_buf_addf(&line, "%zu finding%s marked as %s", nlabel,
		            nlabel == 1 ? " is" : "s are",
		            nlabel == 1 ? "a false positive" : "false positives");
	if (nignore)
		ag_buf_addf(&line, "%s%zu %s ignored by argus.yaml", line.len ? ", " : "", nignore,
		            nignore == 1 ? "is" : "are");
	if (line.len)
		ag_rt_row(t, MARGIN, "set aside", ag_buf_view(&line));
	for (size_t i = 0; i < nnote; i++)
		if (notes[i].type == AG_T_STRING)
			ag_rt_row(t, MARGIN, i ? "" : "ignore", ag_val_text(&notes[i]));
	ag_buf_release(&line);
}

/* What the models cost; nothing without one. */
static void models(ag_rt *t)
{
	const ag_val *cost = ag_report_get(t->report, "cost");
	size_t n, npriced = 0;
	const ag_val *list = ag_report_items(cost, "by_model", &n);
	ag_buf line = AG_BUF_INIT(16 * 1024);

	if (!n)
		return;
	for (size_t i = 0; i < n; i++) {
		const ag_val *priced = ag_report_get(&list[i], "priced");

		npriced += priced && ag_val_truthy(priced);
		if (i < SHOWN_MODELS)
			ag_buf_addf(&line, "%s%.*s", i ? ", " : "",
			            AG_FMT(ag_report_str(&list[i], "model")));
	}
	ag_buf_addf(&line, "%s: %.*s tokens in, %.*s out", n > SHOWN_MODELS ? " and more" : "",
	            AG_FMT(ag_human_count(ag_report_count(t->report, "total_input_tokens"),
	                                  t->arena)),
	            AG_FMT(ag_human_count(ag_report_count(t->report, "total_output_tokens"),
	                                  t->arena)));
	if (npriced)
		ag_buf_addf(&line, ", %s%.4f USD", npriced < n ? "at least " : "",
		            ag_report_number(cost, "usd_total"));
	ag_rt_row(t, MARGIN, n == 1 ? "model" : "models", ag_buf_view(&line));
	ag_buf_release(&line);
}

/* What the server of the documents charged; nothing where it counts nothing. */
static void data_cost(ag_rt *t)
{
	const ag_val *cost = ag_report_get(t->report, "data_cost");
	const uint64_t n = ag_report_count(cost, "throttled");

	if (!cost || cost->type != AG_T_OBJECT)
		return;
	ag_rt_row(t, MARGIN, "charge",
	          ag_str_printf(
			  t->arena, "%.*s request units%s",
			  AG_FMT(ag_human_count((uint64_t)(ag_report_number(cost, "request_units") +
	                                                   0.5),
	                                        t->arena)),
			  n == 0 ? ""
				 : ag_str_printf(
					   t->arena,
					   "; the server asked to wait %.*s time%s, %.1f s in all",
					   AG_FMT(ag_human_count(n, t->arena)), n == 1 ? "" : "s",
					   (double)ag_report_count(cost, "waited_ms") / 1000)
					   .ptr));
}

/* "rule_name: no finding in 90 documents; other_rule: why" without the names of the rules. */
static ag_str without_rule_names(ag_str reason, ag_arena *arena)
{
	ag_buf out = AG_BUF_INIT(64 * 1024);
	ag_str ret;

	while (reason.len) {
		size_t n = 0, underscores = 0;

		while (n < reason.len &&
		       ((reason.ptr[n] >= 'a' && reason.ptr[n] <= 'z') || reason.ptr[n] == '_'))
			underscores += reason.ptr[n++] == '_';
		if (underscores && n + 1 < reason.len && reason.ptr[n] == ':')
			reason = ag_str_make(reason.ptr + n + 2, reason.len - n - 2);
		for (n = 0;
		     n < reason.len &&
		     !ag_str_starts(ag_str_make(reason.ptr + n, reason.len - n), AG_S("; "));)
			n++;
		n = n + 2 < reason.len ? n + 2 : reason.len;
		ag_buf_add(&out, ag_str_make(reason.ptr, n));
		reason = ag_str_make(reason.ptr + n, reason.len - n);
	}
	ret = ag_buf_dup(arena, &out);
	ag_buf_release(&out);
	return ret;
}

/* The run gate grades the audit, not the data: only a doubt is worth a line. */
static void doubt(ag_rt *t)
{
	const ag_val *v = ag_report_get(t->report, "run_evaluation");

	if (v && v->type == AG_T_OBJECT && !ag_str_ieq(ag_report_str(v, "verdict"), AG_S("pass")))
		ag_rt_row(t, MARGIN, "doubt",
		          without_rule_names(ag_report_str(v, "reason"), t->arena));
}

void ag_rt_aside_reason(ag_rt *t, const ag_val *finding)
{
	const ag_val *v = ag_report_get(finding, "set_aside");
	const ag_str until = ag_report_str(v, "until"), field = ag_report_str(finding, "field");

	ag_rt_row(t, MARGIN, "set aside",
	          ag_str_printf(t->arena, "%.*s, %s%.*s%s%.*s",
	                        AG_FMT(field.len ? field : AG_S("whole documents")),
	                        ag_str_eqc(ag_report_str(v, "by"), "ignore") ? "ignored: " : "",
	                        AG_FMT(ag_report_str(v, "reason")), until.len ? ", until " : "",
	                        AG_FMT(until)));
}

static void details(ag_rt *t)
{
	size_t n, shown = 0;
	const ag_val *items = ag_report_items(t->report, "findings", &n);

	for (size_t i = 0; i < n; i++) {
		if (ag_report_is_aside(&items[i]) && !t->look->set_aside)
			continue;
		ag_paint_nl(&t->p);
		ag_paint_rule(&t->p, 0);
		ag_paint_nl(&t->p);
		ag_rt_finding(t, ++shown, &items[i]);
		if (ag_report_is_aside(&items[i]))
			ag_rt_aside_reason(t, &items[i]);
	}
	if (shown) {
		ag_paint_nl(&t->p);
		ag_paint_rule(&t->p, 0);
	}
}

ag_str ag_rt_shell_word(ag_str s, ag_arena *arena)
{
	ag_buf out = AG_BUF_INIT(64 * 1024);
	bool plain = s.len > 0;
	ag_str ret;

	for (size_t i = 0; i < s.len; i++)
		plain = plain &&
		        (strchr("/._-:=@%+,", s.ptr[i]) || (s.ptr[i] >= '0' && s.ptr[i] <= '9') ||
		         ((s.ptr[i] | 0x20) >= 'a' && (s.ptr[i] | 0x20) <= 'z'));
	if (plain)
		return s;
	ag_buf_addc(&out, '\'');
	for (size_t i = 0; i < s.len; i++) {
		if (s.ptr[i] == '\'')
			ag_buf_adds(&out, "'\\''");
		else
			ag_buf_addc(&out, s.ptr[i]);
	}
	ag_buf_addc(&out, '\'');
	ret = ag_buf_dup(arena, &out);
	ag_buf_release(&out);
	return ret;
}

bool ag_rt_shows_as_is(const ag_rt *t, ag_str s)
{
	ag_buf shown = AG_BUF_INIT(64 * 1024);
	bool same;

	ag_paint_escape(&shown, s, t->p.utf8, false);
	same = ag_str_eq(ag_buf_view(&shown), s);
	ag_buf_release(&shown);
	return same;
}

void ag_rt_command(ag_rt *t, size_t at, ag_str line, const char *why)
{
	ag_paint_to(&t->p, at);
	ag_paint_text(&t->p, AG_INK_PLAIN, line);
	if (why[0] && t->p.col + strlen(why) + 4 <= t->p.width)
		ag_paint_textf(&t->p, AG_INK_DIM, "  # %s", why);
	ag_paint_nl(&t->p);
}

static bool any_waits(const ag_val *findings, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (ag_str_eqc(ag_report_str(&findings[i], "status"), "pending_review"))
			return true;
	return false;
}

/* A budget that is used up stops the next sitting at the same place: which one must grow? Seconds start again at 0. */
static const char *wider_budget(const ag_rt *t)
{
	static const struct {
		const char *of, *option;
	} budgets[] = { { " iterations ", " --max-iterations MORE" },
		        { " tool calls ", " --max-calls MORE" },
		        { " tokens ", " --max-tokens MORE" },
		        { " USD ", " --max-cost MORE" } };
	const ag_str why = ag_report_str(t->report, "status_reason");

	for (size_t i = 0; ag_str_contains(why, AG_S("the budget of ")) && i < AG_NELEM(budgets);
	     i++)
		if (ag_str_contains(why, ag_str_c(budgets[i].of)))
			return budgets[i].option;
	return "";
}

static void step(ag_rt *t, const char *verb, ag_str what, const char *option, const char *why)
{
	ag_rt_command(t, MARGIN,
	              ag_str_printf(t->arena, "argus %s %.*s%s", verb, AG_FMT(what), option), why);
}

static void next_steps(ag_rt *t)
{
	size_t nlisted;
	const ag_val *first, *items = ag_report_items(t->report, "findings", &nlisted);
	const size_t n = ag_report_counted(t->report, &first);
	const ag_str id = ag_report_str(t->report, "id"),
		     uri = ag_report_str(ag_report_get(t->report, "source"), "uri");

	ag_paint_nl(&t->p);
	if (!t->look->remembered) {
		if (n && !t->look->details && uri.len && ag_rt_shows_as_is(t, uri))
			step(t, "audit", ag_rt_shell_word(uri, t->arena), " --details",
			     "with evidence");
		return;
	}
	if (!ag_report_ended(t->report, "ok") && id.len)
		step(t, "resume", id, wider_budget(t), "go on where it stopped");
	if (n && !t->look->details)
		step(t, "show", id, " --details", "with evidence");
	if (nlisted > n && !t->look->set_aside)
		step(t, "show", id, " --set-aside", "the set aside");
	if (any_waits(items, nlisted))
		step(t, "review", id, "", "? waits for a person");
	if (n)
		step(t, "verify", id, "", "check after a repair");
	if (!t->look->trace && (!n || t->look->details))
		step(t, "show", id, " --trace", n ? "how it was found" : "what was looked at");
}

void ag_rt_row(ag_rt *t, size_t at, const char *label, ag_str text)
{
	ag_paint_to(&t->p, at);
	ag_paint_lit(&t->p, AG_INK_DIM, label);
	ag_paint_to(&t->p, at + AG_RT_LABEL_COLUMNS);
	ag_paint_wrap(&t->p, AG_INK_PLAIN, at + AG_RT_LABEL_COLUMNS, text);
	ag_paint_nl(&t->p);
}

static ag_rt begin(const ag_val *report, const ag_report_look *look, ag_arena *arena, ag_buf *out)
{
	ag_rt t = { .arena = arena, .report = report, .look = look };

	ag_paint_init(&t.p, out, look->width < MAX_WIDTH ? look->width : MAX_WIDTH, look->colour,
	              look->utf8);
	return t;
}

void ag_report_text(const ag_val *report, const ag_report_look *look, ag_buf *out)
{
	ag_arena *arena = ag_arena_new();
	ag_rt t = begin(report, look, arena, out);

	headline(&t);
	most_widespread(&t);
	how_it_ended(&t);
	ag_paint_nl(&t.p);
	facts(&t);
	aside(&t);
	data_cost(&t);
	models(&t);
	doubt(&t);
	ag_rt_since(&t);
	ag_rt_table(&t);
	if (look->details) {
		details(&t);
		ag_rt_dismissed(&t);
	}
	if (look->trace)
		ag_rt_trace(&t);
	next_steps(&t);
	ag_arena_free(arena);
}

void ag_report_overview(const ag_val *const *reports, size_t n, const ag_report_look *look,
                        ag_buf *out)
{
	ag_arena *arena = ag_arena_new();
	size_t columns = 10;
	uint64_t ndoc;
	ag_rt t = begin(NULL, look, arena, out);

	for (size_t i = 0; i < n; i++) {
		size_t w = ag_paint_width(&t.p, ag_report_str(reports[i], "collection"));

		columns = w > columns ? w : columns;
	}
	columns = columns < t.p.width / 3 ? columns : t.p.width / 3;
	ag_paint_textf(&t.p, AG_INK_BOLD, "%zu collections", n);
	ag_paint_nl(&t.p);
	for (size_t i = 0; i < n; i++) {
		ag_paint_to(&t.p, MARGIN);
		ag_paint_cut(&t.p, AG_INK_PLAIN, columns, ag_report_str(reports[i], "collection"));
		ag_paint_to(&t.p, MARGIN + columns + 2);
		ndoc = ag_report_count(reports[i], "collection_size");
		ag_paint_textf(&t.p, AG_INK_DIM, "%12.*s document%s",
		               AG_FMT(ag_human_count(ndoc, arena)), ndoc == 1 ? " " : "s");
		ag_paint_lit(&t.p, AG_INK_PLAIN, "  ");
		ag_paint_wrap(&t.p, ag_report_ink(reports[i]), MARGIN + columns + 2,
		              ag_report_verdict(reports[i], 4, arena));
		ag_paint_nl(&t.p);
	}
	ag_arena_free(arena);
}
