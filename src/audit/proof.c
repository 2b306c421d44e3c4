/* proof -- see the header. In order: the category, the field, the documents, the defect. Categories between fields are in
 * proof_relation.c. */
#include "audit/proof.h"

#include <math.h>

#include "audit/proof_parts.h"
#include "query/extjson.h"
#include "query/path.h"

/* Of the documents found, at most one in this many may show something else; they are cut away. */
#define STRAYS_PER 10
#define NEAR_NAMES 3
/* So many texts of the greatest length show a limit. */
#define MIN_PILE 3

ag_status ag_proof_count(ag_prover *p, ag_str filter, uint64_t *ret)
{
	const ag_val q = ag_val_str(filter);

	return ag_source_count(p->source, p->ctx, p->arena, &q, ret, p->err);
}

ag_str ag_proof_both(ag_prover *p, ag_str a, ag_str b)
{
	return ag_str_printf(p->arena, "{\"$and\":[%.*s,%.*s]}", AG_FMT(a), AG_FMT(b));
}

static ag_str except(ag_prover *p, ag_str a, ag_str b)
{
	return ag_str_printf(p->arena, "{\"$and\":[%.*s,{\"$nor\":[%.*s]}]}", AG_FMT(a), AG_FMT(b));
}

void ag_proof_refuse(ag_prover *p, ag_str wrong, ag_str critique)
{
	if (p->ret->wrong.len)
		return;
	p->ret->wrong = wrong;
	p->ret->critique = critique;
}

static void note(ag_prover *p, ag_str text)
{
	p->ret->note = p->ret->note.len ? ag_str_printf(p->arena, "%.*s; %.*s",
	                                                AG_FMT(p->ret->note), AG_FMT(text))
	                                : text;
}

static unsigned long long ull(uint64_t n)
{
	return n;
}

/* ---- the category ---- */

/* A category of the model's own keeps its name; it is checked as the one that its words mean. */
static void settle_category(ag_prover *p, ag_str name)
{
	const ag_str folded = ag_category_canonical(name, p->arena);
	const char *meant = ag_category_find(folded) ? NULL : ag_proof_meaning(folded);

	p->ret->category = folded;
	p->category = meant ? ag_str_c(meant) : folded;
}

/* ---- the field ---- */

static void refuse_field(ag_prover *p, ag_str name)
{
	const ag_profile *all = p->field.profile;
	const ag_str bare = ag_proof_bare_name(name, p->arena);
	ag_buf near = AG_BUF_INIT(4096);
	size_t n = 0;

	for (size_t limit = 1; limit <= 3 && n < NEAR_NAMES; limit++) {
		for (size_t i = 0; i < all->npath && n < NEAR_NAMES; i++) {
			const ag_str path = all->paths[i].path;

			if (bare.len < 200 && path.len < 200 &&
			    ag_str_distance(bare, path) == limit)
				ag_buf_addf(&near, "%s%.*s", n++ ? ", " : "", AG_FMT(path));
		}
	}
	ag_proof_refuse(p, ag_str_printf(p->arena, "there is no field \"%.*s\"", AG_FMT(name)),
	                n ? ag_str_printf(p->arena,
	                                  "Name a field of the schema; near to it are: %.*s.",
	                                  AG_FMT(ag_buf_view(&near)))
	                  : AG_S("Name a field as schema_sample lists it."));
	ag_buf_release(&near);
}

/* The key of the map that the evidence speaks of, for "m.*". */
static ag_str concrete_path(const ag_prover *p, ag_str pattern)
{
	for (size_t i = 0; i < p->query.npath; i++)
		if (ag_proof_meets(pattern, p->query.paths[i]))
			return p->query.paths[i];
	return AG_S("");
}

