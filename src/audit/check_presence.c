/* check_presence -- rows 1, 2, 3, 4, 13, 27 and 46: what is not there, or always the same.
 *
 * Nothing is often meant: most records have optional parts. What separates damage from design is how many are
 * without (a few gaps in an otherwise complete field are damage, a third is usually design), what the field is
 * called, and whether other fields are absent from exactly as many objects (then the kind of document
 * explains it). One policy, gap_severity(), judges null, absent and empty alike. */
#include "audit/checks.h"

#define MIN_OBJECTS    20
#define FEW_GAPS       0.10 /* of an unknown field: up to here gaps are suspicious */
#define FEW_ITEM_GAPS  0.03 /* items of an array differ by design more often */
#define OPTIONAL_BELOW 0.20 /* present in fewer: optional by design */
#define MOSTLY         0.80 /* present in more: meant to be everywhere */

typedef enum gap_verdict { GAP_NONE, GAP_LOW, GAP_MEDIUM, GAP_HIGH } gap_verdict;

/* share: of the parent objects that have nothing here. */
static gap_verdict gap_severity(const ag_path_profile *f, const ag_field_name *n, double share,
                                const ag_catalogue_opts *o)
{
	/* A date that is not there yet: something has not happened. */
	bool pending = (f->date.n * 2 > f->n || f->str.by_date[AG_DATE_ISO] * 2 > f->n) &&
	               !(n->traits & (AG_TRAIT_CORE | AG_TRAIT_BIRTH | AG_TRAIT_PAST));

	if (share <= 0)
		return GAP_NONE;
	if (n->traits & AG_TRAIT_OPTIONAL || pending)
		return share <= 0.05 ? GAP_LOW : GAP_NONE;
	if (n->traits & AG_TRAIT_PROSE && !(n->traits & AG_TRAIT_CORE))
		return share <= FEW_GAPS ? GAP_LOW : GAP_NONE;
	if (n->traits & AG_TRAIT_CORE && share < MOSTLY) {
		if (share >= o->null_rate_critical_threshold)
			return GAP_HIGH;
		return share >= o->null_rate_warning_threshold || share <= FEW_GAPS ? GAP_MEDIUM
		                                                                    : GAP_LOW;
	}
	return share <= FEW_GAPS ? GAP_MEDIUM : share < MOSTLY ? GAP_LOW : GAP_NONE;
}

static ag_severity severity_of(gap_verdict v)
{
	return v == GAP_HIGH ? AG_HIGH : v == GAP_MEDIUM ? AG_MEDIUM : AG_LOW;
}

static uint64_t nulls(const ag_profile *p, const ag_path_profile *f)
{
	uint64_t n = f->by_type[AG_T_NULL] + f->by_type[AG_T_UNDEFINED];

	/* A quoted empty cell says the same as an empty one: writers differ only in when they quote. */
	return p->has_views ? n + f->str.nempty : n;
}

/* Objects that lack the field. */
static uint64_t absent(const ag_path_profile *f)
{
	return !f->is_elem && f->nparent > f->n ? f->nparent - f->n : 0;
}

/* Another field of the same object has exactly as many values, or exactly the others have it: the kind of
 * document decides. `count` gives what is compared. */
static const ag_path_profile *sibling_like(const ag_profile *p, const ag_path_profile *f,
                                           uint64_t mine,
                                           uint64_t (*count)(const ag_profile *,
                                                             const ag_path_profile *))
{
	for (size_t i = 0; i < p->npath; i++) {
		const ag_path_profile *g = &p->paths[i];

		if (g == f || g->parent != f->parent || g->is_elem != f->is_elem)
			continue;
		if (count(p, g) == mine || (mine && count(p, g) + mine == f->nparent))
			return g;
	}
	return NULL;
}

static bool siblings_agree(const ag_profile *p, const ag_path_profile *f, uint64_t mine,
                           uint64_t (*count)(const ag_profile *, const ag_path_profile *))
{
	return sibling_like(p, f, mine, count) != NULL;
}

