/* check_kinds -- row 46, and gaps that the kind of an object explains.
 *
 * Fields without a value in the same documents are one damage. A field of few values may say what kind of object this is
 * ("card", "cash"): a kind that lacks a field altogether explains the gap. check_rules.c knows; where it saw only some of
 * the documents, the profile's counts make a guess, and the evidence decides. */
#include "audit/checks.h"

#define MAX_TOGETHER   50 /* fields of one group that are looked at */
#define SHOWN_TOGETHER 6  /* of them are named */
#define MAX_KINDS      12 /* values of a field that may name the kind of document */
#define MAX_CODES      4  /* numbers that may: 0 and 1, or the codes of a state */
#define FEW_GAPS \
	0.01 /* up to here gaps are suspicious: fields that are optional together are usual */
#define MANY_ABSENT 0.20 /* from here absence is a kind of document that is not known */
#define FEW_OBJECTS 20   /* below it some values add up to any number */

/* Some documents have a value here, some have none, and a filter can say which. */
static bool may_group(const ag_path_profile *f)
{
	return ag_path_may_have_gaps(f) && !f->in_array && f->nfilled && f->nfilled < f->nparent &&
	       f->query.len;
}

/* The fields that have a value in exactly the documents where f has one, f among them, by path. */
static size_t group_of(const ag_profile *p, const ag_path_profile *f,
                       const ag_path_profile *ret[MAX_TOGETHER])
{
	size_t n = 0;

	if (!may_group(f))
		return 0;
	for (size_t i = 0; i < p->npath && n < MAX_TOGETHER; i++) {
		const ag_path_profile *g = &p->paths[i];

		if (g->parent == f->parent && g->nfilled == f->nfilled &&
		    g->filled_mark == f->filled_mark && may_group(g))
			ret[n++] = g;
	}
	return n;
}

bool ag_path_is_grouped(const ag_profile *p, const ag_path_profile *f)
{
	const ag_path_profile *group[MAX_TOGETHER];

	return group_of(p, f, group) > 1;
}

/* A field of few words, or of few codes: a small measurement has few values as well, and names no kind. */
static bool names_kinds(const ag_path_profile *g)
{
	return g->values_complete && g->ndistinct >= 2 && g->ndistinct <= MAX_KINDS &&
	       !g->is_elem && !g->in_array && g->nscalar == g->nparent &&
	       (!g->num.n || g->ndistinct <= MAX_CODES);
}

/* Do some values of g cover as many documents as have no value here? Then the kind of document may explain it. At most
 * MAX_KINDS values: their sums are tried. */
static bool may_explain(const ag_path_profile *g, uint64_t ngap)
{
	if (!names_kinds(g))
		return false;
	for (unsigned set = 1; set + 1 < 1u << g->nvalue; set++) {
		uint64_t sum = 0;

		for (size_t i = 0; i < g->nvalue; i++)
			sum += set >> i & 1 ? g->values[i].n : 0;
		if (sum == ngap)
			return true;
	}
	return false;
}

static ag_val nothing_cond(ag_arena *a, const ag_profile *p)
{
	if (p->has_views)
		return OBJ(a, KV("$in", ARR(a, ag_val_null(), ag_ev_text(""))));
	return OBJ(a, KV("$eq", ag_val_null()));
}

/* {"$and":[{"a":null},{"b":null},…]} */
static ag_str all_nothing(ag_arena *a, const ag_profile *p, const ag_path_profile *const *group,
                          size_t n)
{
	ag_buf b = AG_BUF_INIT(64 * 1024);
	ag_str ret;

	ag_buf_adds(&b, "{\"$and\":[");
	for (size_t i = 0; i < n && i < SHOWN_TOGETHER; i++) {
		const ag_str one = ag_ev_where_held(a, group[i], nothing_cond(a, p));

		ag_buf_addf(&b, "%s%.*s", i ? "," : "", AG_FMT(one));
	}
	ag_buf_adds(&b, "]}");
	ret = b.failed ? AG_S("") : ag_buf_dup(a, &b);
	ag_buf_release(&b);
	return ret;
}

/* As many may be chance. The pipeline counts the gaps only in kinds of which some documents have the field: where the
 * kind explains all of them it counts nothing. */
