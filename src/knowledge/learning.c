/* learning -- see the header. Each change is made of a version that was read; when another process was faster it is made
 * again of what is there then. */
#include "knowledge/learning.h"

#include "knowledge/statement.h"

#define ORIGIN      "knowledge.learning"
#define KIND        AG_S("learning")
#define MAX_TRIES   5
#define MAX_AT_ONCE 20u /* learnings that one new one contradicts */

typedef struct change {
	ag_store *store;
	ag_str project;
	ag_arena *arena;
	const ag_know_lesson *lesson;
	ag_know_learnt *ret;
	ag_object_row rows[MAX_AT_ONCE + 2];
	ag_str reviews[MAX_AT_ONCE + 1];
	size_t nrow, nreview;
} change;

static double raised(double c, double by)
{
	c += by;
	/* Tenths stay tenths: 0.5 + 0.1 + 0.1 + 0.1 is 0.8. */
	c = (double)(int64_t)(c * 1000 + 0.5) / 1000;
	return c > 1 ? 1 : c < 0 ? 0 : c;
}

/* --- what it was made from --- */

static ag_status make(const change *c, ag_know *ret, ag_err *err)
{
	const ag_know_lesson *l = c->lesson;
	const struct {
		const char *name;
		ag_str text;
	} texts[] = { { "category", l->category },
		      { "original_sql", l->original_sql },
		      { "corrected_sql", l->corrected_sql },
		      { "original_error", l->original_error } };
	ag_member *m = ag_new_n(c->arena, ag_member, AG_NELEM(texts) + 1);
	size_t n = 0;
	ag_val fields;
	ag_status st;

	for (size_t i = 0; i < AG_NELEM(texts); i++) {
		if (texts[i].text.len)
			m[n++] = (ag_member){ ag_str_c(texts[i].name), ag_val_str(texts[i].text) };
	}
	if (l->tables)
		m[n++] = (ag_member){ AG_S("tables"), *l->tables };
	fields = ag_val_object(m, n);
	st = ag_know_make(AG_KNOW_LEARNING, l->description, &fields, c->arena, ret, err);
	ret->author = l->author;
	ret->created_ms = ret->changed_ms = l->now_ms;
	return st;
}

/* --- contradiction --- */

static void set_aside(ag_know *o, ag_str why, int64_t now_ms, ag_arena *arena)
{
	const ag_val text = ag_val_str(ag_str_dup(arena, why));

	if (o->status != AG_KNOW_REVIEW)
		o->confidence = raised(o->confidence, -AG_KNOW_STEP);
	o->status = AG_KNOW_REVIEW;
	o->body = ag_know_with(&o->body, "contradicted", &text, arena);
	o->changed_ms = now_ms;
}

static void add_review(change *c, ag_know *o, const ag_know *by)
{
	if (c->nreview == MAX_AT_ONCE || ag_str_eq(o->key, by->key))
		return;
	for (size_t i = 0; i < c->nreview; i++) {
		if (ag_str_eq(c->reviews[i], ag_know_short(o)))
			return;
	}
	set_aside(o,
	          ag_str_printf(c->arena, "learning %.*s says otherwise",
	                        AG_FMT(ag_know_short(by))),
	          c->lesson->now_ms, c->arena);
	c->reviews[c->nreview++] = ag_str_dup(c->arena, ag_know_short(o));
	c->rows[c->nrow++] = ag_know_row(o, c->project, c->arena);
}

/* What the new one says is wrong: what once was the cure. */
static ag_status find_wrong(change *c, const ag_know *by, ag_err *err)
{
	const ag_str failed = ag_know_plain_sql(c->lesson->original_sql, c->arena);
	ag_object_row *rows;
	size_t n;
	ag_status st;

	if (!failed.len)
		return AG_OK;
	st = ag_store_objects(c->store, c->project, KIND, c->arena, &rows, &n, err);
	for (size_t i = 0; i < n && !st; i++) {
		ag_know o;

		if (!ag_str_eqc(rows[i].status, "active") ||
		    ag_know_of_row(&rows[i], c->arena, &o, NULL))
			continue;
		if (ag_str_eq(ag_know_plain_sql(ag_know_text(&o, "corrected_sql"), c->arena),
		              failed))
			add_review(c, &o, by);
	}
	return st;
}