static ag_status settle_field(ag_prover *p, ag_str name)
{
	ag_proof_field *l = &p->field;
	const ag_path_profile *f;
	bool is_other;
	uint64_t n = 0;
	ag_status st;

	l->is_document = ag_proof_is_document(name);
	if (l->is_document) {
		p->ret->field = AG_S(AG_DOCUMENT_FIELD);
		return AG_OK;
	}
	f = ag_proof_listed(l->profile, name, p->arena, &is_other);
	if (!f) {
		const ag_str bare = ag_proof_bare_name(name, p->arena);
		const ag_member there = AG_EV_KV("$exists", ag_val_bool(true));
		const ag_member m = { bare, ag_ev_obj(p->arena, &there, 1) };
		const ag_val filter = ag_ev_obj(p->arena, &m, 1);

		st = bare.len ? ag_proof_count(p, ag_ev_str(p->arena, &filter), &n) : AG_OK;
		if (st && (st == AG_CANCELLED || st == AG_TIMEOUT))
			return st;
		if (st || !n) {
			refuse_field(p, name);
			return AG_OK;
		}
		l->f = (ag_path_profile){
			.path = bare, .query = bare, .name = bare, .owner = bare
		};
		l->dotted = bare;
	} else {
		const bool is_key = f->in_map;

		f = ag_proof_items(l->profile, f, p->category, p->arena);
		l->f = *f;
		l->is_listed = true;
		l->dotted = f->query.len ? f->query : AG_S("");
		if (is_key) {
			l->dotted = concrete_path(p, ag_proof_dotted(f, p->arena));
			l->f.path = l->f.query = l->dotted;
			l->f.in_array = l->f.is_elem = false;
		} else if (is_other && !f->is_elem) {
			p->ret->field = f->path;
			note(p, ag_str_printf(p->arena, "the field is called \"%.*s\"",
			                      AG_FMT(f->path)));
		}
	}
	l->name = ag_field_name_of(l->f.owner);
	return AG_OK;
}

/* ---- the documents ---- */

/* The field is in the evidence, or the evidence is not about it. */
static void check_mention(ag_prover *p)
{
	static const char *const below[] = { "geo", "array_content", "array_size", "keys_as_data",
		                             "drift" };
	const bool down = ag_proof_is_any_of(p->category, below, AG_NELEM(below));
	const ag_str dotted = p->field.dotted;
	ag_buf list = AG_BUF_INIT(2048);

	if (dotted.len && ag_proof_mentions(&p->query, dotted, down))
		return;
	for (size_t i = 0; i < p->query.npath && i < 5; i++)
		ag_buf_addf(&list, "%s%.*s", i ? ", " : "", AG_FMT(p->query.paths[i]));
	ag_proof_refuse(
		p,
		list.len ? ag_str_printf(p->arena, "the evidence is about %.*s, not about %.*s",
	                                 AG_FMT(ag_buf_view(&list)), AG_FMT(p->ret->field))
			 : ag_str_printf(p->arena, "the evidence does not name the field %.*s",
	                                 AG_FMT(p->ret->field)),
		AG_S("Write evidence with a condition on the field itself, or name the field that it is about."));
	ag_buf_release(&list);
}

static ag_status read_evidence(ag_prover *p, ag_str evidence)
{
	uint64_t n;
	ag_status st = ag_proof_read(evidence, p->arena, &p->query, p->err);

	if (st || p->query.form != AG_PROOF_FILTER || p->query.value->type != AG_T_ARRAY)
		return st;
	st = ag_proof_count(p, p->query.filter, &n);
	if (st || n == p->found)
		return st;
	/* It counts items of arrays, or only the first ones: the documents are those of the filter. */
	if (p->query.is_loose && n) {
		p->ret->evidence = p->query.filter;
		p->found = n;
		note(p, ag_str_printf(p->arena, "counted in documents, these are %llu", ull(n)));
	} else {
		p->query.form = AG_PROOF_OTHER_FORM;
	}
	return AG_OK;
}

/* ---- the defect ---- */

/* Argus itself suspects this: the same field and category, the same evidence. */
static ag_status is_own_hypothesis(ag_prover *p, ag_str evidence, bool *ret, ag_str *ret_filter)
{
	const ag_hypotheses *h;
	const ag_str field = ag_finding_canonical_field(p->ret->field, p->arena);
	ag_status st = ag_audit_hypotheses(p->audit, p->ctx, &h, p->err);

	*ret = false;
	*ret_filter = AG_S("");
	for (size_t i = 0; !st && i < h->n; i++) {
		const ag_hypothesis *one = &h->items[i];

		if (!ag_str_eqc(p->category, one->category) ||
		    !ag_str_eq(ag_finding_canonical_field(one->field, p->arena), field))
			continue;
		if (ag_str_eq(one->evidence, evidence))
			*ret = true;
		if (one->evidence.ptr[0] == '{')
			*ret_filter = one->evidence;
	}
	return st;
}

