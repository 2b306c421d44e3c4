/* The report for people: verdict first, then where it comes from, the findings by rank, what to do next.
 *
 * Read ag_report_text() at the end: it has the shape of the page. */
#include "audit/report_text.h"

#include "audit/report_text_parts.h"
#include "query/extjson.h"

#define MARGIN       2
#define MAX_WIDTH    100 /* longer lines are hard to read */
#define SHOWN_ISSUES 3
#define SHOWN_MODELS 3

static const char *const severities[] = { "critical", "high", "medium", "low" };

/* A label or an ignore row set it aside: it does not count. */
static bool is_aside(const ag_val *finding)
{
	const ag_val *v = ag_rt_get(finding, "set_aside");

	return v && v->type == AG_T_OBJECT;
}

/* Findings that count. *ret_first: the best ranked of them, NULL without one. */
static size_t counted(const ag_val *report, const ag_val **ret_first)
{
	size_t n, ncounted = 0;
	const ag_val *items = ag_rt_items(report, "findings", &n);

	*ret_first = NULL;
	for (size_t i = 0; i < n; i++) {
		if (is_aside(&items[i]))
			continue;
		if (!ncounted++)
			*ret_first = &items[i];
	}
	return ncounted;
}

static void count_severities(const ag_val *report, size_t by[4])
{
	size_t n;
	const ag_val *items = ag_rt_items(report, "findings", &n);

	memset(by, 0, 4 * sizeof(by[0]));
	for (size_t i = 0; i < n; i++) {
		for (size_t k = 0; k < AG_NELEM(severities) && !is_aside(&items[i]); k++)
			by[k] += ag_str_eqc(ag_rt_str(&items[i], "severity"), severities[k]);
	}
}

/* "2 critical, 5 high" */
static ag_str severity_list(const ag_val *report, size_t most, ag_arena *arena)
{
	ag_buf out = AG_BUF_INIT(256);
	ag_str ret;
	size_t by[4];

	count_severities(report, by);
	for (size_t k = 0; k < AG_NELEM(severities) && most; k++) {
		if (!by[k])
			continue;
		ag_buf_addf(&out, "%s%zu %s", out.len ? ", " : "", by[k], severities[k]);
		most--;
	}
	ret = ag_buf_dup(arena, &out);
	ag_buf_release(&out);
	return ret;
}

static bool ended(const ag_val *report, const char *status)
{
	return ag_str_eqc(ag_rt_str(report, "status"), status);
}

/* Documents that could not be read: then silence is no good news. */
static uint64_t left_out(const ag_val *report)
{
	const ag_val *source = ag_val_getc(report, "source");

	return source ? ag_rt_count(source, "broken") : 0;
}

static bool has_gaps(const ag_val *report)
{
	size_t n;

	ag_rt_items(report, "gaps", &n);
	return n > 0;
}

/* The text after "orders: ". */
static ag_str verdict(const ag_val *report, size_t most, ag_arena *arena)
{
	const ag_val *first;
	const size_t n = counted(report, &first);
	ag_str by;

	if (!n && ended(report, "failed"))
		return AG_S("the audit failed");
	if (!n && (ended(report, "cancelled") || ended(report, "interrupted")))
		return AG_S("the audit was stopped");
	if (!n && ag_rt_count(report, "below_min_severity"))
		return AG_S("no problems of this severity");
	if (!n && !ag_rt_count(report, "collection_size"))
		return left_out(report) ? AG_S("not checked, no document could be read")
		                        : AG_S("not checked, no documents");
	if (!n && (!ag_rt_count(report, "documents_sampled") ||
	           ag_str_eqc(ag_rt_str(report, "verdict"), "not_checked")))
		return AG_S("not checked, nothing was looked at");
	if (!n && ended(report, "partial"))
		return AG_S("no problems so far");
	if (!n && left_out(report))
		return AG_S("no problems found in what could be read");
	if (!n && has_gaps(report))
		return AG_S("no problems found in what was checked");
	if (!n)
		return AG_S("no problems found");
	by = severity_list(report, most, arena);
	return ag_str_printf(arena, "%zu problem%s%s%.*s", n, n == 1 ? "" : "s", by.len ? ", " : "",
	                     AG_FMT(by));
}

ag_str ag_report_headline(const ag_val *report, ag_arena *arena)
{
	return ag_str_printf(arena, "%.*s: %.*s", AG_FMT(ag_rt_str(report, "collection")),
	                     AG_FMT(verdict(report, 4, arena)));
}