static ag_str unless_kinds(ag_arena *a, ag_str filter, const ag_path_profile *g)
{
	const ag_ev_place at = ag_ev_place_of(a, g);
	ag_val kinds[MAX_KINDS], group, some;

	if (!at.ok)
		return filter;
	for (size_t i = 0; i < g->nvalue; i++)
		kinds[i] = OBJ(a, KV("_id", g->values[i].v),
		               KV("n", OBJ(a, KV("$lt", ag_val_int((int64_t)g->values[i].n)))));
	group = OBJ(a, KV("_id", ag_val_str(ag_str_printf(a, "$%.*s", AG_FMT(at.whole)))),
	            KV("n", OBJ(a, KV("$sum", ag_val_int(1)))));
	some = OBJ(a, KV("$or", ag_ev_arr(a, kinds, g->nvalue)));
	return ag_str_printf(a,
	                     "[{\"$match\":%.*s},{\"$group\":%.*s},{\"$match\":%.*s},"
	                     "{\"$group\":{\"_id\":null,\"documents\":{\"$sum\":\"$n\"}}}]",
	                     AG_FMT(filter), AG_FMT(ag_ev_str(a, &group)),
	                     AG_FMT(ag_ev_str(a, &some)));
}

/* "a, b and c" */
static ag_str names_of(ag_arena *a, const ag_path_profile *const *group, size_t n)
{
	ag_buf b = AG_BUF_INIT(64 * 1024);
	ag_str ret;

	for (size_t i = 0; i < n && i < SHOWN_TOGETHER; i++)
		ag_buf_addf(&b, "%s%.*s",
		            !i           ? ""
		            : i + 1 == n ? " and "
		                         : ", ",
		            AG_FMT(group[i]->path));
	if (n > SHOWN_TOGETHER)
		ag_buf_addf(&b, " and %zu more fields", n - SHOWN_TOGETHER);
	ret = ag_buf_dup(a, &b);
	ag_buf_release(&b);
	return ret;
}

ag_str ag_unless_kind(const ag_hypotheses *out, const ag_profile *p, const ag_path_profile *f,
                      uint64_t ngap, ag_str evidence)
{
	if (out->explained && out->explained[f - p->paths])
		return out->explained[f - p->paths] > 0 ? AG_S("") : evidence;
	return ag_unless_kind_has(out, p, f, ngap, evidence);
}

ag_str ag_unless_kind_has(const ag_hypotheses *out, const ag_profile *p, const ag_path_profile *f,
                          uint64_t n, ag_str evidence)
{
	if (f->in_array || f->in_map || !evidence.len || f->nparent < FEW_OBJECTS)
		return evidence;
	for (size_t i = 0; i < p->npath; i++) {
		const ag_path_profile *g = &p->paths[i];

		if (g != f && g->parent == f->parent && may_explain(g, n))
			return unless_kinds(out->arena, evidence, g);
	}
	return evidence;
}

/* One optional field makes the group optional; else the most severe counts. */
static ag_lack group_severity(const ag_path_profile *const *group, size_t n,
                              const ag_catalogue_opts *o)
{
	const ag_path_profile *f = group[0];
	const double share = ag_share(f->nparent - f->nfilled, f->nparent);
	ag_lack worst = AG_LACK_NONE;
	bool is_optional = false;

	for (size_t i = 0; i < n; i++) {
		const ag_field_name name = ag_field_name_of(group[i]->owner);
		const ag_lack v = ag_lack_severity(group[i], &name, share, o);

		is_optional = is_optional || v == AG_LACK_NONE || name.traits & AG_TRAIT_OPTIONAL;
		worst = v > worst ? v : worst;
	}
	if (worst > AG_LACK_LOW && (is_optional || share > FEW_GAPS))
		return AG_LACK_LOW;
	return worst;
}

void ag_check_co_missing(AG_CHECK_ARGS)
{
	ag_arena *a = out->arena;
	const ag_path_profile *group[MAX_TOGETHER];
	const size_t n = group_of(p, f, group);
	const uint64_t ngap = f->nparent - f->nfilled;
	ag_hypothesis *h;
	ag_str evidence;
	ag_lack v;

	if (n < 2 || group[0] != f)
		return;
	v = group_severity(group, n, o);
	if (v == AG_LACK_NONE)
		return;
	/* Absent in a fifth or more of the objects: a part that some kinds of document have. */
	if (ag_path_absent(f) == ngap && ag_share(ngap, f->nparent) > MANY_ABSENT)
		v = AG_LACK_LOW;
	evidence = ag_unless_kind(out, p, f, ngap, all_nothing(a, p, group, n));
	h = ag_suspect(out, f, "co_missing", ag_lack_as_severity(v), 0.95, evidence);
	if (!h)
		return;
	ag_suspect_fix(h);
	h->is_gap = true;
	ag_suspect_say(
		h, "",
		"a step that filled these fields together did not run, or one source of them "
		"was not there",
		"fill the fields from their common source, or state in the schema which kind "
		"of document has none");
	h->what = ag_str_printf(a, "%.*s have no value in the same documents",
	                        AG_FMT(names_of(a, group, n)));
	h->detail = ag_str_printf(a, "%zu fields together", n);
}