static void refuse_defect(ag_prover *p, uint64_t own)
{
	const ag_str category = p->category, field = p->ret->field;

	if (own)
		ag_proof_refuse(
			p,
			ag_str_printf(p->arena, "the evidence does not show %.*s in %.*s",
		                      AG_FMT(category), AG_FMT(field)),
			ag_str_printf(
				p->arena,
				"Argus counts %llu documents with %.*s in %.*s by %.*s. Use this as evidence "
				"if that is meant; else name the category that your filter shows.",
				ull(own), AG_FMT(category), AG_FMT(field),
				p->defect.own.len < 1500 ? (int)p->defect.own.len : 0,
				p->defect.own.ptr));
	else
		ag_proof_refuse(
			p,
			ag_str_printf(p->arena, "no document shows %.*s in %.*s", AG_FMT(category),
		                      AG_FMT(field)),
			AG_S("Drop the finding, or name the category that your filter shows."));
}

/* Inside of Argus's own filter, give or take a few neighbours, which are cut away. */
static ag_status check_measured(ag_prover *p)
{
	const ag_str own = p->defect.own;
	const ag_str wide = ag_defect_any(p->arena,
	                                  (const ag_str[]){ own, ag_defect_nothing(&p->field) }, 2);
	uint64_t inside = 0, outside = 0, all = 0;
	ag_status st = ag_proof_count(p, ag_proof_both(p, p->query.filter, own), &inside);

	if (!st && inside != p->found)
		st = ag_proof_count(p, except(p, p->query.filter, wide), &outside);
	if (!st && (p->defect.is_exact || !inside || outside))
		st = ag_proof_count(p, own, &all);
	if (st)
		return st;
	if (!inside || outside * STRAYS_PER > p->found) {
		refuse_defect(p, all);
	} else if (inside != p->found) {
		p->ret->evidence = inside == all ? own : ag_proof_both(p, p->query.filter, own);
		note(p,
		     ag_str_printf(
			     p->arena,
			     "of the %llu documents found, %llu show %.*s in %.*s: these are counted",
			     ull(p->found), ull(inside), AG_FMT(p->category),
			     AG_FMT(p->ret->field)));
		p->found = inside;
	} else if (p->defect.is_exact && all != inside) {
		note(p,
		     ag_str_printf(
			     p->arena,
			     "the evidence finds %llu of the %llu documents that show %.*s in %.*s",
			     ull(inside), ull(all), AG_FMT(p->category), AG_FMT(p->ret->field)));
	}
	return AG_OK;
}

/* No measure: the filter must cut something out of the field's values. */
static ag_status check_restricts(ag_prover *p)
{
	const ag_str without = ag_proof_without(&p->query, p->field.dotted, p->arena);
	uint64_t n = 0;
	ag_status st = without.len ? ag_proof_count(p, without, &n) : AG_OK;

	if (!st && (!without.len || n == p->found))
		ag_proof_refuse(p,
		                ag_str_printf(p->arena,
		                              "the condition on %.*s holds for every value it has",
		                              AG_FMT(p->ret->field)),
		                AG_S("Write a condition that only the affected values meet."));
	return st;
}

