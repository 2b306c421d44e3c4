/* For tests of runs that stood still: a script that goes every way a step can go, data for it, cutting and resuming, and
 * when two reports or two logs are the same. */
#ifndef AG_TEST_AUDIT_RESUME_STEPS_H
#define AG_TEST_AUDIT_RESUME_STEPS_H

#include <ctype.h>

#include "audit_fixtures.h"

#define AS_OF 1700000000000

#define FINDING(field, category, severity, confidence, query, count)                    \
	"{\"action\":\"write_finding\",\"confidence\":" confidence                      \
	",\"action_input\":{\"field\":\"" field "\",\"category\":\"" category           \
	"\",\"severity\":\"" severity "\",\"description\":\"something is wrong here\"," \
	"\"hypothesis\":\"a cause\",\"evidence_query\":" query ",\"affected_count\":" count "}}"

/* Every way that a step can go. */
static const char *const steps[] = {
	"{\"action\":\"schema_sample\",\"action_input\":{\"sample_size\":100}}",
	"{\"action\":\"conclude\"}",                      /* too early: the run gate rejects it */
	"{\"action\":\"fly_away\",\"action_input\":{}}",  /* no such tool */
	"{\"action\":\"run_query\",\"action_input\":17}", /* no object */
	"{\"action\":\"run_query\",\"action_input\":{\"filter\":{\"email\":null}}}",
	"{\"action\":\"run_query\",\"action_input\":{\"filter\":{\"email\":null}}}", /* once more */
	"{\"action\":\"aggregate\",\"action_input\":{\"pipeline\":[{\"$project\":{\"x\":{\"$divide\":"
	"[1,{\"$subtract\":[\"$age\",\"$age\"]}]}}}]}}", /* fails while it runs */
	FINDING("email", "null_rate", "high", "0.95", "{\"email\":null}", "25"),
	FINDING("age", "odd_age", "medium", "0.6", "{\"age\":{\"$gt\":89}}", "10"), /* waits */
	FINDING("age", "other", "medium", "0.2", "{\"age\":{\"$gt\":90}}", "9"),    /* dropped */
	FINDING("age", "low_age", "low", "0.9", "{\"age\":{\"$lt\":5}}", "50"),     /* corrected */
	FINDING("age", "low_age", "low", "0.9", "{\"age\":{\"$lt\":5}}", "5"),
	FINDING("age", "null_rate", "high", "0.9", "{\"age\":null}", "3"), /* finds nothing */
	"{\"action\":\"get_stats\",\"action_input\":{\"field\":\"age\",\"operation\":\"max\"}}",
	"{\"action\":\"conclude\"}",
};

/* Wall time that passes the leases of sittings that were killed. */
static inline int64_t later_wall(void *self)
{
	return ag_clock_wall(&ag_clock_system) + *(int64_t *)self;
}

static inline int64_t real_mono(void *self)
{
	(void)self;
	return ag_clock_mono(&ag_clock_system);
}

static inline void people(audit_fix *f)
{
	ag_buf docs = AG_BUF_INIT(1 << 20);

	for (int i = 0; i < 100; i++)
		ag_buf_addf(&docs, "{\"email\":%s,\"age\":%d,\"when\":\"2024-0%d-10\",\"n\":%s}\n",
		            i % 4 ? "\"u@example.org\"" : "null", i, i % 9 + 1,
		            i % 20 ? "1" : "\"x\"");
	fix_open(f, ag_buf_view(&docs));
	ag_buf_release(&docs);
	f->opts.catalogue.as_of_ms = AS_OF;
	f->opts.budget.iterations = 0;
	f->opts.history = false;
	f->opts.evaluators[AG_GATE_OBSERVATION] = AG_EVAL_ESCALATION;
}

/* --- two reports are the same but for ids and times --- */

typedef struct names {
	char text[400][AG_ID_LEN];
	size_t n;
} names;

static inline size_t name_of(names *all, const char *id)
{
	for (size_t i = 0; i < all->n; i++)
		if (memcmp(all->text[i], id, AG_ID_LEN) == 0)
			return i;
	assert_true(all->n < 400);
	memcpy(all->text[all->n], id, AG_ID_LEN);
	return all->n++;
}

static inline bool skip_number(ag_str s, size_t *at, const char *member)
{
	const size_t n = strlen(member);

	if (s.len - *at < n || memcmp(s.ptr + *at, member, n))
		return false;
	for (*at += n; *at < s.len && (isdigit((unsigned char)s.ptr[*at]) || s.ptr[*at] == '.' ||
	                               s.ptr[*at] == ' ');)
		++*at;
	return true;
}

static inline ag_str plain(ag_str s, ag_arena *arena)
{
	names *all = ag_new(arena, names);
	ag_buf out = AG_BUF_INIT(64 << 20);
	ag_str ret;

	for (size_t i = 0; i < s.len;) {
		int64_t ms;
		ag_id id;

		if (s.ptr[i] == '"' && i + 1 + AG_ID_LEN < s.len &&
		    ag_id_parse(ag_str_make(s.ptr + i + 1, AG_ID_LEN), &id)) {
			ag_buf_addf(&out, "\"#%zu", name_of(all, id.text));
			i += 1 + AG_ID_LEN;
		} else if (skip_number(s, &i, "\"latency_ms\":") ||
		           skip_number(s, &i, "\"duration_seconds\":")) {
			ag_buf_adds(&out, "\"t\":0");
		} else if (s.ptr[i] == '"' && i + 26 < s.len &&
		           (ag_time_parse_iso(ag_str_make(s.ptr + i + 1, 24), &ms) ||
		            ag_time_parse_iso(ag_str_make(s.ptr + i + 1, 20), &ms))) {
			ag_buf_adds(&out, "\"TIME\"");
			for (i++; s.ptr[i] != '"'; i++)
				;
			i++;
		} else {
			ag_buf_addc(&out, s.ptr[i++]);
		}
	}
	ret = ag_buf_dup(arena, &out);
	ag_buf_release(&out);
	return ret;
}

