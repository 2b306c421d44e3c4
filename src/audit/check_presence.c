/* check_presence -- rows 1, 2, 3, 4, 13, 27 and 46: what is not there, or always the same.
 *
 * Nothing is often meant: most records have optional parts, filled in 60 to 98%. So every gap is listed, up to
 * HARDLY_USED, but only low; above low it stands where something says that the field is expected: all objects but one in
 * a hundred have it, it is a key, its name says so (of a person only where all objects are of one kind), or all other
 * objects of its kind have it. A kind of object that
 * lacks the field altogether explains the gap. Where half of the objects have no
 * remark, and nothing is written in its place, that is how a remark is left out. One policy, ag_lack_severity(), judges null, absent and empty alike. */
#include "audit/checks.h"

#include <math.h>

#define MIN_OBJECTS 5 /* fewer have no rule that one of them could break */
#define FEW_OBJECTS \
	20 /* below it a single gap is 5%: only the name can say that a field is expected */
#define SOME_OF_FEW \
	0.25 /* of few nested objects: a part of a document takes what was measured or bought */
#define FEW_GAPS      0.01 /* of an unknown field: up to here gaps are suspicious */
#define SPREAD        2 /* times the square root of the gaps: how far chance moves their number */
#define SOME_GAPS     0.10 /* of an expected one: up to here whatever else there is */
#define FEW_ITEM_GAPS 0.03 /* of one in items of an array, which differ by design more often */
#define MOSTLY        0.80 /* present in more: meant to be everywhere */
#define USUAL_GAP     0.50 /* of a field that its name says is optional: from here gaps are the rule */
#define HARDLY_USED   0.999 /* above it the field is the exception, not the gap: rows 3 and 27 */
#define MANY_OPTIONAL 12    /* an object with more optional fields has them by design */
#define ONE_KIND      0.95  /* where all other fields are in more objects, all are of one kind */

/* The document's own key: no other name promises that each document has one. */
static bool is_key(const ag_path_profile *f, const ag_field_name *n)
{
	static const char *const words[] = { "id", "uuid", "guid", "uid" };

	for (size_t i = 0; i < AG_NELEM(words); i++) {
		if (n->nword == 1 && strcmp(n->word[0], words[i]) == 0)
			return f->parent == UINT32_MAX && f->nscalar &&
			       f->nrepeated * 20 <= f->nscalar;
	}
	return false;
}

/* The name alone is enough, also where less else speaks for it: not of an address, because some people have none. */
static bool is_expected(const ag_field_name *n)
{
	return n->traits & AG_TRAIT_CORE && !(n->traits & AG_TRAIT_EMAIL);
}

/* Each item has a price and a name; how much of it there is may be left open: "salt", "as needed". */
static bool is_expected_of_items(const ag_field_name *n)
{
	return is_expected(n) && !ag_field_has_word(n, "amount") &&
	       !ag_field_has_word(n, "quantity") && !ag_field_has_word(n, "qty");
}

/* At most limit, and so few that chance does not make them of a field that is left out twice as often. */
static bool is_surely_few(double share, uint64_t n, double limit)
{
	const double gaps = share * (double)n;

	return n >= FEW_OBJECTS && share <= limit &&
	       gaps + SPREAD * sqrt(gaps) <= 2 * limit * (double)n;
}

/* share: of the parent objects that have nothing here. */
ag_lack ag_lack_severity(const ag_path_profile *f, const ag_field_name *n, double share,
                         const ag_catalogue_opts *o)
{
	const bool is_of_document = f->parent == UINT32_MAX;
	/* A date that is not there yet: something has not happened. */
	bool pending = (f->date.n * 2 > f->n || f->str.by_date[AG_DATE_ISO] * 2 > f->n) &&
	               !(n->traits & (AG_TRAIT_CORE | AG_TRAIT_BIRTH | AG_TRAIT_PAST));

	if (share <= 0 || share > HARDLY_USED)
		return AG_LACK_NONE;
	if (n->traits & AG_TRAIT_OPTIONAL || pending)
		return AG_LACK_LOW;
	if (n->traits & AG_TRAIT_PROSE && !(n->traits & AG_TRAIT_CORE))
		return AG_LACK_LOW;
	if (is_key(f, n))
		return share >= o->null_rate_critical_threshold ? AG_LACK_HIGH : AG_LACK_MEDIUM;
	if (n->traits & AG_TRAIT_CORE) {
		/* Of few objects, and where the gap is the rule, the name alone is a weaker sign: "price" still says
		 * that each has one, "old_price" does not. */
		if (share >= MOSTLY)
			return n->nword == 1 && is_of_document && is_expected(n) ? AG_LACK_MEDIUM
			                                                         : AG_LACK_LOW;
		if (f->nparent < FEW_OBJECTS)
			return f->in_array || !is_expected(n) ||
			                       (!is_of_document && share > SOME_OF_FEW)
			               ? AG_LACK_LOW
			               : AG_LACK_MEDIUM;
		if (share >= o->null_rate_critical_threshold)
			return AG_LACK_HIGH;
		return share >= o->null_rate_warning_threshold || share <= SOME_GAPS
		               ? AG_LACK_MEDIUM
		               : AG_LACK_LOW;
	}
	return is_surely_few(share, f->nparent, FEW_GAPS) ? AG_LACK_MEDIUM : AG_LACK_LOW;
}

