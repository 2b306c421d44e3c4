/* planner_builtin -- an auditor without a model: hypotheses from the profile, each confirmed through the same gates.
 *
 * Order: schema_sample; profile_fields in batches (so every data field is really looked at); then field by field, the
 * most promising first: count the evidence of each hypothesis, fold those that say the same of the same documents, write
 * what holds; conclude. Field by field, because a budget that runs out then leaves whole findings behind.
 *
 * Everything it decides follows from the profile and from counts in the state, so the same data gives the same steps. In
 * a run that is resumed it goes through them again and leaves out those that the log holds. */
#include <stdlib.h>

#include "audit/audit.h"
#include "audit/past_steps.h"
#include "audit/tools.h"
#include "base/json.h"
#include "query/extjson.h"

#define FOLD_SHARE  0.9
#define SHOW_LIMIT  3
#define PROJECT_MAX 20
#define INPUT_LIMIT (4 * 1024 * 1024)

/* One hypothesis and what became of it. */
typedef struct suspect {
	const ag_hypothesis *h;
	size_t order; /* position in the catalogue's list */
	bool is_filter;
	uint64_t affected;
	ag_severity severity;
	struct suspect *main; /* folded into this one */
} suspect;

typedef struct field_group {
	suspect *items;
	size_t n;
	double promise; /* best severity weight x confidence */
	size_t order;
} field_group;

typedef enum phase { PH_SAMPLE, PH_PROFILE, PH_FIELDS, PH_CONCLUDE } phase;

typedef struct builtin {
	ag_planner base;
	ag_audit *audit;
	ag_arena *arena;
	phase phase;
	size_t next_path; /* PH_PROFILE: index into the schema */
	field_group *groups;
	size_t ngroup, group; /* PH_FIELDS: the group under way */
	size_t test, fold_a, fold_b, write;
	bool folding;
	size_t left_out;
	ag_past_steps past; /* of earlier sittings */
	unsigned nstep;     /* of this one */
} builtin;

static int by_promise(const void *a, const void *b)
{
	const field_group *x = a, *y = b;

	if (x->promise != y->promise)
		return x->promise > y->promise ? -1 : 1;
	return x->order < y->order ? -1 : x->order > y->order;
}

/* How many hypotheses from i on are of the same field. */
static size_t same_field(const ag_hypotheses *all, size_t i)
{
	size_t n = 1;

	while (i + n < all->n && ag_str_eq(all->items[i + n].field, all->items[i].field))
		n++;
	return n;
}

/* Hypotheses come ordered by path, so one field's stand together. */
static void make_groups(builtin *b, const ag_hypotheses *all)
{
	b->groups = ag_new_n(b->arena, field_group, all->n ? all->n : 1);
	for (size_t i = 0; i < all->n; i++) {
		const ag_hypothesis *h = &all->items[i];
		const double promise = ag_severity_weight(h->severity) * h->confidence;
		field_group *g = b->ngroup ? &b->groups[b->ngroup - 1] : NULL;

		if (!g || !ag_str_eq(g->items[0].h->field, h->field)) {
			g = &b->groups[b->ngroup];
			*g = (field_group){ .order = b->ngroup++ };
			g->items = ag_new_n(b->arena, suspect, same_field(all, i));
		}
		g->items[g->n++] =
			(suspect){ .h = h, .order = i, .is_filter = h->evidence.ptr[0] == '{' };
		if (promise > g->promise)
			g->promise = promise;
	}
	qsort(b->groups, b->ngroup, sizeof(*b->groups), by_promise);
}

static ag_status think(builtin *b, const ag_ctx *ctx, ag_err *err)
{
	const ag_hypotheses *all;
	ag_status st = ag_audit_hypotheses(b->audit, ctx, &all, err);

	if (st)
		return st;
	b->left_out = all->left_out;
	make_groups(b, all);
	ag_ctx_phase(ctx, "testing fields", "fields", b->ngroup);
	return AG_OK;
}