/* How many of the documents that have a value may be affected? */
static ag_status check_share(ag_prover *p)
{
	const ag_member m = { p->field.dotted,
		              AG_EV_OBJ(p->arena, AG_EV_KV("$ne", ag_val_null())) };
	const ag_val filter = ag_ev_obj(p->arena, &m, 1);
	uint64_t have = p->total, hit = p->found, own = 0;
	ag_status st = AG_OK;

	if (p->defect.all_ok)
		return AG_OK;
	if (!p->field.is_document && p->query.form == AG_PROOF_FILTER) {
		const ag_str text = ag_ev_str(p->arena, &filter);

		st = ag_proof_count(p, text, &have);
		if (!st)
			st = ag_proof_count(p,
			                    ag_proof_both(p,
			                                  p->ret->evidence.ptr[0] == '{'
			                                          ? p->ret->evidence
			                                          : p->query.filter,
			                                  text),
			                    &hit);
		/* A part of what is usual is no defect either. */
		if (!st && p->defect.is_rare && p->defect.own.len)
			st = ag_proof_count(p, p->defect.own, &own);
	}
	if (st)
		return st;
	if (p->found == p->total || (hit == have && have > 1))
		ag_proof_refuse(
			p, AG_S("the evidence matches every document that has the field"),
			AG_S("Evidence finds the affected documents only: what is true of all of them is no "
		             "defect of some."));
	else if (p->defect.max_share > 0 && (double)hit > p->defect.max_share * (double)have)
		ag_proof_refuse(
			p,
			ag_str_printf(
				p->arena,
				"%llu of %llu documents with the field are no %.*s: it is usual",
				ull(hit), ull(have), AG_FMT(p->category)),
			AG_S("Narrow the filter to the values that are wrong, or drop the finding."));
	else if (p->defect.is_rare && (double)own > p->defect.max_share * (double)have)
		ag_proof_refuse(
			p,
			ag_str_printf(p->arena,
		                      "%llu of %llu documents with the field have such a value: "
		                      "it is usual",
		                      ull(own), ull(have)),
			AG_S("Drop the finding, or name the category that your filter shows."));
	return AG_OK;
}

/* ---- keys that repeat ---- */

/* Values of this field are meant to be different. */
static bool is_key(const ag_proof_field *l)
{
	const ag_path_profile *f = &l->f;
	const double unique = ag_share(f->ndistinct, f->nscalar);
	const bool is_measure = f->date.n || f->num.n > f->num.nint ||
	                        l->name.traits & (AG_TRAIT_MONEY | AG_TRAIT_MEASURE |
	                                          AG_TRAIT_COUNT | AG_TRAIT_TIME | AG_TRAIT_RATING |
	                                          AG_TRAIT_AGE | AG_TRAIT_PERCENT);
	const bool is_named = ag_name_is_identifier(&l->name) ||
	                      l->name.last & (AG_TRAIT_KEY | AG_TRAIT_ID) ||
	                      l->name.traits & (AG_TRAIT_EMAIL | AG_TRAIT_PHONE);

	/* Loaded twice or three times: every key occurs as often. */
	if (is_named && f->nrepeated == f->nscalar && unique >= 0.3)
		return true;
	/* Two persons may have one name, and two texts may be equal. */
	if (ag_name_is_person(&l->name) || ag_path_is_prose(f, &l->name))
		return false;
	return !is_measure && unique >= (is_named ? 0.7 : 0.95);
}