/* Optional by its name, and half of the objects say nothing: nobody forgot it. A null and an empty text are written, so
 * they are listed. */
static bool is_left_out(const ag_field_name *n, double share)
{
	return share >= USUAL_GAP && !(n->traits & AG_TRAIT_CORE) &&
	       n->traits & (AG_TRAIT_OPTIONAL | AG_TRAIT_PROSE);
}

ag_severity ag_lack_as_severity(ag_lack v)
{
	return v == AG_LACK_HIGH ? AG_HIGH : v == AG_LACK_MEDIUM ? AG_MEDIUM : AG_LOW;
}

uint64_t ag_path_nulls(const ag_profile *p, const ag_path_profile *f)
{
	uint64_t n = f->by_type[AG_T_NULL] + f->by_type[AG_T_UNDEFINED];

	/* A quoted empty cell says the same as an empty one: writers differ only in when they quote. */
	return p->has_views ? n + f->str.nempty : n;
}

/* Objects that lack the field. */
uint64_t ag_path_absent(const ag_path_profile *f)
{
	return !f->is_elem && f->nparent > f->n ? f->nparent - f->n : 0;
}

/* Another field has a value in as many objects, or in exactly as many others: the kind of object decides. Where a mark
 * tells which documents these are, as many is not enough: two fields that are null in the same documents are one
 * damage (row 46), not the explanation of each other. */
static bool siblings_agree(const ag_profile *p, const ag_path_profile *f, uint64_t mine,
                           uint64_t (*count)(const ag_profile *, const ag_path_profile *))
{
	for (size_t i = 0; i < p->npath; i++) {
		const ag_path_profile *g = &p->paths[i];

		if (g == f || g->parent != f->parent || g->is_elem != f->is_elem)
			continue;
		if (count(p, g) == mine && (f->in_array || f->in_map))
			return true;
		if (mine && count(p, g) + mine == f->nparent)
			return true;
	}
	return false;
}

static uint64_t absent_of(const ag_profile *p, const ag_path_profile *f)
{
	(void)p;
	return ag_path_absent(f);
}

/* All other fields are in nearly all objects, save those that are optional by name: the objects are of one kind. */
static bool is_of_one_kind(const ag_profile *p, const ag_path_profile *f)
{
	for (size_t i = 0; i < p->npath; i++) {
		const ag_path_profile *g = &p->paths[i];
		ag_field_name n;

		if (g == f || g->parent != f->parent || g->is_elem ||
		    ag_share(g->n - ag_path_nulls(p, g), g->nparent) >= ONE_KIND)
			continue;
		n = ag_field_name_of(g->owner);
		if (!(n.traits & (AG_TRAIT_OPTIONAL | AG_TRAIT_PROSE)))
			return false;
	}
	return true;
}

/* So many fields of the object are optional that a list of them would bury the rest. */
static bool is_one_of_many_optional(const ag_profile *p, const ag_path_profile *f)
{
	size_t n = 0;

	for (size_t i = 0; i < p->npath; i++) {
		const ag_path_profile *g = &p->paths[i];

		n += g->parent == f->parent && !g->is_elem && ag_share(g->n, g->nparent) < MOSTLY;
	}
	return n > MANY_OPTIONAL;
}

/* Guests, deleted accounts and callers have no address, and some no name: nobody has to give one. A null is more: the
 * writer knows the field and has no value for it. A CSV has no other way to leave a field out than an empty cell. */
