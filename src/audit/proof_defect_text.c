/* proof_defect_text -- rows of the table in proof_defect.c: texts, arrays, keys and names. */
#include <math.h>

#include "audit/proof_parts.h"

#define MAX_VALUES 1000

void ag_defect_padding(const ag_proof_field *l, ag_defect *d)
{
	d->own = ANY(l, ag_defect_text(l, "^\\s|\\s$", ""), ag_defect_class(l, AG_TEXT_PADDED),
	             ag_defect_class(l, AG_TEXT_DOUBLE_BLANK),
	             ag_defect_class(l, AG_TEXT_ODD_SPACE));
	d->all_ok = true;
}

void ag_defect_mojibake(const ag_proof_field *l, ag_defect *d)
{
	d->own = ANY(
		l, ag_defect_class(l, AG_TEXT_MOJIBAKE), ag_defect_class(l, AG_TEXT_REPLACEMENT),
		ag_defect_text(
			l, "[\\x{c2}\\x{c3}][\\x{80}-\\x{bf}]|\\x{e2}\\x{20ac}|[A-Za-z]\\?[A-Za-z]",
			""));
	d->max_share = 0.9;
}

void ag_defect_control_characters(const ag_proof_field *l, ag_defect *d)
{
	d->own = ANY(l, ag_defect_class(l, AG_TEXT_CONTROL), ag_defect_class(l, AG_TEXT_ODD_SPACE));
}

void ag_defect_html_entities(const ag_proof_field *l, ag_defect *d)
{
	d->own = ANY(l, ag_defect_class(l, AG_TEXT_ENTITY),
	             ag_defect_text(l, "&[A-Za-z]+;|</?[A-Za-z][^>]*>", ""));
	d->all_ok = true;
	if (l->name.traits & AG_TRAIT_HTML)
		d->none = AG_S("the field holds HTML");
}

void ag_defect_name_case(const ag_proof_field *l, ag_defect *d)
{
	d->own = ag_defect_text(l, "\\b\\p{Ll}|\\p{Lu}{2}|\\p{Ll}\\p{Lu}", "");
	d->max_share = 0.5;
	d->is_rare = true;
}

/* A misspelling is rarer than the right word by this factor: June is no misspelling of July. */
#define MISSPELT_PER 4

/* Two letters differ, but no digit: A1 and A2 are two things. */
static bool is_misspelt(ag_str a, ag_str b)
{
	for (int c = '0'; c <= '9'; c++)
		if (memchr(a.ptr, c, a.len) || memchr(b.ptr, c, b.len))
			return false;
	return a.len >= 4 && a.len < 200 && b.len < 200 && ag_str_distance(a, b) <= 2;
}

/* The spellings of one thing: all of them, or those that are not the most frequent. */
static void variants(const ag_proof_field *l, ag_defect *d, bool is_case)
{
	const ag_path_profile *f = &l->f;
	ag_val *found = ag_new_n(l->arena, ag_val, f->nvalue + 1);
	ag_str *folds = ag_new_n(l->arena, ag_str, f->nvalue + 1);
	size_t n = 0;

	d->max_share = 0.5;
	if (l->is_listed && f->ndistinct * 10 > f->nscalar * 9)
		d->none = AG_S(
			"nearly every value of the field occurs once: they are different things");
	if (!l->is_listed || !f->values_complete)
		return;
	for (size_t i = 0; i < f->nvalue; i++) {
		const ag_str text = ag_value_text(&f->values[i]);
		ag_buf b = AG_BUF_INIT(64 * 1024);

		if (is_case)
			ag_text_fold(text, &b);
		else
			ag_text_fold_hard(text, &b);
		folds[i] = ag_buf_dup(l->arena, &b);
		ag_buf_release(&b);
	}
	/* Values are most frequent first, so the one before is the one that is meant. */
	for (size_t i = 1; i < f->nvalue; i++) {
		bool is_variant = false;

		for (size_t k = 0; k < i && !is_variant && folds[i].len; k++)
			is_variant = ag_str_eq(folds[i], folds[k]) ||
			             (!is_case && f->values[i].n * MISSPELT_PER <= f->values[k].n &&
			              is_misspelt(folds[i], folds[k]));
		if (is_variant)
			found[n++] = f->values[i].v;
	}
	d->own = ag_defect_where(l, OBJ(l->arena, KV("$in", ag_ev_arr(l->arena, found, n))));
	if (!n)
		d->none =
			is_case ? AG_S("no two values of the field differ only in case and blanks")
				: AG_S("no value of the field is close to a more frequent one");
}