static ag_status find_named(change *c, const ag_know *by, ag_err *err)
{
	ag_object_row row;
	ag_know o;
	ag_status st;

	if (!c->lesson->contradicts.len)
		return AG_OK;
	st = ag_store_object(c->store, c->project, KIND, c->lesson->contradicts, c->arena, &row,
	                     err);
	if (!st)
		st = ag_know_of_row(&row, c->arena, &o, err);
	if (!st)
		add_review(c, &o, by);
	return st;
}

/* --- saving --- */

/* The same text again. One that waits for a review goes on waiting. */
static void say_again(ag_know *old, const ag_know *now)
{
	old->confidence = old->status == AG_KNOW_ACTIVE ? raised(old->confidence, AG_KNOW_STEP)
	                                                : old->confidence;
	old->uses++;
	old->used_ms = old->changed_ms = now->changed_ms;
}

static ag_status try_learn(change *c, ag_err *err)
{
	ag_know now, old;
	ag_object_row row;
	ag_status st = make(c, &now, err);

	c->nrow = c->nreview = 0;
	if (st)
		return st;
	st = ag_store_object(c->store, c->project, KIND, now.key, c->arena, &row, err);
	c->ret->is_new = st == AG_NOT_FOUND;
	if (st && st != AG_NOT_FOUND)
		return st;
	st = c->ret->is_new ? AG_OK : ag_know_of_row(&row, c->arena, &old, err);
	if (!st && !c->ret->is_new) {
		say_again(&old, &now);
		now = old;
	}
	if (!st)
		st = find_named(c, &now, err);
	if (!st)
		st = find_wrong(c, &now, err);
	if (st)
		return st;
	c->rows[c->nrow++] = ag_know_row(&now, c->project, c->arena);
	c->ret->learning = now;
	c->ret->reviews = c->reviews;
	c->ret->nreview = c->nreview;
	return ag_store_put_objects(c->store, c->rows, c->nrow, err);
}

ag_status ag_know_learn(ag_store *s, ag_str project, const ag_know_lesson *l, ag_arena *arena,
                        ag_know_learnt *ret, ag_err *err)
{
	change *c = ag_new(arena, change);
	ag_status st = AG_CONFLICT;

	*c = (change){ .store = s, .project = project, .arena = arena, .lesson = l, .ret = ret };
	for (int i = 0; i < MAX_TRIES && st == AG_CONFLICT; i++)
		st = try_learn(c, err);
	return st;
}

/* --- one that is there --- */

static ag_status edit(ag_store *s, ag_str project, ag_str key, ag_arena *arena,
                      void (*how)(ag_know *o, void *arg, ag_arena *arena), void *arg, ag_know *ret,
                      ag_err *err)
{
	ag_status st = AG_CONFLICT;

	for (int i = 0; i < MAX_TRIES && st == AG_CONFLICT; i++) {
		ag_object_row row;

		st = ag_store_object(s, project, KIND, key, arena, &row, err);
		if (!st)
			st = ag_know_of_row(&row, arena, ret, err);
		if (st)
			return st;
		how(ret, arg, arena);
		row = ag_know_row(ret, project, arena);
		st = ag_store_put_objects(s, &row, 1, err);
	}
	return st;
}

typedef struct decision {
	ag_str text; /* why it is wrong */
	int64_t now_ms;
} decision;

static void contradict(ag_know *o, void *arg, ag_arena *arena)
{
	const decision *d = arg;

	set_aside(o, d->text, d->now_ms, arena);
}

static void keep(ag_know *o, void *arg, ag_arena *arena)
{
	const decision *d = arg;

	o->status = AG_KNOW_ACTIVE;
	o->confidence = o->confidence < 0.5 ? 0.5 : o->confidence;
	o->body = ag_know_with(&o->body, "contradicted", NULL, arena);
	o->changed_ms = d->now_ms;
}

ag_status ag_know_contradict(ag_store *s, ag_str project, ag_str key, ag_str why, int64_t now_ms,
                             ag_arena *arena, ag_know *ret, ag_err *err)
{
	decision d = { why, now_ms };

	return edit(s, project, key, arena, contradict, &d, ret, err);
}

ag_status ag_know_review(ag_store *s, ag_str project, ag_str key, int64_t now_ms, ag_arena *arena,
                         ag_know *ret, ag_err *err)
{
	decision d = { AG_S(""), now_ms };

	return edit(s, project, key, arena, keep, &d, ret, err);
}