/* ---- writing proposals ---- */

typedef struct draft {
	ag_arena *arena;
	ag_buf out;
	ag_jw w;
} draft;

static void begin(draft *d, ag_arena *arena)
{
	d->arena = arena;
	ag_buf_init(&d->out, INPUT_LIMIT);
	ag_jw_init(&d->w, &d->out, 0);
	ag_jw_obj(&d->w);
}

static void finish(draft *d, const char *action, ag_str reasoning, double confidence,
                   ag_proposal *ret)
{
	ag_jw_obj_end(&d->w);
	*ret = (ag_proposal){
		.reasoning = reasoning,
		.action = ag_str_c(action),
		.input = ag_buf_dup(d->arena, &d->out),
		.confidence = confidence,
	};
	ag_buf_release(&d->out);
}

static void propose_sample(builtin *b, ag_arena *arena, ag_proposal *ret)
{
	const uint64_t wanted = ag_audit_opts_of(b->audit)->sample_size;
	const uint64_t size = ag_audit_state_of(b->audit)->collection_size;
	const uint64_t n = wanted && wanted < size ? wanted : size ? size : 1;
	draft d;

	begin(&d, arena);
	ag_jw_kuint(&d.w, "sample_size", n);
	finish(&d, "schema_sample",
	       AG_S("The schema comes first: which fields exist, of which types."), 1, ret);
}

/* The next batch of data fields; false when all were profiled. */
static bool propose_profile(builtin *b, const ag_profile *profile, ag_arena *arena,
                            ag_proposal *ret)
{
	const ag_audit_state *s = ag_audit_state_of(b->audit);
	size_t n = 0;
	draft d;

	begin(&d, arena);
	ag_jw_kkey(&d.w, "fields");
	ag_jw_arr(&d.w);
	for (; b->next_path < s->schema.n && n < AG_PROFILE_FIELDS_MAX; b->next_path++) {
		const ag_schema_path *p = &s->schema.items[b->next_path];

		if (!p->is_data || !ag_profile_find(profile, p->path))
			continue;
		ag_jw_str(&d.w, p->path);
		n++;
	}
	ag_jw_arr_end(&d.w);
	finish(&d, "profile_fields",
	       profile->ndoc < s->collection_size
	               ? AG_S("Profile the data fields, over the sample.")
	               : AG_S("Profile the data fields exactly, over all documents."),
	       1, ret);
	return n > 0;
}

static bool stands_above(ag_str path, const ag_str *paths, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (paths[i].len > path.len && paths[i].ptr[path.len] == '.' &&
		    ag_str_starts(paths[i], path))
			return true;
	return false;
}

/* Of the documents only what the filter is about: wide ones would fill the log with what nobody asked. */
static void project_json(ag_str filter, draft *d)
{
	const ag_str *paths;
	ag_safe_query q;
	ag_err ignored;
	size_t n;

	if (ag_docquery_parse(filter, d->arena, &q, &ignored) || !q.filter)
		return;
	ag_filter_paths(q.filter, d->arena, &paths, &n);
	ag_jw_kkey(&d->w, "projection");
	ag_jw_obj(&d->w);
	for (size_t i = 0, asked = 0; i < n && asked < PROJECT_MAX; i++) {
		if (stands_above(paths[i], paths, n))
			continue;
		ag_jw_key(&d->w, paths[i]);
		ag_jw_int(&d->w, 1);
		asked++;
	}
	ag_jw_obj_end(&d->w);
}

static void propose_test(const suspect *c, ag_arena *arena, ag_proposal *ret)
{
	draft d;

	begin(&d, arena);
	ag_jw_kraw(&d.w, c->is_filter ? "filter" : "pipeline", c->h->evidence);
	if (c->is_filter)
		project_json(c->h->evidence, &d);
	ag_jw_kint(&d.w, "limit", SHOW_LIMIT);
	finish(&d, c->is_filter ? "run_query" : "aggregate",
	       ag_str_printf(arena,
	                     "Hypothesis for %.*s (%s): %.*s. Count the documents that show it.",
	                     AG_FMT(c->h->field), c->h->category, AG_FMT(c->h->what)),
	       c->h->confidence, ret);
}

