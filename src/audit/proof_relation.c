/* proof_relation -- categories between several fields: sums, orders, twins, dependencies, drift, values missing together.
 *
 * No filter of Argus's own exists for them, because only the claim says which fields belong together. What can be checked is
 * whether the evidence finds an exception: the relation must hold for most of the documents that the evidence does not
 * restrict by other conditions. {"country":"CH","$expr":{"$gt":["$end","$start"]}} finds the usual case of one country. */
#include <math.h>

#include "audit/proof_parts.h"

#define DAY_MS INT64_C(86400000)

static bool has_any(ag_str text, const char *const *words, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (ag_str_contains(text, ag_str_c(words[i])))
			return true;
	return false;
}

/* ---- dates ---- */

static bool is_time(const ag_path_profile *f)
{
	const ag_field_name name = ag_field_name_of(f->owner);

	return f->date.n || f->str.by_date[AG_DATE_NONE] < f->str.n ||
	       name.traits & AG_TRAIT_TIME ||
	       (f->num.n &&
	        (ag_field_has_word(&name, "start") || ag_field_has_word(&name, "end") ||
	         ag_field_has_word(&name, "begin") || ag_field_has_word(&name, "from")));
}

static bool is_time_path(const ag_prover *p, ag_str path)
{
	const ag_profile *all = p->field.profile;

	for (size_t k = 0; k < all->npath; k++)
		if (ag_proof_meets(ag_proof_dotted(&all->paths[k], p->arena), path) &&
		    is_time(&all->paths[k]))
			return true;
	return false;
}

static size_t times_in(const ag_prover *p)
{
	size_t n = 0;

	for (size_t i = 0; i < p->query.npath; i++)
		n += is_time_path(p, p->query.paths[i]);
	return n;
}

/* Old values of such a field say that nobody refreshed the document. */
static bool is_refresh_name(const ag_field_name *n)
{
	static const char *const words[] = { "updated",   "updatedat", "modified", "mtime",
		                             "sync",      "synced",    "seen",     "login",
		                             "refreshed", "checked",   "loaded",   "imported",
		                             "verified",  "last",      "active",   "contact" };

	for (size_t i = 0; i < AG_NELEM(words); i++)
		if (ag_field_has_word(n, words[i]))
			return true;
	return false;
}

#define SILENT_DAYS 30    /* the least that counts as a silence */
#define MAX_DAYS    40000 /* a century */
#define MIN_BEFORE \
	5 /* documents of as long a time before the silence: fewer are so far apart anyway */

/* Did the dates of a field stop? Then none lies in the last days, and several in as many days before these. */
static ag_status has_stopped(ag_prover *p, const ag_proof_field *l, bool *ret)
{
	int64_t days = SILENT_DAYS;
	uint64_t n = 0;
	ag_status st = AG_OK;

	for (; !st && !n && days < MAX_DAYS; days *= 2)
		st = ag_proof_count(p, ag_defect_since(l, l->opts->as_of_ms - days * DAY_MS), &n);
	*ret = !st && days > 2 * SILENT_DAYS && n >= MIN_BEFORE;
	return st;
}

static void refuse_old(ag_prover *p, ag_str field)
{
	ag_proof_refuse(
		p,
		ag_str_printf(p->arena, "an old date in %.*s does not make the data stale",
	                      AG_FMT(field)),
		AG_S("Name a field that says when the document was last updated, or evidence that finds "
	             "all documents where the newest date of the field is old; else drop the "
	             "finding."));
}

/* A day of birth or of an order stays what it is, however old. The data is old when the newest date of the field is: then
 * the evidence finds all documents with a date. */