void ag_defect_case_variants(const ag_proof_field *l, ag_defect *d)
{
	variants(l, d, true);
}

void ag_defect_spelling_variants(const ag_proof_field *l, ag_defect *d)
{
	variants(l, d, false);
}

void ag_defect_enum_violation(const ag_proof_field *l, ag_defect *d)
{
	const ag_path_profile *f = &l->f;
	ag_val *rare = ag_new_n(l->arena, ag_val, f->nvalue + 1);
	uint64_t nrare = 0;
	size_t n = 0;

	d->max_share = 0.1;
	if (l->is_listed && !f->values_complete)
		d->none = AG_S("the field has too many values for a list");
	if (!l->is_listed || !f->values_complete || f->nvalue < 2)
		return;
	if (!f->str.n)
		d->none = AG_S("the field holds no text");
	/* Rare beside the most frequent value, and few among all. */
	for (size_t i = 1; i < f->nvalue && n < MAX_VALUES; i++) {
		if (f->values[i].n * 100 > f->nscalar || f->values[i].n * 4 > f->values[0].n)
			continue;
		rare[n++] = f->values[i].v;
		nrare += f->values[i].n;
	}
	d->own = ANY(l, ag_defect_where(l, OBJ(l->arena, KV("$in", ag_ev_arr(l->arena, rare, n)))),
	             ag_defect_text(l, AG_DEFECT_NOTHING_WORDS, "i"));
	if (!n)
		d->none = AG_S("every value of the field is frequent: none is outside of a list");
	else if (nrare * 10 > f->nscalar)
		d->none = AG_S("the field has many rare values: it is no list");
}

/* Texts that have none of the usual shapes; "" when there is no usual one. */
static ag_str unusual_shapes(const ag_proof_field *l)
{
	const ag_str_profile *s = &l->f.str;
	ag_buf b = AG_BUF_INIT(16 * 1024);
	uint64_t inside = 0;
	ag_str ret = AG_S("");

	for (size_t i = 0; i < s->nshape && i < 8; i++) {
		ag_val one;

		/* Usual is what half as many have as have the most frequent one. */
		if (s->shapes[i].n * 2 < s->shapes[0].n)
			break;
		one = ag_shape_regex(l->arena, s->shapes[i].shape);
		ag_buf_addf(&b, "%s(?:%.*s)", b.len ? "|" : "", AG_FMT(ag_val_text(&one)));
		inside += s->shapes[i].n;
	}
	if (inside * 2 >= s->n && s->n && !b.failed)
		ret = ag_defect_where(
			l,
			OBJ(l->arena, KV("$type", ag_ev_text("string")),
		            KV("$not",
		               ag_ev_regex(l->arena, ag_str_cstr(l->arena, ag_buf_view(&b)), ""))));
	ag_buf_release(&b);
	return ret;
}

void ag_defect_pattern_violation(const ag_proof_field *l, ag_defect *d)
{
	d->max_share = 0.3;
	d->own = l->is_listed ? unusual_shapes(l) : AG_S("");
	if (l->is_listed && !l->f.str.n && !l->f.num.n)
		d->none = AG_S("the field holds no text");
}

static ag_str unlike(const ag_proof_field *l, const char *pattern)
{
	return ag_defect_where(l, OBJ(l->arena, KV("$type", ag_ev_text("string")),
	                              KV("$not", ag_ev_regex(l->arena, pattern, "i"))));
}