static ag_str both_of(const suspect *a, const suspect *b, ag_arena *arena)
{
	return ag_str_printf(arena, "{\"$and\":[%.*s,%.*s]}", AG_FMT(a->h->evidence),
	                     AG_FMT(b->h->evidence));
}

static void propose_overlap(const suspect *a, const suspect *b, ag_arena *arena, ag_proposal *ret)
{
	draft d;

	begin(&d, arena);
	ag_jw_kraw(&d.w, "filter", both_of(a, b, arena));
	project_json(a->h->evidence, &d);
	ag_jw_kint(&d.w, "limit", 1);
	finish(&d, "run_query",
	       ag_str_printf(
		       arena,
		       "%s and %s of %.*s may be the same documents: count those that show both.",
		       a->h->category, b->h->category, AG_FMT(a->h->field)),
	       1, ret);
}

static void parts_json(const field_group *g, const suspect *c, ag_jw *w)
{
	ag_jw_kkey(w, "parts");
	ag_jw_arr(w);
	for (size_t i = 0; i < g->n; i++) {
		const suspect *part = &g->items[i];

		if (part->main != c)
			continue;
		ag_jw_obj(w);
		ag_jw_kstr(w, "category", ag_str_c(part->h->category));
		ag_jw_kstr(w, "description", part->h->what);
		ag_jw_kstr(w, "evidence_query", part->h->evidence);
		ag_jw_obj_end(w);
	}
	ag_jw_arr_end(w);
}

/* Rules that agree on the same documents make each other surer. */
static double joint_confidence(const field_group *g, const suspect *c)
{
	double doubt = 1 - c->h->confidence;

	for (size_t i = 0; i < g->n; i++)
		if (g->items[i].main == c)
			doubt *= 1 - g->items[i].h->confidence;
	return doubt < 0.01 ? 0.99 : 1 - doubt;
}

static void propose_write(builtin *b, const field_group *g, const suspect *c, ag_arena *arena,
                          ag_proposal *ret)
{
	const uint64_t total = ag_audit_state_of(b->audit)->collection_size;
	draft d;

	begin(&d, arena);
	ag_jw_kstr(&d.w, "field", c->h->field);
	ag_jw_kstr(&d.w, "category", ag_str_c(c->h->category));
	ag_jw_kstr(&d.w, "severity", ag_str_c(ag_severity_name(c->severity)));
	ag_jw_kstr(&d.w, "description", c->h->what);
	ag_jw_kstr(&d.w, "hypothesis", c->h->cause);
	ag_jw_kstr(&d.w, "evidence_query", c->h->evidence);
	ag_jw_kuint(&d.w, "affected_count", c->affected);
	ag_jw_kdouble(&d.w, "affected_pct", total ? (double)c->affected / (double)total : 0);
	ag_jw_kstr(&d.w, "detail", c->h->detail);
	ag_jw_kstr(&d.w, "repair", c->h->repair);
	parts_json(g, c, &d.w);
	finish(&d, "write_finding",
	       ag_str_printf(arena, "The evidence finds %llu of %llu documents: write it down.",
	                     (unsigned long long)c->affected, (unsigned long long)total),
	       joint_confidence(g, c), ret);
}

/* ---- one field after another ---- */

/* What a query said, when it ran. */
static bool count_of(builtin *b, ag_str evidence, bool is_filter, ag_arena *arena, uint64_t *ret)
{
	const ag_member m = { is_filter ? AG_S("filter") : AG_S("pipeline"), ag_val_str(evidence) };
	const ag_val input = ag_val_object(&m, 1);
	const ag_str key = ag_audit_call_key(is_filter ? AG_S("run_query") : AG_S("aggregate"),
	                                     &input, arena);
	const ag_call_record *call = ag_audit_call_find(ag_audit_state_of(b->audit), key);

	if (!call || !call->has_matched)
		return false;
	*ret = call->matched;
	return true;
}