static ag_status check_stale_dates(ag_prover *p, const ag_proof_field *l)
{
	const ag_traits fixed = AG_TRAIT_BIRTH | AG_TRAIT_HISTORIC | AG_TRAIT_FUTURE |
	                        AG_TRAIT_OPENEND;
	bool is_stopped = false;
	uint64_t nold = 0;
	ag_defect old;
	ag_status st = AG_OK;

	ag_defect_of(l, AG_S("stale"), &old);
	if (l->is_listed && !is_time(&l->f)) {
		ag_proof_refuse(p,
		                ag_str_printf(p->arena, "%.*s holds no dates", AG_FMT(l->f.path)),
		                AG_S("Name the date field that shows how old the data is."));
		return AG_OK;
	}
	if (is_refresh_name(&l->name) || !old.own.len)
		return AG_OK;
	if (!(l->name.traits & fixed))
		st = has_stopped(p, l, &is_stopped);
	if (!st && is_stopped)
		st = ag_proof_count(p, old.own, &nold);
	if (!st && (!is_stopped || nold != p->found))
		refuse_old(p, l->f.path);
	return st;
}

/* Of whole documents: the dates that the evidence names. */
static ag_status check_stale(ag_prover *p)
{
	const ag_profile *all = p->field.profile;
	ag_status st = AG_OK;

	if (!times_in(p)) {
		ag_proof_refuse(
			p, AG_S("the evidence names no date"),
			AG_S("Compare a date field with the day from which on the data is fresh."));
		return AG_OK;
	}
	if (!p->field.is_document)
		return check_stale_dates(p, &p->field);
	for (size_t i = 0; i < all->npath && !st && !p->ret->wrong.len; i++) {
		ag_proof_field one = p->field;
		bool is_named = false;

		for (size_t k = 0; k < p->query.npath && !is_named; k++)
			is_named = ag_str_eq(p->query.paths[k], all->paths[i].query);
		if (!is_named || !is_time(&all->paths[i]))
			continue;
		one.is_document = false;
		one.is_listed = true;
		one.f = all->paths[i];
		one.dotted = one.f.query;
		one.name = ag_field_name_of(one.f.owner);
		st = check_stale_dates(p, &one);
	}
	return st;
}

/* ---- the form of the evidence ---- */

/* Where Argus has no filter of its own, the evidence must at least be of the form that the category needs. */
ag_status ag_proof_form_fits(ag_prover *p)
{
	static const char *const sums[] = { "\"$add\"", "\"$subtract\"", "\"$multiply\"",
		                            "\"$divide\"", "\"$sum\"" };
	static const char *const unequal[] = { "\"$ne\"", "\"$not\"", "\"$cmp\"",
		                               "\"$strcasecmp\"" };
	static const char *const lists[] = { "\"$in\"", "\"$nin\"" };
	static const char *const ranges[] = { "\"$gt", "\"$lt", "\"$regex\"", "\"$exists\"",
		                              "\"$type\"" };
	const ag_str text = p->ret->evidence;

	if (ag_str_eqc(p->category, "arithmetic") && !has_any(text, sums, AG_NELEM(sums)))
		ag_proof_refuse(
			p, AG_S("the evidence does no arithmetic"),
			AG_S("Compare the field with what it should be: {\"$expr\":{\"$ne\":[\"$total\","
		             "{\"$add\":[\"$net\",\"$tax\"]}]}}."));
	else if (ag_str_eqc(p->category, "redundant") && !has_any(text, unequal, AG_NELEM(unequal)))
		ag_proof_refuse(p, AG_S("the evidence does not find where the fields differ"),
		                AG_S("Compare them: {\"$expr\":{\"$ne\":[\"$a\",\"$b\"]}}."));
	else if (ag_str_eqc(p->category, "date_order") && times_in(p) < 2)
		ag_proof_refuse(
			p, AG_S("the evidence does not compare two dates"),
			AG_S("Compare two date fields: {\"$expr\":{\"$lt\":[\"$end\",\"$start\"]}}."));
	else if (ag_str_eqc(p->category, "referential") && !has_any(text, lists, AG_NELEM(lists)) &&
	         has_any(text, ranges, AG_NELEM(ranges)))
		ag_proof_refuse(
			p, AG_S("the evidence does not say which references are broken"),
			AG_S("List the values: {\"f\":{\"$in\":[…]}}, or those that exist: {\"$nin\":[…]}."));
	else if (ag_str_eqc(p->category, "stale"))
		return check_stale(p);
	return AG_OK;
}

/* ---- sums ---- */