static ag_ink verdict_ink(const ag_val *report)
{
	const ag_val *first;
	const size_t n = counted(report, &first);
	size_t by[4];

	count_severities(report, by);
	if (by[0] || by[1] || ended(report, "failed"))
		return AG_INK_RED;
	if (n || left_out(report) || has_gaps(report) || !ag_rt_count(report, "collection_size") ||
	    !ag_rt_count(report, "documents_sampled") || !ended(report, "ok"))
		return AG_INK_YELLOW;
	return AG_INK_GREEN;
}

static void headline(ag_rt *t)
{
	ag_ink ink = verdict_ink(t->report);
	ag_sign sign = ink == AG_INK_GREEN ? AG_SIGN_GOOD
	               : ink == AG_INK_RED ? AG_SIGN_BAD
	                                   : AG_SIGN_WARN;

	ag_paint_sign(&t->p, ink, sign);
	ag_paint_to(&t->p, MARGIN);
	ag_paint_wrap(&t->p, AG_INK_BOLD, MARGIN, ag_rt_str(t->report, "collection"));
	ag_paint_fit(&t->p, MARGIN, 2);
	ag_paint_lit(&t->p, AG_INK_BOLD, ": ");
	ag_paint_wrap(&t->p, ink, MARGIN, verdict(t->report, 4, t->arena));
	ag_paint_nl(&t->p);
}

/* The most widespread of the most severe: the first finding has the highest severity. */
static void worst(ag_rt *t)
{
	size_t n, at = 0;
	const ag_val *items = ag_rt_items(t->report, "findings", &n);
	uint64_t most = 0, total = ag_rt_count(t->report, "collection_size");
	const ag_val *first;
	const bool looked = (ended(t->report, "ok") || ended(t->report, "partial")) &&
	                    ag_rt_count(t->report, "documents_sampled");

	if (!counted(t->report, &first))
		n = 0;
	for (size_t i = 0; i < n; i++) {
		if (is_aside(&items[i]) ||
		    !ag_str_eq(ag_rt_str(&items[i], "severity"), ag_rt_str(first, "severity")))
			continue;
		if (ag_rt_count(&items[i], "affected_count") > most) {
			most = ag_rt_count(&items[i], "affected_count");
			at = i;
		}
	}
	ag_paint_to(&t->p, MARGIN);
	if (most)
		ag_paint_wrap(&t->p, AG_INK_PLAIN, MARGIN,
		              ag_str_printf(t->arena,
		                            "At worst %.*s of %.*s documents are affected (%.*s).",
		                            AG_FMT(ag_human_count(most, t->arena)),
		                            AG_FMT(ag_human_count(total, t->arena)),
		                            AG_FMT(ag_rt_str(&items[at], "field"))));
	else
		ag_paint_wrap(&t->p, AG_INK_PLAIN, MARGIN,
		              ag_str_printf(t->arena,
		                            looked ? "%.*s document%s looked at."
		                                   : "The collection has %.*s document%s.",
		                            AG_FMT(ag_human_count(total, t->arena)),
		                            looked ? (total == 1 ? " was" : "s were")
		                                   : (total == 1 ? "" : "s")));
	ag_paint_nl(&t->p);
}

static void how_it_ended(ag_rt *t)
{
	ag_str why = ag_rt_str(t->report, "status_reason");
	const char *what = ended(t->report, "failed")        ? "The audit failed"
	                   : ended(t->report, "cancelled")   ? "Stopped"
	                   : ended(t->report, "interrupted") ? "Interrupted"
	                   : ended(t->report, "partial")     ? "Incomplete"
	                                                     : NULL;

	if (!what)
		return;
	ag_paint_to(&t->p, MARGIN);
	ag_paint_wrap(&t->p, ended(t->report, "failed") ? AG_INK_RED : AG_INK_YELLOW, MARGIN,
	              ag_str_printf(t->arena, "%s%s%.*s", what, why.len ? ": " : ".", AG_FMT(why)));
	ag_paint_nl(&t->p);
}