/* Keep what holds, heavier first; nothing of it is folded yet. */
static int heavier_first(const void *a, const void *b)
{
	const suspect *x = a, *y = b;

	if (x->severity != y->severity)
		return x->severity > y->severity ? -1 : 1;
	if (x->affected != y->affected)
		return x->affected > y->affected ? -1 : 1;
	return x->order < y->order ? -1 : x->order > y->order;
}

/* A guess that held speaks for its category: what was to be tried in its place says less. */
static bool is_guessed(const field_group *g, size_t n, const suspect *c)
{
	for (size_t i = 0; i < n; i++)
		if (g->items[i].h->is_guess && strcmp(g->items[i].h->category, c->h->category) == 0)
			return true;
	return false;
}

static void keep_what_holds(builtin *b, field_group *g, ag_arena *arena)
{
	const uint64_t total = ag_audit_state_of(b->audit)->collection_size;
	size_t n = 0;

	for (size_t i = 0; i < g->n; i++) {
		suspect c = g->items[i];

		if (!count_of(b, c.h->evidence, c.is_filter, arena, &c.affected) ||
		    !ag_hypothesis_holds(c.h, c.affected, total) || is_guessed(g, n, &c))
			continue;
		c.severity = ag_hypothesis_severity(c.h, c.affected, total);
		g->items[n++] = c;
	}
	g->n = n;
	qsort(g->items, n, sizeof(*g->items), heavier_first);
}

/* Fold b into a when nearly all documents of the smaller one show both. */
static void fold(builtin *bu, suspect *a, suspect *b, ag_arena *arena)
{
	const uint64_t smaller = a->affected < b->affected ? a->affected : b->affected;
	uint64_t both;

	if (count_of(bu, both_of(a, b, arena), true, arena, &both) &&
	    (double)both >= FOLD_SHARE * (double)smaller)
		b->main = a;
}

/* A query that was answered: in an earlier sitting it was a step. */
static void take_known(builtin *b, const ag_proposal *p, ag_arena *arena)
{
	AG_IGNORE(ag_past_steps_take(&b->past, p, arena), "then this sitting asked it");
}

static bool next_test(builtin *b, field_group *g, ag_arena *arena, ag_proposal *ret)
{
	uint64_t known;

	while (b->test < g->n) {
		const suspect *c = &g->items[b->test++];

		propose_test(c, arena, ret);
		if (count_of(b, c->h->evidence, c->is_filter, arena, &known))
			take_known(b, ret, arena);
		else if (!ag_past_steps_take(&b->past, ret, arena))
			return true;
	}
	return false;
}

/* Pairs (a, b) of filters in order; a pair is asked once and folded when its answer is there. */
static bool next_overlap(builtin *b, field_group *g, ag_arena *arena, ag_proposal *ret)
{
	uint64_t known;

	for (; b->fold_a < g->n; b->fold_a++, b->fold_b = 0) {
		suspect *a = &g->items[b->fold_a];

		if (b->fold_b <= b->fold_a)
			b->fold_b = b->fold_a + 1;
		for (; b->fold_b < g->n && a->is_filter && !a->main;
		     b->fold_b++, b->folding = false) {
			suspect *c = &g->items[b->fold_b];

			if (!c->is_filter || c->main)
				continue;
			if (!b->folding) {
				propose_overlap(a, c, arena, ret);
				if (count_of(b, both_of(a, c, arena), true, arena, &known)) {
					take_known(b, ret, arena);
				} else {
					b->folding =
						true; /* asked: on the next turn the answer is there, or never */
					if (!ag_past_steps_take(&b->past, ret, arena))
						return true;
				}
			}
			fold(b, a, c, arena);
		}
	}
	return false;
}