static ag_status check_repeated(ag_prover *p)
{
	const ag_proof_field *l = &p->field;
	const ag_str own = l->is_listed ? ag_duplicates_pipeline(p->arena, &l->f) : AG_S("");
	ag_evidence e = { 0 };
	ag_status st;

	if (!l->is_listed || !own.len) {
		if (p->query.form != AG_PROOF_REPEATED)
			ag_proof_refuse(
				p, AG_S("the evidence does not group by the field"),
				AG_S("Group by the field, keep the groups of more than one, and sum their sizes."));
		return AG_OK;
	}
	st = ag_source_evidence(p->source, p->ctx, p->arena, own, &e, p->err);
	if (st)
		return st;
	if (!e.affected) {
		ag_proof_refuse(p,
		                ag_str_printf(p->arena, "no value of %.*s occurs twice",
		                              AG_FMT(p->ret->field)),
		                AG_S("Drop the finding."));
	} else if (!is_key(l)) {
		ag_proof_refuse(
			p,
			ag_str_printf(
				p->arena,
				"%.*s has %llu values in %llu documents: they are meant to repeat",
				AG_FMT(p->ret->field), ull(l->f.ndistinct), ull(l->f.nscalar)),
			AG_S("Duplicates are a defect of keys only; drop the finding."));
	} else if (p->query.form == AG_PROOF_REPEATED &&
	           ag_proof_meets(l->dotted, p->query.group)) {
		if (e.affected != p->found) {
			note(p,
			     ag_str_printf(p->arena, "%llu documents share their %.*s with another",
			                   ull(e.affected), AG_FMT(p->ret->field)));
			p->ret->evidence = own;
		}
	} else if (p->query.form == AG_PROOF_FILTER) {
		/* Values that are listed: each must occur twice. */
		ag_str repeated = ag_str_printf(
			p->arena,
			"[{\"$match\":%.*s},{\"$group\":{\"_id\":\"$%.*s\",\"n\":{\"$sum\":1}}},{\"$match\":"
			"{\"n\":{\"$gt\":1}}},{\"$group\":{\"_id\":null,\"documents\":{\"$sum\":\"$n\"}}}]",
			AG_FMT(p->query.filter), AG_FMT(l->dotted));
		const uint64_t found = p->found;

		st = ag_source_evidence(p->source, p->ctx, p->arena, repeated, &e, p->err);
		if (st)
			return st;
		if (e.affected * STRAYS_PER < found * (STRAYS_PER - 1))
			ag_proof_refuse(p, AG_S("the documents found have values that occur once"),
			                ag_str_printf(p->arena, "Use %.*s as evidence.",
			                              AG_FMT(own)));
	} else {
		ag_proof_refuse(p, AG_S("the evidence does not group by the field"),
		                ag_str_printf(p->arena, "Use %.*s as evidence.", AG_FMT(own)));
	}
	return AG_OK;
}

/* Documents that are equal in all fields but their id, and perhaps their times. */
static ag_str copies_pipeline(const ag_prover *p)
{
	const ag_profile *all = p->field.profile;
	ag_buf keys = AG_BUF_INIT(256 * 1024);
	ag_str ret;
	size_t n = 0;

	for (size_t i = 0; i < all->npath; i++) {
		const ag_path_profile *f = &all->paths[i];
		const ag_field_name name = ag_field_name_of(f->owner);
		const ag_str one = f->query;

		if (f->parent != UINT32_MAX || f->is_elem || !one.len || ag_str_eqc(one, "_id") ||
		    (ag_name_is_identifier(&name) && f->nrepeated == 0))
			continue;
		ag_buf_addf(&keys, "%s\"k%zu\":{\"$ifNull\":[\"$%.*s\",null]}", n ? "," : "", n,
		            AG_FMT(one));
		n++;
	}
	ret = n ? ag_str_printf(
			  p->arena,
			  "[{\"$group\":{\"_id\":{%.*s},\"n\":{\"$sum\":1}}},{\"$match\":{\"n\":{\"$gt\":"
			  "1}}},{\"$group\":{\"_id\":null,\"documents\":{\"$sum\":\"$n\"}}}]",
			  AG_FMT(ag_buf_view(&keys)))
	        : AG_S("");
	ag_buf_release(&keys);
	return ret;
}

static ag_status check_copies(ag_prover *p)
{
	const ag_str own = copies_pipeline(p);
	ag_evidence e = { 0 };
	ag_status st = own.len ? ag_source_evidence(p->source, p->ctx, p->arena, own, &e, p->err)
	                       : AG_OK;

	if (st)
		return st;
	if (!e.affected)
		ag_proof_refuse(
			p, AG_S("no two documents are equal in all their fields"),
			AG_S("For one field that repeats use the category duplicates and name the field."));
	else if (p->query.form == AG_PROOF_FILTER)
		ag_proof_refuse(p, AG_S("a filter cannot show that documents are equal"),
		                ag_str_printf(p->arena, "Use %.*s as evidence.",
		                              own.len < 1500 ? (int)own.len : 0, own.ptr));
	else if (e.affected != p->found) {
		note(p, ag_str_printf(p->arena, "%llu documents are copies of each other",
		                      ull(e.affected)));
		p->ret->evidence = own;
	}
	return AG_OK;
}

/* ---- all of it ---- */