static uint64_t absent_of(const ag_profile *p, const ag_path_profile *f)
{
	(void)p;
	return absent(f);
}

static bool is_gap_path(const ag_profile *p, const ag_path_profile *f)
{
	(void)p;
	return !f->is_elem && !f->in_map && f->nparent >= MIN_OBJECTS;
}

/* --- fields without a value in the same documents --- */

#define MAX_TOGETHER   50 /* fields of one group that are looked at */
#define SHOWN_TOGETHER 6  /* of them are named */
#define MAX_KINDS      12 /* values of a field that may name the kind of document */

/* Some documents have a value here, some have none, and a filter can say which. */
static bool may_group(const ag_profile *p, const ag_path_profile *f)
{
	return is_gap_path(p, f) && !f->in_array && f->nfilled && f->nfilled < f->nparent &&
	       f->query.len;
}

/* The fields that have a value in exactly the documents where f has one, f among them, by path. */
static size_t group_of(const ag_profile *p, const ag_path_profile *f,
                       const ag_path_profile *ret[MAX_TOGETHER])
{
	size_t n = 0;

	if (!may_group(p, f))
		return 0;
	for (size_t i = 0; i < p->npath && n < MAX_TOGETHER; i++) {
		const ag_path_profile *g = &p->paths[i];

		if (g->parent == f->parent && g->nfilled == f->nfilled &&
		    g->filled_mark == f->filled_mark && may_group(p, g))
			ret[n++] = g;
	}
	return n;
}

static bool is_grouped(const ag_profile *p, const ag_path_profile *f)
{
	const ag_path_profile *group[MAX_TOGETHER];

	return group_of(p, f, group) > 1;
}

/* Do some values of g cover as many documents as have no value in the group? Then the kind of document may explain
 * it. At most MAX_KINDS values: their sums are tried. */