static bool is_optional_contact(const ag_path_profile *f, const ag_field_name *n, uint64_t nothing)
{
	const bool is_contact = n->traits & AG_TRAIT_EMAIL ||
	                        (n->traits & AG_TRAIT_NAME && f->parent != UINT32_MAX &&
	                         !f->in_array && !f->in_map);

	return is_contact &&
	       !is_surely_few(ag_share(nothing, f->nparent), f->nparent, FEW_GAPS / 2);
}

/* One of many optional names below a field ("scripts.test"): the object takes what its writer needs. */
static bool is_key_of_open_object(const ag_profile *p, const ag_path_profile *f)
{
	const ag_field_name n = ag_field_name_of(f->owner);

	return f->parent != UINT32_MAX && !f->in_array && !(n.traits & AG_TRAIT_CORE) &&
	       is_one_of_many_optional(p, f);
}

/* Numbers and nothing else but texts without a word. */
static bool is_empty_among_numbers(const ag_path_profile *f)
{
	const uint64_t nothing = f->str.nempty + f->str.nblank;

	return nothing && f->str.n == nothing && ag_path_numbers(f) &&
	       ag_path_numbers(f) + nothing == ag_path_filled(f);
}

bool ag_path_may_have_gaps(const ag_path_profile *f)
{
	return !f->is_elem && !f->in_map && f->nparent >= MIN_OBJECTS;
}