/* A pipeline that cannot be read as documents: its figure must be Argus's own. */
static ag_status check_figure(ag_prover *p)
{
	uint64_t own;
	ag_status st;

	if (!p->defect.own.len && p->defect.is_relation) {
		st = ag_proof_relation(p);
		return st || p->ret->wrong.len ? st : check_share(p);
	}
	if (!p->defect.own.len) {
		ag_proof_refuse(
			p,
			AG_S("the evidence is a pipeline that does not name the documents it counts"),
			AG_S("Write it as a filter, with $expr where a value is computed, or as leading "
		             "$match stages and a $count."));
		return AG_OK;
	}
	st = ag_proof_count(p, p->defect.own, &own);
	if (!st && own != p->found)
		refuse_defect(p, own);
	return st;
}

static ag_status stat_of(ag_prover *p, ag_stat_op op, ag_str filter, double *ret)
{
	const ag_val *query;
	ag_status st = ag_docquery_value(filter, p->arena, &query, p->err);
	ag_val v = ag_val_missing();

	if (!st)
		st = ag_source_stat(p->source, p->ctx, p->arena,
		                    &(ag_stat_question){
					    .field = p->field.dotted, .op = op, .filter = query },
		                    &v, NULL, p->err);
	*ret = !st && ag_type_is_number(v.type) ? ag_val_number(&v) : NAN;
	return st;
}

/* Two units are two groups of numbers with nothing between them. */
static ag_status check_gap(ag_prover *p)
{
	const ag_str found = p->query.filter;
	const ag_str rest = ag_str_printf(p->arena, "{\"$nor\":[%.*s]}", AG_FMT(found));
	double low[2], high[2];
	ag_status st = stat_of(p, AG_STAT_MIN, found, &low[0]);

	if (!st)
		st = stat_of(p, AG_STAT_MAX, found, &high[0]);
	if (!st)
		st = stat_of(p, AG_STAT_MIN, rest, &low[1]);
	if (!st)
		st = stat_of(p, AG_STAT_MAX, rest, &high[1]);
	/* 1.5: less than an inch is from a centimetre, or a kilogram from a pound. No unit changes a sign. */
	if (!st && (!(low[0] > 0) || !(low[1] > 0) ||
	            (!(low[0] >= 1.5 * high[1]) && !(low[1] >= 1.5 * high[0]))))
		ag_proof_refuse(
			p, AG_S("no gap is between the numbers found and the others"),
			AG_S("Two units are two groups of numbers that lie apart: drop the finding."));
	return st;
}

/* suspected: the filter that Argus's own catalogue has for this field and category, "" = none. */
static ag_status check_defect(ag_prover *p, ag_str suspected)
{
	ag_status st = AG_OK;
	uint64_t piled;

	ag_defect_of(&p->field, p->category, &p->defect);
	if (p->defect.pile.len) {
		st = ag_proof_count(p, p->defect.pile, &piled);
		if (st)
			return st;
		if (piled >= MIN_PILE)
			p->defect.own = ag_defect_any(
				p->arena, (const ag_str[]){ p->defect.own, p->defect.pile }, 2);
	}
	/* A category of the model's own: Argus knows only that most values are not wrong. A filter that halves the values, such as every
	 * second id, tells nothing. */
	if (!ag_category_find(p->category))
		p->defect.max_share = 1.0 / 3;
	if (suspected.len && (p->defect.own.len || p->defect.none.len)) {
		p->defect.own = ag_defect_any(p->arena,
		                              (const ag_str[]){ p->defect.own, suspected }, 2);
		p->defect.none = AG_S("");
		/* The catalogue knows from the field's name what is wrong, however many values are. */
		p->defect.max_share = 0;
		p->defect.is_rare = false;
	}
	if (p->defect.none.len) {
		ag_proof_refuse(
			p, p->defect.none,
			AG_S("Drop the finding, or name the category that your filter shows."));
		return AG_OK;
	}
	if (ag_str_eqc(p->category, "duplicates"))
		return check_repeated(p);
	if (ag_str_eqc(p->category, "duplicate_document"))
		return check_copies(p);
	if (ag_str_eqc(p->category, "unit_mixup") && p->query.form == AG_PROOF_FILTER &&
	    !p->field.f.in_array && !p->defect.none.len)
		st = check_gap(p);
	if (!st && !p->ret->wrong.len)
		st = ag_proof_form_fits(p);
	if (st || p->ret->wrong.len)
		return st;
	if (p->query.form != AG_PROOF_FILTER)
		return check_figure(p);
	if (p->defect.own.len)
		st = check_measured(p);
	else if (!p->field.is_document && !p->defect.is_relation)
		st = check_restricts(p);
	if (!st && !p->ret->wrong.len && p->defect.is_relation)
		st = ag_proof_relation(p);
	if (!st && !p->ret->wrong.len)
		st = check_share(p);
	return st;
}