static bool does_arithmetic(const ag_val *v)
{
	static const char *const ops[] = { "$add",   "$subtract", "$multiply", "$divide",
		                           "$sum",   "$abs",      "$round",    "$trunc",
		                           "$floor", "$ceil",     "$mod" };

	for (uint32_t i = 0; v->type == AG_T_ARRAY && i < v->n; i++)
		if (does_arithmetic(&v->u.items[i]))
			return true;
	for (uint32_t i = 0; v->type == AG_T_OBJECT && i < v->n; i++)
		if (ag_proof_is_any_of(v->u.members[i].key, ops, AG_NELEM(ops)) ||
		    does_arithmetic(&v->u.members[i].val))
			return true;
	return false;
}

/* "More than", "less than": says that a sum is wrong only where most documents have equal sides. */
static ag_status check_order(ag_prover *p, const ag_val *sides)
{
	const double usual = p->field.f.num.n ? fabs(p->field.f.num.q.p50) : 0;
	const double tolerance = usual * 0.01 > 0.02 ? usual * 0.01 : 0.02;
	const ag_str a = ag_ev_str(p->arena, &sides[0]), b = ag_ev_str(p->arena, &sides[1]);
	uint64_t n;
	ag_status st = ag_proof_count(
		p,
		ag_str_printf(
			p->arena,
			"{\"$expr\":{\"$lte\":[{\"$abs\":{\"$subtract\":[%.*s,%.*s]}},%.17g]}}",
			AG_FMT(a), AG_FMT(b), tolerance),
		&n);

	if (!st && n * 2 < p->total)
		ag_proof_refuse(
			p, AG_S("both sides of the comparison are unequal in most documents"),
			AG_S("Write what the field should be, and compare with $ne: "
		             "{\"$expr\":{\"$ne\":[\"$total\",{\"$add\":[\"$net\",\"$tax\"]}]}}."));
	return st;
}

static ag_status check_sums(ag_prover *p, const ag_val *v)
{
	static const char *const orders[] = { "$gt", "$gte", "$lt", "$lte" };
	ag_status st = AG_OK;

	for (uint32_t i = 0; v->type == AG_T_ARRAY && i < v->n && !st; i++)
		st = check_sums(p, &v->u.items[i]);
	for (uint32_t i = 0; v->type == AG_T_OBJECT && i < v->n && !st; i++) {
		const ag_member *m = &v->u.members[i];
		const bool is_order = ag_proof_is_any_of(m->key, orders, AG_NELEM(orders)) &&
		                      m->val.type == AG_T_ARRAY && m->val.n == 2;

		/* A bound of 0.01 on a difference is a tolerance; the difference itself is usually 0. */
		if (is_order && does_arithmetic(&m->val))
			st = check_order(p, m->val.u.items);
		else
			st = check_sums(p, &m->val);
	}
	return st;
}

/* ---- drift ---- */

static bool is_of_field(void *arg, ag_str path)
{
	const ag_prover *p = arg;

	return p->field.is_document ? !is_time_path(p, path)
	                            : ag_proof_meets(p->field.dotted, path);
}

/* The share of what the field shows differs between the period and the rest: by a fifth, and by more than chance
 * explains (four standard deviations). */
static bool differs(double x1, double n1, double x0, double n0)
{
	const double p1 = x1 / n1, p0 = x0 / n0, all = (x1 + x0) / (n1 + n0);
	const double deviation = sqrt(all * (1 - all) * (1 / n1 + 1 / n0));

	return (p1 > 1.2 * p0 || p0 > 1.2 * p1) && fabs(p1 - p0) > 4 * deviation;
}