void ag_check_nulls(AG_CHECK_ARGS)
{
	ag_arena *a = out->arena;
	uint64_t nnull = ag_path_nulls(p, f), nabsent = ag_path_absent(f);
	double present = ag_share(f->n, f->nparent);
	double share = present >= MOSTLY ? ag_share(nnull + nabsent, f->nparent)
	                                 : ag_share(nnull, f->n);
	ag_lack v = ag_lack_severity(f, &out->name, share, o);
	bool is_fold = present >= MOSTLY && nabsent && !p->has_views;
	ag_hypothesis *h;
	ag_val cond;

	if (!ag_path_may_have_gaps(f) || !nnull || nnull == f->n || v == AG_LACK_NONE ||
	    (p->has_views && is_left_out(&out->name, share)))
		return;
	if (ag_path_is_grouped(p, f))
		return; /* ag_check_co_missing() names the fields once */
	if (v > AG_LACK_LOW && share > SOME_GAPS && siblings_agree(p, f, nnull, ag_path_nulls))
		v = AG_LACK_LOW;
	if (p->has_views && is_optional_contact(f, &out->name, nnull + nabsent))
		v = AG_LACK_LOW;
	if (v > AG_LACK_LOW && f->in_array && share > FEW_ITEM_GAPS)
		v = is_expected_of_items(&out->name) && present >= MOSTLY ? AG_LACK_MEDIUM
		                                                          : AG_LACK_LOW;
	/* An import makes an empty text of an empty cell. */
	if (p->has_views)
		cond = OBJ(a, KV("$in", ARR(a, ag_val_null(), ag_ev_text(""))));
	else if (is_fold)
		cond = OBJ(a, KV("$eq", ag_val_null()));
	else
		cond = OBJ(a, KV("$type", ag_ev_text("null")));
	h = ag_suspect(out, f, "null_rate", ag_lack_as_severity(v), 0.95,
	               ag_unless_kind(out, p, f, nnull + (is_fold ? nabsent : 0),
	                              ag_ev_where_held(a, f, cond)));
	if (!h)
		return;
	ag_suspect_fix(h);
	h->is_gap = true;
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

/* So few objects have it that the field is what is odd. */
static bool is_stray(const ag_path_profile *f)
{
	return f->nparent >= 400 && f->n < 10 && ag_share(f->n, f->nparent) < 0.005;
}

void ag_check_missing(AG_CHECK_ARGS)
{
	ag_arena *a = out->arena;
	uint64_t nabsent = ag_path_absent(f), nnull = ag_path_nulls(p, f);
	double present = ag_share(f->n, f->nparent), share = ag_share(nabsent, f->nparent);
	ag_lack v = ag_lack_severity(f, &out->name, share, o);
	ag_hypothesis *h;

	if (!ag_path_may_have_gaps(f) || !nabsent || is_stray(f) || v == AG_LACK_NONE ||
	    is_left_out(&out->name, share) || ag_path_is_grouped(p, f))
		return;
	if (is_optional_contact(f, &out->name, nabsent + nnull) || is_key_of_open_object(p, f))
		v = AG_LACK_LOW;
	/* Counted with the nulls. */
	if (nnull && nnull < f->n && present >= MOSTLY && !p->has_views)
		return;
	if (present < MOSTLY) {
		/* Row 35 names the field that was meant. */
		if (siblings_agree(p, f, nabsent, absent_of) || has_twin_name(p, f) ||
		    is_one_of_many_optional(p, f))
			return;
		if (v > AG_LACK_LOW &&
		    (f->in_array || !is_expected(&out->name) || !is_of_one_kind(p, f)))
			v = AG_LACK_LOW;
	} else if (v > AG_LACK_LOW && share > (f->in_array ? FEW_ITEM_GAPS : SOME_GAPS) &&
	           ((f->in_array && !is_expected_of_items(&out->name)) ||
	            siblings_agree(p, f, nabsent, absent_of))) {
		v = AG_LACK_LOW;
	}
	h = ag_suspect(out, f, "missing_field",
	               v == AG_LACK_HIGH ? AG_MEDIUM : ag_lack_as_severity(v), 0.9,
	               ag_unless_kind(out, p, f, nabsent,
	                              ag_ev_where_held(a, f,
	                                               OBJ(a, KV("$exists", ag_val_bool(false))))));
	if (!h)
		return;
	ag_suspect_fix(h);
	h->is_gap = true;
	ag_suspect_say(
		h, "some documents lack the field that the others have",
		"an older writer, a partial import, or an update that removed it",
		"fill the field in these documents, or state in the schema that it is optional");
}

void ag_check_stray(AG_CHECK_ARGS)
{
	ag_arena *a = out->arena;
	ag_hypothesis *h;

	(void)o;
	if (!ag_path_may_have_gaps(f) || !is_stray(f))
		return;
	/* Row 35 names the field that was meant; a group of fields is a kind of document. */
	if (out->name.traits & AG_TRAIT_OPTIONAL || has_twin_name(p, f) ||
	    ag_path_is_grouped(p, f) || siblings_agree(p, f, ag_path_absent(f), absent_of))
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
	uint64_t nnull = ag_path_nulls(p, f), nabsent = ag_path_absent(f);
	unsigned kinds = (nnull > 0) + (f->str.nempty > 0) + (f->arr.nempty > 0);
	ag_hypothesis *h;
	ag_str evidence;

	(void)o;
	if (!ag_path_may_have_gaps(f) || p->has_views || kinds < 2)
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
	ag_lack v = ag_lack_severity(f, &out->name, share, o);
	ag_hypothesis *h;
	ag_val cond;

	if (f->is_elem || !ag_path_is_plain(a, f) || nempty + nblank == 0 || f->n < MIN_OBJECTS ||
	    nempty + nblank == f->n)
		return;
	/* Blanks alone are never meant. */
	if (!nempty && v < AG_LACK_LOW)
		v = AG_LACK_LOW;
	if (v == AG_LACK_NONE)
		return;
	/* Among numbers it is a missing number in a notation that no reader of numbers takes, however often. */
	if (v < AG_LACK_MEDIUM && is_empty_among_numbers(f))
		v = AG_LACK_MEDIUM;
	if (v == AG_LACK_LOW && !nempty && share <= FEW_GAPS && f->nparent >= FEW_OBJECTS &&
	    !(out->name.traits & (AG_TRAIT_OPTIONAL | AG_TRAIT_PROSE)))
		v = AG_LACK_MEDIUM;
	if (!nblank)
		cond = OBJ(a, KV("$eq", ag_ev_text("")));
	else
		cond = ag_ev_regex(a, nempty ? "^[\\t-\\r ]*$" : "^[\\t-\\r ]+$", "");
	h = ag_suspect(out, f, "empty_string", ag_lack_as_severity(v), 0.95,
	               ag_ev_where(a, f, cond));
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

/* A flag that was never set, or a count of what has not happened yet. */
static bool is_not_yet(const ag_val *v)
{
	return (v->type == AG_T_BOOL && !v->u.b) ||
	       (ag_type_is_number(v->type) && ag_val_number(v) == 0);
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
	         !(out->name.traits & AG_TRAIT_CONST) && !is_not_yet(&f->values[0].v))
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