void ag_defect_invalid_format(const ag_proof_field *l, ag_defect *d)
{
	const ag_str_profile *s = &l->f.str;

	d->max_share = 0.5;
	if (l->name.traits & AG_TRAIT_EMAIL || s->by_class[AG_TEXT_EMAIL] * 2 > s->n)
		d->own = unlike(
			l,
			"^[^@\\s.,;<>()]+(\\.[^@\\s.,;<>()]+)*@[^@\\s.,;<>()_]+(\\.[^@\\s.,;<>()_]+)*"
			"\\.[a-z]{2,}$");
	else if (ag_field_has_word(&l->name, "url") || ag_field_has_word(&l->name, "link") ||
	         ag_field_has_word(&l->name, "website") || ag_field_has_word(&l->name, "homepage"))
		d->own = unlike(l, "^(https?|ftp)://[^\\s/.]+(\\.[^\\s/.]+)+(/\\S*)?$");
	else
		ag_defect_pattern_violation(l, d);
}

void ag_defect_truncation(const ag_proof_field *l, ag_defect *d)
{
	const ag_str_profile *s = &l->f.str;

	d->max_share = 0.3;
	if (!l->is_listed)
		return;
	if (!s->n)
		d->none = AG_S("the field holds no text");
	else
		d->own = ag_defect_text(l, "(\\.\\.\\.|\\x{2026}|-)\\s*$|^[\\s\\S]{0,1}$", "");
	/* Texts that were cut have one length, the greatest. Texts that repeat are words of a list. */
	if (s->n && s->length.max < 30000 && !ag_path_is_categorical(&l->f))
		d->pile = ag_defect_text(l,
		                         ag_str_cstr(l->arena,
		                                     ag_str_printf(l->arena, "^[\\s\\S]{%.0f}$",
		                                                   s->length.max)),
		                         "");
}

void ag_defect_lost_leading_zero(const ag_proof_field *l, ag_defect *d)
{
	const ag_path_profile *f = &l->f;
	const double width = f->str.n && f->str.numeric_max_len < 20
	                             ? (double)f->str.numeric_max_len
	                             : 0;

	d->max_share = 0.5;
	if (!l->is_listed)
		return;
	if (width < 2 ||
	    (!f->str.nleading_zero && !(l->name.traits & (AG_TRAIT_ZIP | AG_TRAIT_CODE))))
		d->none = AG_S("the codes of the field have no leading zeros to lose");
	else
		d->own = ANY(l,
		             ag_defect_text(l,
		                            ag_str_cstr(l->arena,
		                                        ag_str_printf(l->arena, "^[0-9]{1,%.0f}$",
		                                                      width - 1)),
		                            ""),
		             ag_defect_where(l,
		                             OBJ(l->arena, KV("$type", ag_ev_text("number")),
		                                 KV("$lt", ag_defect_number(pow(10, width - 1))))));
}

/* Patterns of personal data that no date, number of an order or sentence has by chance: e-mail; telephone numbers with a
 * sign or separators; social security numbers; credit cards; IBAN; keys of services. */
#define PII_TEXT                                                                                    \
	"[^@\\s]+@[^@\\s]+\\.[A-Za-z]{2,}|"                                                         \
	"(\\+|\\b00)[1-9][-0-9 ()/.]{6,}[0-9]|\\(?\\b0[0-9]{2,4}\\)?[-/ ][0-9][0-9 ]{4,}[0-9]|"     \
	"\\(?\\b[2-9][0-9]{2}\\)?[-. ]+[0-9]{3}[-. ][0-9]{4}\\b|\\b[0-9]{3}-[0-9]{2}-[0-9]{4}\\b|"  \
	"\\b[0-9]{4}([ -]?[0-9]{4}){3}\\b|\\b[A-Z]{2}[0-9]{2} ?[A-Z0-9]{4} ?[0-9]{4}[A-Z0-9 ]{3,}|" \
	"AKIA[0-9A-Z]{12,}|-----BEGIN|\\b(sk|pk|ghp|xox[bp])[-_][A-Za-z0-9]{8,}|"                   \
	"(?i:passw|secret)"