static void source(ag_rt *t)
{
	const ag_val *s = ag_rt_get(t->report, "source");
	ag_str uri = ag_rt_str(s, "uri"), format = ag_rt_str(s, "format");
	uint64_t nbyte = ag_rt_count(s, "bytes");
	uint64_t ndoc = ag_rt_count(t->report, "collection_size");
	ag_buf line = AG_BUF_INIT(16 * 1024);

	ag_buf_add(&line, uri.len ? uri : ag_rt_str(t->report, "collection"));
	if (format.len)
		ag_buf_addf(&line, ", %.*s", AG_FMT(format));
	if (nbyte)
		ag_buf_addf(&line, ", %.*s", AG_FMT(ag_human_bytes(nbyte, t->arena)));
	ag_buf_addf(&line, ", %.*s document%s", AG_FMT(ag_human_count(ndoc, t->arena)),
	            ndoc == 1 ? "" : "s");
	ag_rt_row(t, MARGIN, "source", ag_buf_view(&line));
	ag_buf_release(&line);
}

/* The folder stands in the source line already. */
static ag_str base_name(ag_str path)
{
	size_t at = path.len;

	while (at > 0 && path.ptr[at - 1] != '/')
		at--;
	return ag_str_make(path.ptr + at, path.len - at);
}