static ag_status check_drift(ag_prover *p)
{
	uint64_t nshown, nperiod;
	ag_str shown, period;
	ag_status st;

	if (!ag_proof_split(&p->query, is_of_field, p, p->arena, &shown, &period)) {
		ag_proof_refuse(
			p,
			AG_S("the evidence does not name a period and what the field shows in it"),
			AG_S("Put a condition on a date field beside the one on the field."));
		return AG_OK;
	}
	st = ag_proof_count(p, shown, &nshown);
	if (!st)
		st = ag_proof_count(p, period, &nperiod);
	if (!st && (!nperiod || nperiod >= p->total ||
	            !differs((double)p->found, (double)nperiod,
	                     (double)(nshown > p->found ? nshown - p->found : 0),
	                     (double)(p->total - nperiod))))
		ag_proof_refuse(
			p, AG_S("the evidence names no period that differs from the others"),
			AG_S("Compare the share in the period with the share outside of it, or drop "
		             "the finding."));
	return st;
}

/* ---- missing together ---- */

/* Have this field and the one of that path no value in the same documents? Four fifths are enough. */
static ag_status are_missing_together(ag_prover *p, ag_str path, bool *ret)
{
	const ag_profile *all = p->field.profile;
	ag_proof_field other = p->field;
	uint64_t nfield, nother, nboth;
	ag_defect nothing;
	ag_status st;

	other.is_listed = false;
	for (size_t i = 0; i < all->npath && !other.is_listed; i++) {
		other.is_listed = ag_str_eq(all->paths[i].query, path);
		other.f = all->paths[i];
	}
	*ret = false;
	if (!other.is_listed)
		return AG_OK;
	other.dotted = path;
	ag_defect_of(&other, AG_S("null_rate"), &nothing);
	st = ag_proof_count(p, p->defect.own, &nfield);
	if (!st)
		st = ag_proof_count(p, nothing.own, &nother);
	if (!st)
		st = ag_proof_count(p, ag_proof_both(p, p->defect.own, nothing.own), &nboth);
	*ret = !st && nboth && nboth * 5 >= (nfield > nother ? nfield : nother) * 4;
	return st;
}

static ag_status check_together(ag_prover *p)
{
	bool is_together = false;
	ag_status st = AG_OK;

	for (size_t i = 0; i < p->query.npath && !st && !is_together; i++)
		if (!ag_str_eq(p->query.paths[i], p->field.dotted))
			st = are_missing_together(p, p->query.paths[i], &is_together);
	if (!st && !is_together)
		ag_proof_refuse(
			p,
			ag_str_printf(p->arena,
		                      "no other field of the evidence is missing where %.*s is",
		                      AG_FMT(p->ret->field)),
			AG_S("Name each field with null in the evidence, or use null_rate for this one."));
	return st;
}

/* ---- exceptions ---- */

static void refuse_usual(ag_prover *p, uint64_t n)
{
	ag_proof_refuse(
		p,
		ag_str_printf(p->arena,
	                      "the evidence finds %llu of the %llu documents that meet its other "
	                      "conditions: that is the usual case",
	                      (unsigned long long)p->found, (unsigned long long)n),
		AG_S("Write evidence that finds the exceptions."));
}

/* Does the relation hold for most of what the other conditions leave? Those are the conditions on other fields, and those
 * outside of $expr. */
static ag_status check_exception(ag_prover *p)
{
	const ag_str rests[] = { p->field.is_document
		                         ? AG_S("")
		                         : ag_proof_without(&p->query, p->field.dotted, p->arena),
		                 ag_proof_without(&p->query, AG_S(""), p->arena) };
	ag_status st = AG_OK;

	for (size_t i = 0; i < AG_NELEM(rests) && !st; i++) {
		uint64_t n = 0;

		if (!rests[i].len)
			continue;
		st = ag_proof_count(p, rests[i], &n);
		if (!st && p->found * 2 > n)
			refuse_usual(p, n);
	}
	return st;
}

/* ---- dependencies ---- */

typedef struct path_of {
	ag_str path;
} path_of;

static bool is_path(void *arg, ag_str path)
{
	return ag_str_eq(((const path_of *)arg)->path, path);
}

/* Do the other conditions fix this field? Then nine tenths of the documents that meet them, and were not found, have one
 * value in it, and those found are the exception. */