static size_t kinds_that_cover(const ag_path_profile *g, uint64_t ngap, ag_val ret[MAX_KINDS])
{
	if (!g->values_complete || g->ndistinct < 2 || g->ndistinct > MAX_KINDS || g->is_elem ||
	    g->in_array || g->nscalar != g->nparent)
		return 0;
	for (unsigned set = 1; set + 1 < 1u << g->nvalue; set++) {
		uint64_t sum = 0;
		size_t n = 0;

		for (size_t i = 0; i < g->nvalue; i++) {
			if (!(set >> i & 1))
				continue;
			sum += g->values[i].n;
			ret[n++] = g->values[i].v;
		}
		if (sum == ngap)
			return n;
	}
	return 0;
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

/* As many may be chance. The pipeline counts nothing when the kinds are what the documents without values have. */
static ag_str unless_kinds(ag_arena *a, ag_str filter, const ag_path_profile *g,
                           const ag_val *kinds, size_t n)
{
	const ag_ev_place at = ag_ev_place_of(a, g);
	const ag_val of_kind =
		OBJ(a, KV("$in", ARR(a, ag_val_str(ag_str_printf(a, "$%.*s", AG_FMT(at.whole))),
	                             ag_ev_arr(a, kinds, n))));
	const ag_val group = OBJ(
		a, KV("_id", ag_val_null()), KV("documents", OBJ(a, KV("$sum", ag_val_int(1)))),
		KV("explained", OBJ(a, KV("$sum", OBJ(a, KV("$cond", ARR(a, of_kind, ag_val_int(1),
	                                                                 ag_val_int(0))))))));
	const ag_val few = OBJ(
		a, KV("$expr",
	              OBJ(a, KV("$lt", ARR(a, ag_ev_text("$explained"),
	                                   OBJ(a, KV("$multiply", ARR(a, ag_ev_text("$documents"),
	                                                              ag_val_double(0.8)))))))));

	if (!at.ok)
		return filter;
	return ag_str_printf(a, "[{\"$match\":%.*s},{\"$group\":%.*s},{\"$match\":%.*s}]",
	                     AG_FMT(filter), AG_FMT(ag_ev_str(a, &group)),
	                     AG_FMT(ag_ev_str(a, &few)));
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

/* One optional field makes the group optional; else the most severe counts. */
static gap_verdict group_severity(const ag_path_profile *const *group, size_t n,
                                  const ag_catalogue_opts *o)
{
	const ag_path_profile *f = group[0];
	const double share = ag_share(f->nparent - f->nfilled, f->nparent);
	gap_verdict worst = GAP_NONE;
	bool is_optional = false, is_core = false;

	for (size_t i = 0; i < n; i++) {
		const ag_field_name name = ag_field_name_of(group[i]->owner);
		const gap_verdict v = gap_severity(group[i], &name, share, o);

		is_optional = is_optional || v == GAP_NONE || name.traits & AG_TRAIT_OPTIONAL;
		is_core = is_core || name.traits & AG_TRAIT_CORE;
		worst = v > worst ? v : worst;
	}
	if (worst > GAP_LOW && (is_optional || (share > FEW_GAPS && !is_core)))
		return GAP_LOW;
	return worst;
}

void ag_check_co_missing(AG_CHECK_ARGS)
{
	ag_arena *a = out->arena;
	const ag_path_profile *group[MAX_TOGETHER];
	const size_t n = group_of(p, f, group);
	const uint64_t ngap = f->nparent - f->nfilled;
	ag_val kinds[MAX_KINDS];
	ag_hypothesis *h;
	ag_str evidence;
	gap_verdict v;

	if (n < 2 || group[0] != f)
		return;
	v = group_severity(group, n, o);
	/* Absent in a fifth or more of the objects: a part that some kinds of document have. */
	if (v == GAP_NONE || (absent(f) == ngap && ag_share(ngap, f->nparent) > 1 - MOSTLY))
		return;
	evidence = all_nothing(a, p, group, n);
	for (size_t i = 0; i < p->npath && evidence.len && evidence.ptr[0] == '{'; i++) {
		const ag_path_profile *g = &p->paths[i];
		const size_t nkind = g->parent == f->parent ? kinds_that_cover(g, ngap, kinds) : 0;

		if (nkind)
			evidence = unless_kinds(a, evidence, g, kinds, nkind);
	}
	h = ag_suspect(out, f, "co_missing", severity_of(v), 0.95, evidence);
	if (!h)
		return;
	ag_suspect_fix(h);
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

void ag_check_nulls(AG_CHECK_ARGS)
{
	ag_arena *a = out->arena;
	uint64_t nnull = nulls(p, f), nabsent = absent(f);
	double present = ag_share(f->n, f->nparent);
	double share = present >= MOSTLY ? ag_share(nnull + nabsent, f->nparent)
	                                 : ag_share(nnull, f->n);
	gap_verdict v = gap_severity(f, &out->name, share, o);
	bool is_fold = present >= MOSTLY && nabsent && !p->has_views;
	const ag_path_profile *twin;
	ag_hypothesis *h;
	ag_val cond;

	if (!is_gap_path(p, f) || !nnull || nnull == f->n || v == GAP_NONE)
		return;
	if (is_grouped(p, f))
		return; /* ag_check_co_missing() names the fields once */
	twin = v > GAP_LOW ? sibling_like(p, f, nnull, nulls) : NULL;
	if ((twin && share > FEW_GAPS) || (f->in_array && share > FEW_ITEM_GAPS))
		v = GAP_LOW;
	if (p->has_views && f->str.nempty)
		cond = OBJ(a, KV("$eq", ag_ev_text("")));
	else if (is_fold)
		cond = OBJ(a, KV("$eq", ag_val_null()));
	else
		cond = OBJ(a, KV("$type", ag_ev_text("null")));
	h = ag_suspect(out, f, "null_rate", severity_of(v), 0.95, ag_ev_where_held(a, f, cond));
	if (!h)
		return;
	ag_suspect_fix(h);
	ag_suspect_say(
		h,
		is_fold ? "the field has no value in some documents: null, or not there at all"
			: "the field is null in some documents",
		"a writer that leaves the value open, a failed lookup, or a form that does not "
		"require it",
		"fill the value from its source, and make the writer reject documents without it");
	if (is_fold)
		h->detail = ag_str_printf(a, "null %llu times, absent %llu times",
		                          (unsigned long long)nnull, (unsigned long long)nabsent);
}

void ag_check_missing(AG_CHECK_ARGS)
{
	ag_arena *a = out->arena;
	uint64_t nabsent = absent(f), nnull = nulls(p, f);
	double present = ag_share(f->n, f->nparent), share = ag_share(nabsent, f->nparent);
	gap_verdict v = gap_severity(f, &out->name, share, o);
	ag_hypothesis *h;

	if (!is_gap_path(p, f) || !nabsent || present < OPTIONAL_BELOW || v == GAP_NONE ||
	    is_grouped(p, f))
		return;
	/* Counted with the nulls. */
	if (nnull && nnull < f->n && present >= MOSTLY && !p->has_views)
		return;
	if (present < MOSTLY) {
		if (siblings_agree(p, f, nabsent, absent_of))
			return;
		v = GAP_LOW;
	} else if (v > GAP_LOW && share > (f->in_array ? FEW_ITEM_GAPS : FEW_GAPS) &&
	           (f->in_array || siblings_agree(p, f, nabsent, absent_of))) {
		v = GAP_LOW;
	}
	h = ag_suspect(out, f, "missing_field", v == GAP_HIGH ? AG_MEDIUM : severity_of(v), 0.9,
	               ag_ev_where_held(a, f, OBJ(a, KV("$exists", ag_val_bool(false)))));
	if (!h)
		return;
	ag_suspect_fix(h);
	ag_suspect_say(
		h, "some documents lack the field that the others have",
		"an older writer, a partial import, or an update that removed it",
		"fill the field in these documents, or state in the schema that it is optional");
}

static bool has_twin_name(const ag_profile *p, const ag_path_profile *f)
{
	for (size_t i = 0; i < p->npath; i++) {
		const ag_path_profile *g = &p->paths[i];

		if (g != f && g->parent == f->parent && g->n > f->n && !g->is_elem &&
		    ag_str_distance(g->name, f->name) <= 2 && f->name.len >= 4)
			return true;
	}
	return false;
}

void ag_check_stray(AG_CHECK_ARGS)
{
	ag_arena *a = out->arena;
	ag_hypothesis *h;

	(void)o;
	if (!is_gap_path(p, f) || f->nparent < 400 || f->n >= 10 ||
	    ag_share(f->n, f->nparent) >= 0.005)
		return;
	/* Row 35 names the field that was meant; a group of fields is a kind of document. */
	if (out->name.traits & AG_TRAIT_OPTIONAL || has_twin_name(p, f) ||
	    siblings_agree(p, f, absent(f), absent_of))
		return;
	h = ag_suspect(out, f, "stray_field", AG_LOW, 0.5,
	               ag_ev_where(a, f, OBJ(a, KV("$exists", ag_val_bool(true)))));
	if (!h)
		return;
	ag_suspect_fix(h);
	ag_suspect_say(h, "only a handful of documents have this field",
	               "a test, a writer of another version, or a misspelt name",
	               "remove the field, or move its value to the field that was meant");
}

void ag_check_empty_kinds(AG_CHECK_ARGS)
{
	ag_arena *a = out->arena;
	uint64_t nnull = nulls(p, f), nabsent = absent(f);
	unsigned kinds = (nnull > 0) + (f->str.nempty > 0) + (f->arr.nempty > 0);
	ag_hypothesis *h;
	ag_str evidence;

	(void)o;
	if (!is_gap_path(p, f) || p->has_views || kinds < 2)
		return;
	evidence = ag_ev_where_held(
		a, f,
		OBJ(a, KV("$in", ARR(a, ag_val_null(), ag_ev_text(""), ag_val_array(NULL, 0)))));
	h = ag_suspect(out, f, "inconsistent_empty", AG_LOW, 0.8, evidence);
	if (!h)
		return;
	ag_suspect_fix(h);
	ag_suspect_say(h, "\"nothing\" is written in more than one way",
	               "writers that do not agree on how to say that a value is not known",
	               "choose one way (absent is the cheapest) and rewrite the others");
	h->detail = ag_str_printf(a, "null %llu times, \"\" %llu, [] %llu, absent %llu",
	                          (unsigned long long)nnull, (unsigned long long)f->str.nempty,
	                          (unsigned long long)f->arr.nempty, (unsigned long long)nabsent);
}

void ag_check_empty_string(AG_CHECK_ARGS)
{
	ag_arena *a = out->arena;
	uint64_t nempty = p->has_views ? 0 : f->str.nempty, nblank = f->str.nblank;
	double share = ag_share(nempty + nblank, f->n);
	gap_verdict v = gap_severity(f, &out->name, share, o);
	ag_hypothesis *h;
	ag_val cond;

	if (f->is_elem || !ag_path_is_plain(a, f) || nempty + nblank == 0 || f->n < MIN_OBJECTS ||
	    nempty + nblank == f->n)
		return;
	/* Blanks alone are never meant. */
	if (!nempty && v < GAP_LOW)
		v = GAP_LOW;
	if (v == GAP_NONE)
		return;
	if (v > GAP_LOW && share > FEW_GAPS && !(out->name.traits & AG_TRAIT_CORE))
		v = GAP_LOW;
	if (!nblank)
		cond = OBJ(a, KV("$eq", ag_ev_text("")));
	else
		cond = ag_ev_regex(a, nempty ? "^\\s*$" : "^\\s+$", "");
	h = ag_suspect(out, f, "empty_string", severity_of(v), 0.95, ag_ev_where(a, f, cond));
	if (!h)
		return;
	ag_suspect_fix(h);
	ag_suspect_say(
		h,
		nblank ? "the text is empty or only white space in some documents"
		       : "the text is empty in some documents",
		"a form or an export that writes empty text for what was not given",
		"remove the field or set it to null where the text is empty, and trim input");
}

/* Every value is null or "". */
static bool is_dead(const ag_path_profile *f)
{
	return ag_path_filled(f) == f->str.nempty && f->arr.n == 0 && f->by_type[AG_T_OBJECT] == 0;
}

void ag_check_constant(AG_CHECK_ARGS)
{
	ag_arena *a = out->arena;
	bool dead = is_dead(f);
	ag_hypothesis *h;
	ag_val cond;

	(void)o;
	if (f->in_array || f->in_map || f->n < 100 || f->n < f->nparent)
		return;
	if (dead)
		cond = p->has_views && f->str.nempty
		               ? OBJ(a, KV("$eq", ag_ev_text("")))
		               : OBJ(a, KV("$in", ARR(a, ag_val_null(), ag_ev_text(""))));
	else if (f->ndistinct == 1 && f->nscalar == f->n && f->nvalue == 1 &&
	         !(out->name.traits & AG_TRAIT_CONST))
		cond = OBJ(a, KV("$eq", f->values[0].v));
	else
		return;
	h = ag_suspect(out, f, "constant_field", AG_LOW, 0.9, ag_ev_where(a, f, cond));
	if (!h)
		return;
	ag_suspect_fix(h);
	ag_suspect_say(
		h, dead ? "the field is always empty" : "the field has the same value everywhere",
		dead ? "nobody writes it any more, or the import lost its column"
		     : "a default that nobody changes, or an import that lost the real values",
		"drop the field, or repair the writer that should fill it");
	if (!dead)
		h->detail = ag_str_printf(a, "the value is %.*s",
		                          AG_FMT(ag_quote_value(a, &f->values[0].v)));
}