static void broken(ag_rt *t)
{
	const ag_val *s = ag_rt_get(t->report, "source");
	uint64_t n = ag_rt_count(s, "broken");
	size_t nissue;
	const ag_val *issues = ag_rt_items(s, "issues", &nissue);
	bool is_bson = ag_str_eqc(ag_rt_str(s, "format"), "bson");
	size_t ngap;
	const ag_val *list = ag_rt_items(t->report, "gaps", &ngap);
	ag_str severity = AG_S("");

	if (!n)
		return;
	for (size_t i = 0; i < ngap; i++)
		if (ag_str_eqc(ag_rt_str(&list[i], "kind"), "unreadable"))
			severity = ag_rt_str(&list[i], "severity");
	ag_rt_row(t, MARGIN, "unreadable",
	          ag_str_printf(t->arena, "%.*s document%s left out%s%.*s%s",
	                        AG_FMT(ag_human_count(n, t->arena)), n == 1 ? " was" : "s were",
	                        severity.len ? " (" : "", AG_FMT(severity),
	                        severity.len ? ")" : ""));
	for (size_t i = 0; i < nissue && i < SHOWN_ISSUES; i++) {
		uint64_t line = ag_rt_count(&issues[i], "line"),
			 byte = ag_rt_count(&issues[i], "byte");

		ag_rt_row(t, MARGIN, "",
		          ag_str_printf(t->arena, "%.*s, %s %llu: %.*s",
		                        AG_FMT(base_name(ag_rt_str(&issues[i], "file"))),
		                        is_bson ? "document"
		                        : line  ? "line"
		                                : "byte",
		                        (unsigned long long)(line ? line : byte),
		                        AG_FMT(ag_rt_str(&issues[i], "what"))));
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
	const ag_val *items = ag_rt_items(t->report, "gaps", &n);

	for (size_t i = 0; i < n; i++) {
		if (ag_str_eqc(ag_rt_str(&items[i], "kind"), "unreadable"))
			continue;
		ag_rt_row(t, MARGIN, shown++ ? "" : "gap",
		          ag_str_printf(t->arena, "%.*s (%.*s): %.*s",
		                        AG_FMT(ag_rt_str(&items[i], "message")),
		                        AG_FMT(ag_rt_str(&items[i], "severity")),
		                        AG_FMT(ag_rt_str(&items[i], "next_step"))));
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
	const ag_val *s = ag_rt_get(t->report, "source");
	ag_buf line = AG_BUF_INIT(1024);

	for (size_t i = 0; i < AG_NELEM(kinds); i++) {
		uint64_t n = ag_rt_count(s, kinds[i][0]);

		if (n)
			ag_buf_addf(&line, "%s%.*s %s", line.len ? ", " : "",
			            AG_FMT(ag_human_count(n, t->arena)), kinds[i][n == 1 ? 1 : 2]);
	}
	if (line.len)
		ag_rt_row(t, MARGIN, "noticed", ag_buf_view(&line));
	ag_buf_release(&line);
}

static void facts(ag_rt *t)
{
	const ag_val *cov = ag_rt_get(t->report, "coverage");
	uint64_t paths = ag_rt_count(cov, "paths"), seen = ag_rt_count(cov, "investigated");
	uint64_t hidden = ag_rt_count(t->report, "below_min_severity");

	source(t);
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
				  AG_FMT(ag_human_time(ag_rt_str(t->report, "as_of"), t->arena))));
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
	const ag_val *items = ag_rt_items(t->report, "findings", &n);
	const ag_val *notes = ag_rt_items(t->report, "ignore_notes", &nnote);
	ag_buf line = AG_BUF_INIT(4096);

	for (size_t i = 0; i < n; i++) {
		const ag_str by = ag_rt_str(ag_rt_get(&items[i], "set_aside"), "by");

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
	const ag_val *cost = ag_rt_get(t->report, "cost");
	size_t n, npriced = 0;
	const ag_val *list = ag_rt_items(cost, "by_model", &n);
	ag_buf line = AG_BUF_INIT(16 * 1024);

	if (!n)
		return;
	for (size_t i = 0; i < n; i++) {
		const ag_val *priced = ag_rt_get(&list[i], "priced");

		npriced += priced && ag_val_truthy(priced);
		if (i < SHOWN_MODELS)
			ag_buf_addf(&line, "%s%.*s", i ? ", " : "",
			            AG_FMT(ag_rt_str(&list[i], "model")));
	}
	ag_buf_addf(&line, "%s: %.*s tokens in, %.*s out", n > SHOWN_MODELS ? " and more" : "",
	            AG_FMT(ag_human_count(ag_rt_count(t->report, "total_input_tokens"), t->arena)),
	            AG_FMT(ag_human_count(ag_rt_count(t->report, "total_output_tokens"),
	                                  t->arena)));
	if (npriced)
		ag_buf_addf(&line, ", %s%.4f USD", npriced < n ? "at least " : "",
		            ag_rt_number(cost, "usd_total"));
	ag_rt_row(t, MARGIN, n == 1 ? "model" : "models", ag_buf_view(&line));
	ag_buf_release(&line);
}

/* pass, warn and fail grade the audit, not the data: say so. */
static void run_verdict(ag_rt *t)
{
	const ag_val *v = ag_rt_get(t->report, "run_evaluation");
	ag_str kind = ag_rt_str(v, "verdict");
	ag_ink ink = ag_str_eqc(kind, "pass") || ag_str_eqc(kind, "PASS")   ? AG_INK_GREEN
	             : ag_str_eqc(kind, "fail") || ag_str_eqc(kind, "FAIL") ? AG_INK_RED
	                                                                    : AG_INK_YELLOW;

	if (!v || v->type != AG_T_OBJECT || !kind.len)
		return;
	ag_paint_to(&t->p, MARGIN);
	ag_paint_lit(&t->p, AG_INK_DIM, "audit gate");
	ag_paint_to(&t->p, MARGIN + AG_RT_LABEL_COLUMNS);
	ag_paint_text(&t->p, ink, kind);
	if (ink != AG_INK_GREEN)
		ag_paint_wrap(&t->p, AG_INK_PLAIN, MARGIN + AG_RT_LABEL_COLUMNS,
		              ag_str_printf(t->arena, ": %.*s", AG_FMT(ag_rt_str(v, "reason"))));
	ag_paint_nl(&t->p);
}

/* Why it does not count. */
static void aside_reason(ag_rt *t, const ag_val *finding)
{
	const ag_val *v = ag_rt_get(finding, "set_aside");
	const ag_str until = ag_rt_str(v, "until");

	ag_rt_row(t, MARGIN, "set aside",
	          ag_str_printf(t->arena, "%s%.*s%s%.*s",
	                        ag_str_eqc(ag_rt_str(v, "by"), "ignore") ? "ignored: " : "",
	                        AG_FMT(ag_rt_str(v, "reason")), until.len ? ", until " : "",
	                        AG_FMT(until)));
}

static void findings(ag_rt *t)
{
	size_t n, shown = 0;
	const ag_val *items = ag_rt_items(t->report, "findings", &n);

	for (size_t i = 0; i < n; i++) {
		if (is_aside(&items[i]) && !t->look->set_aside)
			continue;
		ag_paint_nl(&t->p);
		ag_paint_rule(&t->p, 0);
		ag_paint_nl(&t->p);
		ag_rt_finding(t, ++shown, &items[i]);
		if (is_aside(&items[i]))
			aside_reason(t, &items[i]);
	}
	if (shown) {
		ag_paint_nl(&t->p);
		ag_paint_rule(&t->p, 0);
	}
}

/* A word for the shell: quoted when it must be. */
static ag_str shell_word(ag_str s, ag_arena *arena)
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

/* Would the terminal show it as it is? Else what is copied from there names something else. */
static bool shows_as_is(const ag_rt *t, ag_str s)
{
	ag_buf shown = AG_BUF_INIT(64 * 1024);
	bool same;

	ag_paint_escape(&shown, s, t->p.utf8, false);
	same = ag_str_eq(ag_buf_view(&shown), s);
	ag_buf_release(&shown);
	return same;
}

/* A command stands on a line of its own: it can be copied, and never breaks. */
static void command(ag_rt *t, const char *why, ag_str line)
{
	ag_paint_to(&t->p, MARGIN);
	ag_paint_lit(&t->p, AG_INK_DIM, why);
	ag_paint_nl(&t->p);
	ag_paint_to(&t->p, MARGIN + 2);
	ag_paint_text(&t->p, AG_INK_PLAIN, line);
	ag_paint_nl(&t->p);
}

static bool any_waits(const ag_val *findings, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (ag_str_eqc(ag_rt_str(&findings[i], "status"), "pending_review"))
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
	const ag_str why = ag_rt_str(t->report, "status_reason");

	for (size_t i = 0; ag_str_contains(why, AG_S("the budget of ")) && i < AG_NELEM(budgets);
	     i++)
		if (ag_str_contains(why, ag_str_c(budgets[i].of)))
			return budgets[i].option;
	return "";
}

static void next_steps(ag_rt *t)
{
	size_t nlisted;
	const ag_val *first, *items = ag_rt_items(t->report, "findings", &nlisted);
	const size_t n = counted(t->report, &first);
	ag_str id = ag_rt_str(t->report, "id"),
	       query = n ? ag_rt_str(first, "evidence_query") : AG_S("");
	ag_str uri = ag_rt_str(ag_rt_get(t->report, "source"), "uri");

	ag_paint_nl(&t->p);
	if (query.len && query.len < 300 && uri.len && shows_as_is(t, uri))
		command(t, "see the documents of the first finding",
		        ag_str_printf(t->arena, "argus query %.*s %.*s",
		                      AG_FMT(shell_word(uri, t->arena)),
		                      AG_FMT(shell_word(query, t->arena))));
	if (!t->look->remembered)
		return;
	if (!ended(t->report, "ok") && id.len)
		command(t, "go on where it stopped",
		        ag_str_printf(t->arena, "argus resume %.*s%s", AG_FMT(id),
		                      wider_budget(t)));
	if (nlisted > n && !t->look->set_aside)
		command(t, "list what was set aside",
		        ag_str_printf(t->arena, "argus show %.*s --set-aside", AG_FMT(id)));
	if (any_waits(items, nlisted))
		command(t, "decide what waits for a person",
		        ag_str_printf(t->arena, "argus review %.*s", AG_FMT(id)));
	if (n)
		command(t, "check all of it again, after a repair",
		        ag_str_printf(t->arena, "argus verify %.*s", AG_FMT(id)));
	if (!t->look->trace)
		command(t,
		        n ? "how it was found; --output json has everything" : "what was looked at",
		        ag_str_printf(t->arena, "argus show %.*s --trace", AG_FMT(id)));
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
	worst(&t);
	how_it_ended(&t);
	ag_paint_nl(&t.p);
	facts(&t);
	aside(&t);
	models(&t);
	run_verdict(&t);
	ag_rt_since(&t);
	findings(&t);
	ag_rt_dismissed(&t);
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
	ag_rt t = begin(NULL, look, arena, out);

	for (size_t i = 0; i < n; i++) {
		size_t w = ag_paint_width(&t.p, ag_rt_str(reports[i], "collection"));

		columns = w > columns ? w : columns;
	}
	columns = columns < t.p.width / 3 ? columns : t.p.width / 3;
	ag_paint_textf(&t.p, AG_INK_BOLD, "%zu collections", n);
	ag_paint_nl(&t.p);
	for (size_t i = 0; i < n; i++) {
		ag_paint_to(&t.p, MARGIN);
		ag_paint_cut(&t.p, AG_INK_PLAIN, columns, ag_rt_str(reports[i], "collection"));
		ag_paint_to(&t.p, MARGIN + columns + 2);
		ag_paint_textf(&t.p, AG_INK_DIM, "%12.*s documents",
		               AG_FMT(ag_human_count(ag_rt_count(reports[i], "collection_size"),
		                                     arena)));
		ag_paint_lit(&t.p, AG_INK_PLAIN, "  ");
		ag_paint_wrap(&t.p, verdict_ink(reports[i]), MARGIN + columns + 2,
		              verdict(reports[i], 4, arena));
		ag_paint_nl(&t.p);
	}
	ag_arena_free(arena);
}