void ag_defect_pii(const ag_proof_field *l, ag_defect *d)
{
	static const char *const secret[] = {
		"password", "passwd", "pwd",  "secret", "token",
		"apikey",   "ssn",    "iban", "cvv",    "credential"
	};

	for (size_t i = 0; i < AG_NELEM(secret); i++)
		d->all_ok |= ag_field_has_word(&l->name, secret[i]);
	d->all_ok |= ag_name_is_password(&l->name);
	if (d->all_ok && l->is_listed && !l->f.str.n) /* token_count */
		d->none = AG_S("the field holds no text");
	if (d->all_ok)
		return;
	d->max_share = 0.9;
	if (l->name.traits & (AG_TRAIT_EMAIL | AG_TRAIT_PHONE))
		d->none = AG_S("the field is named for the personal data that it holds");
	d->own = ag_defect_text(l, PII_TEXT, "");
}

/* ---- arrays, keys, names ---- */

static ag_str sizes_outside(const ag_proof_field *l, double lo, double hi)
{
	const ag_str path = ag_defect_path(l);

	return ag_str_printf(
		l->arena,
		"{\"$expr\":{\"$and\":[{\"$isArray\":%.*s},{\"$or\":[{\"$lt\":[{\"$size\":%.*s},"
		"%.0f]},{\"$gt\":[{\"$size\":%.*s},%.0f]}]}]}}",
		AG_FMT(path), AG_FMT(path), lo, AG_FMT(path), hi);
}

void ag_defect_array_size(const ag_proof_field *l, ag_defect *d)
{
	const ag_array_profile *s = &l->f.arr;

	d->max_share = 0.2;
	if (l->is_listed && !s->n)
		d->none = AG_S("the field holds no arrays");
	else if (l->is_listed && !l->f.in_array)
		d->own = ANY(l, sizes_outside(l, s->size.p05, s->size.p95),
		             s->nempty * 20 <= s->n
		                     ? ag_defect_where(l, OBJ(l->arena, KV("$size", ag_val_int(0))))
		                     : AG_S(""));
}

void ag_defect_array_content(const ag_proof_field *l, ag_defect *d)
{
	ag_arena *a = l->arena;
	double majority;

	d->max_share = 0.5;
	if (l->is_listed && !l->f.arr.n && !l->f.in_array)
		d->none = AG_S("the field holds no arrays");
	else if (l->f.is_elem)
		d->own = ANY(l,
		             ag_defect_where(l, OBJ(a, KV("$in",
		                                          ARR(a, ag_val_null(), ag_ev_text(""))))),
		             ag_defect_empty(l), ag_defect_text(l, AG_DEFECT_NOTHING_WORDS, "i"),
		             ag_path_odd_types(a, l->profile, &l->f, &majority),
		             ag_ev_repeated_items(a, l->dotted));
}

void ag_defect_keys_as_data(const ag_proof_field *l, ag_defect *d)
{
	d->own = ag_defect_where(l, OBJ(l->arena, KV("$type", ag_ev_text("object"))));
	d->all_ok = true;
	if (l->is_listed && !l->f.is_map)
		d->none = AG_S("the keys of the field are the same in all documents, or few");
}

void ag_defect_field_name_variants(const ag_proof_field *l, ag_defect *d)
{
	const ag_profile *p = l->profile;
	bool found = false;

	d->own = ag_defect_where(l, OBJ(l->arena, KV("$exists", ag_val_bool(true))));
	d->all_ok = true;
	for (size_t i = 0; i < p->npath && !found; i++) {
		const ag_path_profile *g = &p->paths[i];

		found = g->parent == l->f.parent && !g->is_elem && g->name.len && l->f.name.len &&
		        !ag_str_eq(g->path, l->f.path) && g->n + l->f.n <= l->f.nparent &&
		        (ag_names_differ_in_style(g->name, l->f.name) ||
		         (g->name.len >= 4 && l->f.name.len >= 4 &&
		          ag_str_distance(g->name, l->f.name) <= 2));
	}
	if (l->is_listed && !found)
		d->none = AG_S("no other field beside it has nearly the same name");
}