static ag_status fixes(ag_prover *p, ag_str path, ag_str rest, bool *ret)
{
	const ag_str normal = ag_str_printf(p->arena, "{\"$and\":[%.*s,{\"$nor\":[%.*s]}]}",
	                                    AG_FMT(rest), AG_FMT(p->query.filter));
	const ag_str most = ag_str_printf(
		p->arena,
		"[{\"$match\":%.*s},{\"$group\":{\"_id\":\"$%.*s\",\"n\":{\"$sum\":1}}},"
		"{\"$sort\":{\"n\":-1}},{\"$limit\":1},"
		"{\"$group\":{\"_id\":null,\"documents\":{\"$sum\":\"$n\"}}}]",
		AG_FMT(normal), AG_FMT(path));
	ag_evidence e = { 0 };
	uint64_t n;
	ag_status st = ag_proof_count(p, normal, &n);

	*ret = false;
	if (st || n < p->found)
		return st;
	st = ag_source_evidence(p->source, p->ctx, p->arena, most, &e, p->err);
	*ret = !st && e.affected * 10 >= n * 9;
	return st;
}

/* The claim may name the field that is fixed, or the one that fixes it. */
static ag_status check_dependency(ag_prover *p)
{
	bool is_fixed = false, is_read = false;
	ag_status st = AG_OK;

	for (size_t i = 0; i < p->query.npath && !st && !is_fixed; i++) {
		path_of one = { p->query.paths[i] };
		ag_str own, rest;

		if (!ag_proof_split(&p->query, is_path, &one, p->arena, &own, &rest))
			continue;
		is_read = true;
		st = fixes(p, one.path, rest, &is_fixed);
	}
	if (!st && !is_read)
		return check_exception(p); /* $or and $expr: the conditions cannot be separated */
	if (!st && !is_fixed)
		ag_proof_refuse(
			p,
			AG_S("no field of the evidence has one usual value where its other conditions hold"),
			AG_S("Name one value of the field that decides, and exclude the value that "
		             "belongs to it: {\"country\":\"DE\",\"currency\":{\"$ne\":\"EUR\"}}."));
	return st;
}

/* ---- swapped values ---- */

/* Two values change places in pairs: most documents that meet one condition meet the other, too. */
static ag_status check_pairs(ag_prover *p)
{
	ag_status st = AG_OK;

	for (size_t i = 0; i < p->query.npath && !st && !p->ret->wrong.len; i++) {
		path_of one = { p->query.paths[i] };
		ag_str own, rest;
		uint64_t n;

		if (!ag_proof_split(&p->query, is_path, &one, p->arena, &own, &rest))
			return check_exception(p);
		st = ag_proof_count(p, rest, &n);
		if (!st && p->found * 2 < n)
			ag_proof_refuse(
				p,
				ag_str_printf(p->arena,
			                      "%llu documents meet the conditions without that on "
			                      "%.*s: the values do not come in pairs",
			                      (unsigned long long)n, AG_FMT(one.path)),
				AG_S("List the values of each field that belong to the other one."));
	}
	return st;
}

/* ---- all of them ---- */

ag_status ag_proof_relation(ag_prover *p)
{
	size_t others = 0;
	ag_status st;

	for (size_t i = 0; i < p->query.npath; i++)
		others += !ag_str_eq(p->query.paths[i], p->field.dotted);
	if (!others || p->query.npath < 2) {
		ag_proof_refuse(
			p,
			ag_str_printf(p->arena,
		                      "%.*s is between two fields, and the evidence looks at one",
		                      AG_FMT(p->category)),
			AG_S("Compare the fields in the evidence, with $expr or a condition on each."));
		return AG_OK;
	}
	if (p->query.form != AG_PROOF_FILTER)
		return AG_OK;
	if (ag_str_eqc(p->category, "co_missing"))
		return check_together(p);
	if (ag_str_eqc(p->category, "drift"))
		return check_drift(p);
	if (ag_str_eqc(p->category, "fd_violation"))
		return check_dependency(p);
	if (ag_str_eqc(p->category, "swapped_values"))
		return check_pairs(p);
	st = check_exception(p);
	if (!st && !p->ret->wrong.len && ag_str_eqc(p->category, "arithmetic"))
		st = check_sums(p, p->query.value);
	return st;
}
