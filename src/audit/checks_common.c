/* checks_common -- what several checks ask of a path. */
#include "audit/checks.h"

#include "base/utf8.h"

ag_hypothesis *ag_suspect(ag_hypotheses *out, const ag_path_profile *f, const char *category,
                          ag_severity severity, double confidence, ag_str evidence)
{
	ag_hypothesis *h;

	if (!evidence.len)
		return NULL;
	h = ag_hypotheses_add(out);
	h->field = f->path;
	h->category = category;
	h->severity = severity;
	h->confidence = confidence;
	h->evidence = evidence;
	h->min_count = 1;
	h->detail = AG_S("");
	return h;
}

void ag_suspect_say(ag_hypothesis *h, const char *what, const char *cause, const char *repair)
{
	h->what = ag_str_c(what);
	h->cause = ag_str_c(cause);
	h->repair = ag_str_c(repair);
}

void ag_suspect_fix(ag_hypothesis *h)
{
	h->fixed_severity = true;
}

uint64_t ag_path_numbers(const ag_path_profile *f)
{
	return f->by_type[AG_T_INT32] + f->by_type[AG_T_INT64] + f->by_type[AG_T_DOUBLE] +
	       f->by_type[AG_T_DECIMAL];
}

uint64_t ag_path_filled(const ag_path_profile *f)
{
	return f->n - f->by_type[AG_T_NULL] - f->by_type[AG_T_UNDEFINED];
}

double ag_share(uint64_t part, uint64_t whole)
{
	return whole ? (double)part / (double)whole : 0;
}

bool ag_path_is_plain(ag_arena *a, const ag_path_profile *f)
{
	return f->by_type[AG_T_ARRAY] == 0 && !f->in_map && ag_ev_place_of(a, f).ok;
}

bool ag_name_is_identifier(const ag_field_name *n)
{
	if (!n->nword)
		return false;
	/* number_of_rooms, num_seats, total_accounts: counts, although the last word alone does not say so. */
	if (n->nword > 1 && (strcmp(n->word[0], "num") == 0 || strcmp(n->word[0], "count") == 0 ||
	                     strcmp(n->word[0], "total") == 0 || strcmp(n->word[1], "of") == 0))
		return false;
	/* A trailing digit does not matter: phone2. */
	if (n->nword > 1 && n->word[n->nword - 1][0] >= '0' && n->word[n->nword - 1][0] <= '9')
		return n->traits & AG_TRAIT_ID;
	/* "seats" are counted, "customer_ids" are not. */
	if (n->is_plural && !(n->last & (AG_TRAIT_KEY | AG_TRAIT_CODE)))
		return false;
	return (n->last & AG_TRAIT_ID) || strcmp(n->word[0], "id") == 0;
}

bool ag_name_is_person(const ag_field_name *n)
{
	return n->traits & AG_TRAIT_PERSON && n->last & (AG_TRAIT_PERSON | AG_TRAIT_NAME);
}

bool ag_path_is_prose(const ag_path_profile *f, const ag_field_name *n)
{
	if (n->traits & AG_TRAIT_PROSE && !ag_name_is_identifier(n))
		return true;
	return f->str.n && (f->str.words >= 6 || f->str.length.p50 > 80);
}

bool ag_path_is_categorical(const ag_path_profile *f)
{
	return f->values_complete && f->ndistinct && f->nscalar >= 20 &&
	       (double)f->nscalar / (double)f->ndistinct >= 2;
}

ag_str ag_value_text(const ag_value_count *v)
{
	return v->v.type == AG_T_STRING ? ag_val_text(&v->v) : AG_S("");
}

static bool says_refund(ag_str s)
{
	static const char *const words[] = { "refund", "return", "credit", "reversal", "chargeback",
		                             "storno", "adjust", "debit",  "expense",  "withdraw" };
	char low[48];

	if (s.len >= sizeof(low))
		return false;
	for (size_t i = 0; i < s.len; i++)
		low[i] = (char)(s.ptr[i] >= 'A' && s.ptr[i] <= 'Z' ? s.ptr[i] + 32 : s.ptr[i]);
	for (size_t i = 0; i < AG_NELEM(words); i++) {
		if (ag_str_contains(ag_str_make(low, s.len), ag_str_c(words[i])))
			return true;
	}
	return false;
}