/* {"f":null} and its like say what the category says, whatever the data is; nothing needs to be run for them. */
static bool says_it(ag_prover *p, ag_str evidence)
{
	static const struct {
		const char *category, *condition;
	} forms[] = {
		{ "null_rate", "null" },
		{ "null_rate", "{\"$eq\":null}" },
		{ "null_rate", "{\"$type\":\"null\"}" },
		{ "null_rate", "{\"$exists\":false}" },
		{ "missing_field", "{\"$exists\":false}" },
		{ "empty_string", "\"\"" },
		{ "empty_string", "{\"$eq\":\"\"}" },
	};
	const ag_audit_state *s = ag_audit_state_of(p->audit);
	const ag_val field = ag_val_str(p->ret->field);
	const ag_str name = ag_ev_str(p->arena, &field);
	bool is_listed = false;

	for (size_t i = 0; i < s->schema.n && !is_listed; i++)
		is_listed = ag_str_eq(s->schema.items[i].path, p->ret->field);
	for (size_t i = 0; is_listed && i < AG_NELEM(forms); i++) {
		if (ag_str_eqc(p->category, forms[i].category) &&
		    ag_str_eq(evidence, ag_str_printf(p->arena, "{%.*s:%s}", AG_FMT(name),
		                                      forms[i].condition)))
			return true;
	}
	return false;
}

static ag_status check_claim(ag_prover *p, ag_str evidence)
{
	const bool is_whole = ag_proof_is_about_documents(p->category);
	ag_status st = read_evidence(p, evidence);
	ag_str own;
	bool is_own;

	if (!st)
		st = settle_field(p, p->ret->field);
	if (st || p->ret->wrong.len)
		return st;
	if (is_whole && !p->field.is_document)
		ag_proof_refuse(p,
		                ag_str_printf(p->arena, "%.*s is about whole documents",
		                              AG_FMT(p->category)),
		                AG_S("Name the field \"" AG_DOCUMENT_FIELD
		                     "\", or use the category duplicates for one field."));
	else if (p->field.is_document && !is_whole && !ag_proof_may_be_about_documents(p->category))
		ag_proof_refuse(
			p, ag_str_printf(p->arena, "%.*s is about a field", AG_FMT(p->category)),
			AG_S("Name the field that shows it."));
	else if (!p->field.is_document)
		check_mention(p);
	if (p->ret->wrong.len)
		return AG_OK;
	st = is_own_hypothesis(p, evidence, &is_own, &own);
	if (st || is_own)
		return st;
	return check_defect(p, own);
}

ag_status ag_proof_check(ag_audit *a, const ag_ctx *ctx, ag_arena *arena, const ag_claim *claim,
                         ag_proof *ret, ag_err *err)
{
	ag_prover p = {
		.audit = a,
		.ctx = ctx,
		.arena = arena,
		.source = ag_audit_source(a),
		.ret = ret,
		.found = claim->affected,
		.err = err,
	};
	ag_status st;

	*ret = (ag_proof){ .field = ag_str_trim(claim->field),
		           .evidence = claim->evidence,
		           .wrong = AG_S(""),
		           .critique = AG_S(""),
		           .note = AG_S("") };
	p.total = ag_source_info_of(p.source)->ndoc;
	settle_category(&p, claim->category);
	if (says_it(&p, claim->evidence))
		return AG_OK;
	st = ag_audit_profile(a, ctx, &p.field.profile, err);
	if (st)
		return st;
	p.field.arena = arena;
	p.field.opts = &ag_audit_opts_of(a)->catalogue;
	return check_claim(&p, claim->evidence);
}