static inline void assert_same(const audit_fix *f, ag_str want, ag_str got, const char *what,
                               uint64_t k)
{
	const ag_str a = plain(want, f->arena), b = plain(got, f->arena);
	size_t i = 0;

	if (ag_str_eq(a, b))
		return;
	while (i < a.len && i < b.len && a.ptr[i] == b.ptr[i])
		i++;
	i = i > 200 ? i - 200 : 0;
	fail_msg("%s %llu: the report differs:\n--- want\n%.*s\n--- got\n%.*s", what,
	         (unsigned long long)k, (int)(a.len - i < 500 ? a.len - i : 500), a.ptr + i,
	         (int)(b.len - i < 500 ? b.len - i : 500), b.ptr + i);
}

/* --- the log --- */

static inline void events_of(const audit_fix *f, ag_store *store, const ag_id *run, ag_event **ret,
                             size_t *n)
{
	ag_err err = { 0 };

	if (ag_store_events(store, run, 0, f->arena, ret, n, &err))
		fail_msg("%s", err.msg);
}

/* What is in the log of a run that stood still, beside the ends and beginnings of its sittings, is what is in the log of
 * one that did not: type by type. */
static inline void assert_same_steps(const audit_fix *f, const ag_event *want, size_t nwant,
                                     ag_store *store, const ag_id *run, uint64_t k)
{
	ag_event *got;
	size_t n, w = 0;

	events_of(f, store, run, &got, &n);
	for (size_t i = 0; i < n; i++) {
		if (got[i].type == AG_EV_RUN_RESUMED ||
		    (got[i].type == AG_EV_RUN_FINISHED && i + 1 < n))
			continue;
		if (w == nwant || got[i].type != want[w].type)
			fail_msg("cut at %llu: event %zu is %s, want %s", (unsigned long long)k,
			         i + 1, ag_event_type_text(got[i].type),
			         w < nwant ? ag_event_type_text(want[w].type) : "the end");
		w++;
	}
	assert_int_equal(w, nwant);
	/* One output for each intent, under its own call. */
	for (size_t i = 0; i < n; i++) {
		size_t nin = 0, nout = 0;

		if (got[i].type != AG_EV_TOOL_INPUT && got[i].type != AG_EV_TOOL_OUTPUT)
			continue;
		for (size_t j = 0; j < n; j++) {
			if (!ag_str_eq(ag_id_str(&got[j].call_id), ag_id_str(&got[i].call_id)))
				continue;
			nin += got[j].type == AG_EV_TOOL_INPUT;
			nout += got[j].type == AG_EV_TOOL_OUTPUT;
		}
		assert_int_equal(nin, 1);
		assert_int_equal(nout, 1);
	}
}

static inline void assert_rebuilt(const audit_fix *f, ag_store *store, const ag_run_row *row,
                                  bool show_values)
{
	ag_str stored = AG_S(""), text = AG_S("");
	ag_err err = { 0 };

	if (ag_store_report(store, &row->id, f->arena, &stored, &err) ||
	    ag_audit_rebuild(store, row, show_values, f->arena, &text, &err))
		fail_msg("%s", err.msg);
	assert_true(ag_str_eq(stored, text));
}

/* A store whose log is the first k events. */
static inline ag_store *cut_store(const ag_event *events, size_t k, ag_run_row *row)
{
	ag_store_batch b = { .events = events, .nevent = k };
	ag_store *store;
	ag_err err = { 0 };

	row->status = AG_S("running");
	row->finished_ms = 0;
	row->verdict = AG_S("");
	b.run = row;
	if (ag_store_open(AG_S("memory:"), &store, &err) ||
	    ag_store_commit(store, &row->id, &b, &err))
		fail_msg("%s", err.msg);
	return store;
}

static inline ag_status resume(audit_fix *f, ag_store *store, const ag_run_row *row,
                               ag_planner_make make, void *arg, ag_err *err)
{
	*err = (ag_err){ 0 };
	return ag_audit_resume(&f->ctx,
	                       &(ag_audit_job){ .source = f->source,
	                                        .store = store,
	                                        .opts = &f->opts,
	                                        .make = make,
	                                        .make_arg = arg },
	                       row, f->arena, &f->result, err);
}

static inline void run_whole(audit_fix *f, ag_planner_make make, void *arg, ag_run_row *row,
                             ag_event **events, size_t *n)
{
	ag_err err = { 0 };

	if (ag_audit_run(&f->ctx,
	                 &(ag_audit_job){ .source = f->source,
	                                  .store = f->store,
	                                  .opts = &f->opts,
	                                  .make = make,
	                                  .make_arg = arg },
	                 f->arena, &f->result, &err) ||
	    ag_store_find_run(f->store, AG_S("last"), f->arena, row, &err))
		fail_msg("%s", err.msg);
	events_of(f, f->store, &row->id, events, n);
	assert_rebuilt(f, f->store, row, f->opts.show_values);
}

#endif