/* "type", "transactionKind": not "status", for a returned order still has a positive price. */
static bool names_a_kind(ag_str name)
{
	static const char *const words[] = { "type",     "kind",      "class",
		                             "movement", "direction", "operation",
		                             "event",    "action",    "category" };
	ag_field_name n = ag_field_name_of(name);

	for (size_t i = 0; i < AG_NELEM(words); i++) {
		if (ag_field_has_word(&n, words[i]))
			return true;
	}
	return false;
}

bool ag_profile_has_refunds(const ag_profile *p)
{
	for (size_t i = 0; i < p->npath; i++) {
		const ag_path_profile *f = &p->paths[i];

		if (says_refund(f->name))
			return true;
		if (!f->values_complete || f->ndistinct > 50 || !names_a_kind(f->owner))
			continue;
		for (size_t k = 0; k < f->nvalue; k++) {
			if (says_refund(ag_value_text(&f->values[k])))
				return true;
		}
	}
	return false;
}

double ag_path_low(const ag_path_profile *f, const double *sentinels, size_t n)
{
	for (unsigned i = 0; i < f->num.nlow; i++) {
		bool is_sentinel = false;

		for (size_t k = 0; k < n; k++)
			is_sentinel |= f->num.low[i] == sentinels[k];
		if (!is_sentinel)
			return f->num.low[i];
	}
	return f->num.q.p50;
}

double ag_path_high(const ag_path_profile *f, const double *sentinels, size_t n)
{
	for (unsigned i = 0; i < f->num.nhigh; i++) {
		bool is_sentinel = false;

		for (size_t k = 0; k < n; k++)
			is_sentinel |= f->num.high[i] == sentinels[k];
		if (!is_sentinel)
			return f->num.high[i];
	}
	return f->num.q.p50;
}

ag_str ag_quote_value(ag_arena *a, const ag_val *v)
{
	ag_str s;

	if (v->type != AG_T_STRING)
		return ag_ev_str(a, v);
	s = ag_utf8_prefix(ag_val_text(v), 40);
	return ag_str_printf(a, "\"%.*s%s\"", AG_FMT(s), s.len < v->n ? "…" : "");
}

bool ag_name_is_country(ag_str name)
{
	static const char *const words[] = { "country", "land",  "país",  "pais",
		                             "paese",   "nação", "kraj",  "nation",
		                             "staat",   "stato", "lande", "länder" };
	const ag_field_name n = ag_field_name_of(name);

	for (size_t i = 0; i < AG_NELEM(words); i++)
		if (ag_field_has_word(&n, words[i]))
			return true;
	/* The French word looks like a plural of "pay". */
	return ag_field_has_word(&n, "pay") && ag_str_contains(name, AG_S("pays"));
}

bool ag_profile_has_countries(const ag_profile *p, const ag_path_profile *f)
{
	for (size_t i = 0; i < p->npath; i++) {
		const ag_path_profile *g = &p->paths[i];

		if (g != f && ag_name_is_country(g->owner) && g->ndistinct > 1)
			return true;
	}
	return false;
}

bool ag_names_of_one_kind(const ag_path_profile *a, const ag_path_profile *b)
{
	const ag_traits kinds = AG_TRAIT_MONEY | AG_TRAIT_MEASURE | AG_TRAIT_COUNT |
	                        AG_TRAIT_TEMPERATURE | AG_TRAIT_PERCENT;
	const ag_field_name x = ag_field_name_of(a->owner), y = ag_field_name_of(b->owner);

	/* One name says nothing: "paid" beside "listed". */
	if (x.traits & y.traits & kinds || !(x.traits & kinds) != !(y.traits & kinds))
		return true;
	for (size_t i = 0; i < x.nword; i++)
		if (ag_field_has_word(&y, x.word[i]))
			return true;
	return false;
}