static bool next_write(builtin *b, const field_group *g, ag_arena *arena, ag_proposal *ret)
{
	while (b->write < g->n) {
		const suspect *c = &g->items[b->write++];

		if (c->main)
			continue;
		propose_write(b, g, c, arena, ret);
		if (!ag_past_steps_take(&b->past, ret, arena))
			return true;
	}
	return false;
}

static bool next_in_fields(builtin *b, const ag_ctx *ctx, ag_arena *arena, ag_proposal *ret)
{
	for (; b->group < b->ngroup; b->group++, ag_ctx_advance(ctx, 1, 0)) {
		field_group *g = &b->groups[b->group];

		if (b->test != SIZE_MAX) {
			if (next_test(b, g, arena, ret))
				return true;
			keep_what_holds(b, g, arena);
			b->test = SIZE_MAX;
		}
		if (next_overlap(b, g, arena, ret) || next_write(b, g, arena, ret))
			return true;
		b->test = b->fold_a = b->fold_b = b->write = 0;
		b->folding = false;
	}
	return false;
}

static ag_status next_step(builtin *b, const ag_ctx *ctx, ag_arena *arena, ag_proposal *ret,
                           ag_err *err)
{
	const ag_profile *profile;
	ag_status st;
	draft d;

	if (b->phase == PH_SAMPLE) {
		b->phase = PH_PROFILE;
		propose_sample(b, arena, ret);
		if (!ag_past_steps_take(&b->past, ret, arena))
			return AG_OK;
	}
	/* Without a schema there is nothing to suspect, and "no problems" would be a lie. */
	if (!ag_audit_state_of(b->audit)->has_schema)
		return ag_fail(err, AG_LIMIT, "audit.planner",
		               "the schema could not be sampled: %.*s",
		               AG_FMT(ag_audit_state_of(b->audit)->last_observation));
	if (b->phase == PH_PROFILE) {
		st = ag_audit_profile(b->audit, ctx, &profile, err);
		if (st)
			return st;
		while (propose_profile(b, profile, arena, ret))
			if (!ag_past_steps_take(&b->past, ret, arena))
				return AG_OK;
		st = think(b, ctx, err);
		if (st)
			return st;
		b->phase = PH_FIELDS;
	}
	if (b->phase == PH_FIELDS) {
		if (next_in_fields(b, ctx, arena, ret))
			return AG_OK;
		b->phase = PH_CONCLUDE;
		ag_ctx_phase(ctx, NULL, NULL, 0);
	}
	begin(&d, arena);
	finish(&d, "conclude",
	       b->left_out
	               ? ag_str_printf(
				 arena,
				 "The hypotheses are tested; %zu more were left out by the limit of %d.",
				 b->left_out, AG_MAX_HYPOTHESES)
	               : AG_S("Every hypothesis of the catalogue is tested."),
	       1, ret);
	return AG_OK;
}

static ag_status propose(ag_planner *self, const ag_ctx *ctx, ag_arena *arena, ag_proposal *ret,
                         ag_err *err)
{
	builtin *b = (builtin *)self;
	const ag_status st = next_step(b, ctx, arena, ret, err);

	b->nstep += !st && b->phase != PH_CONCLUDE;
	return st;
}

static const ag_planner_type builtin_type = { .name = "builtin", .propose = propose };

ag_planner *ag_planner_builtin_make(void *env, void *arg)
{
	ag_audit *a = env;
	ag_arena *arena = ag_audit_state_of(a)->arena;
	builtin *b = ag_new(arena, builtin);

	(void)arg;
	b->base.type = &builtin_type;
	b->audit = a;
	b->arena = arena;
	ag_past_steps_init(&b->past, ag_audit_state_of(a), arena);
	return &b->base;
}

bool ag_planner_builtin_is_done(const ag_planner *p, unsigned *ret_nstep)
{
	const builtin *b = (const builtin *)p;

	*ret_nstep = b->nstep + (unsigned)b->past.ntaken;
	return b->phase == PH_CONCLUDE;
}
