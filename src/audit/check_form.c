/* check_form -- row 21: values that break the form of all others.
 *
 * The form of a text is its shape with runs collapsed (columns/profile.h): "ORD-999" and "ORD-1000" have one form. A
 * column has a form when nearly all values keep to at most five. Three kinds of damage are known by how they differ
 * from the usual form, so they count at any share below one half: a letter or sign in a code of digits, another
 * separator or case, an affix. Any other form counts only while it is rare. */
#include "audit/checks.h"

#define MAX_FORMS   40
#define MAX_USUAL   5
#define REGEX_BYTES 6000
/* Of two forms that share the values evenly, neither is the wrong one. */
#define MOST_NEAR  0.45
#define MIN_SCHEME 3 /* codes with a letter in the same place behind the same digit */

/* Blanks around a value are row 14's; "\s" means other characters in other engines. */
#define BLANKS "[\\t-\\r ]*"
/* A letter of any script, without a class that only some engines know. */
#define LETTER "[^\\x00-@\\x5b-\\x60{-\\x7f]"

typedef struct form_count {
	ag_str text;
	uint64_t n;
	bool usual;
} form_count;

typedef struct forms {
	form_count v[MAX_FORMS];
	size_t n, nusual;
	uint64_t inside; /* values with a usual form */
	uint64_t said;   /* values that say something */
	uint64_t near;   /* values that differ from the most frequent form in a known way */
	bool derived;    /* some of them have something added at an end */
	bool by_case;    /* letters are all ASCII: "A" and "a" are two things */
	bool has_number; /* a usual form reads as a number */
} forms;

static ag_str trimmed(ag_str s)
{
	while (s.len && s.ptr[0] == ' ') {
		s.ptr++;
		s.len--;
	}
	while (s.len && s.ptr[s.len - 1] == ' ')
		s.len--;
	return s;
}

static bool is_ascii(ag_str s)
{
	for (size_t i = 0; i < s.len; i++)
		if ((unsigned char)s.ptr[i] >= 0x80)
			return false;
	return true;
}

/* "AAA-9999" as "A-9", as the profile does it. */
static ag_str joined_runs(ag_arena *a, ag_str s)
{
	char *out = ag_arena_alloc(a, s.len + 1);
	size_t n = 0;

	for (size_t i = 0; i < s.len; i++)
		if (!n || out[n - 1] != s.ptr[i] || !strchr("Aa9 ", s.ptr[i]))
			out[n++] = s.ptr[i];
	return ag_str_make(out, n);
}

/* Both cases as "a", runs joined. */
static ag_str without_case(ag_arena *a, ag_str s)
{
	char *out = ag_arena_alloc(a, s.len + 1);
	size_t n = 0;

	for (size_t i = 0; i < s.len; i++) {
		const char c = s.ptr[i] == 'A' ? 'a' : s.ptr[i];

		if (!n || out[n - 1] != c || c != 'a')
			out[n++] = c;
	}
	return ag_str_make(out, n);
}

static void add_form(forms *fm, ag_str text, uint64_t n)
{
	size_t k = 0;

	while (k < fm->n && !ag_str_eq(fm->v[k].text, text))
		k++;
	if (k == MAX_FORMS)
		return;
	if (k == fm->n)
		fm->v[fm->n++] = (form_count){ .text = text };
	fm->v[k].n += n;
}

static bool is_number_form(ag_str s)
{
	static const char *const known[] = { "9", "9.9", "-9", "-9.9" };

	for (size_t i = 0; i < AG_NELEM(known); i++)
		if (ag_str_eqc(s, known[i]))
			return true;
	return false;
}

/* A CSV cell that reads as a number has a form as well. */
static void add_numbers(const ag_profile *p, const ag_path_profile *f, forms *fm)
{
	const ag_num_profile *m = &f->num;

	if (!p->has_views || !m->n)
		return;
	add_form(fm, m->nneg ? AG_S("-9") : AG_S("9"), m->nint);
	add_form(fm, m->nneg ? AG_S("-9.9") : AG_S("9.9"), m->n - m->nint);
}

static uint64_t silent_texts(const ag_path_profile *f)
{
	return f->str.nempty + f->str.nblank + f->str.by_class[AG_TEXT_NULL_WORD];
}

static bool by_count(const form_count *a, const form_count *b)
{
	return a->n != b->n ? a->n > b->n : ag_str_cmp(a->text, b->text) < 0;
}

/* The forms of a path, most frequent first; false when they do not lend themselves to it. */
static bool forms_of(ag_arena *a, const ag_profile *p, const ag_path_profile *f, forms *fm)
{
	const ag_str_profile *s = &f->str;
	const uint64_t silent = silent_texts(f);

	memset(fm, 0, sizeof(*fm));
	if (s->nform_all > MAX_FORMS || s->nform_all != s->nform)
		return false;
	fm->by_case = s->by_class[AG_TEXT_NON_ASCII] == 0;
	add_numbers(p, f, fm);
	for (size_t i = 0; i < s->nform; i++) {
		const ag_str text = trimmed(s->forms[i].form);

		if (!text.len || ag_text_classify(s->forms[i].example) & 1u << AG_TEXT_NULL_WORD)
			continue;
		if (!is_ascii(text))
			return false;
		add_form(fm, fm->by_case ? text : without_case(a, text), s->forms[i].n);
	}
	for (size_t i = 1; i < fm->n; i++) {
		const form_count one = fm->v[i];
		size_t k = i;

		for (; k && by_count(&one, &fm->v[k - 1]); k--)
			fm->v[k] = fm->v[k - 1];
		fm->v[k] = one;
	}
	fm->said = s->n - (silent < s->n ? silent : s->n) + (p->has_views ? f->num.n : 0);
	return fm->n > 0 && fm->said > 0;
}

static void add_form_regex(ag_buf *b, ag_str text, bool by_case)
{
	for (size_t i = 0; i < text.len; i++) {
		const char c = text.ptr[i];

		if (c == '9')
			ag_buf_adds(b, "[0-9]+");
		else if (c == ' ')
			ag_buf_adds(b, " +");
		else if (c == 'A' || c == 'a')
			ag_buf_adds(b, !by_case ? LETTER "+" : c == 'A' ? "[A-Z]+" : "[a-z]+");
		else
			ag_buf_addf(b, strchr("\\^$.|?*+()[]{}/-", c) ? "\\%c" : "%c", c);
	}
}

/* "AB-1234" as [A-Z]{2}\\-[0-9]{4} */
ag_val ag_shape_regex(ag_arena *a, ag_str shape)
{
	ag_buf b = AG_BUF_INIT(REGEX_BYTES);
	ag_val ret;

	ag_buf_adds(&b, "^" BLANKS);
	for (size_t i = 0, k; i < shape.len; i = k) {
		const char c = shape.ptr[i];

		for (k = i + 1; k < shape.len && shape.ptr[k] == c;)
			k++;
		if (c == 'A' || c == 'a' || c == '9') {
			ag_buf_addf(&b, "%s{%zu}",
			            c == 'A'   ? "[A-Z]"
			            : c == 'a' ? "[a-z]"
			                       : "[0-9]",
			            k - i);
			continue;
		}
		for (; i < k; i++)
			add_form_regex(&b, ag_str_make(shape.ptr + i, 1), true);
	}
	ag_buf_adds(&b, BLANKS "$");
	ret = ag_val_str(ag_buf_dup(a, &b));
	ag_buf_release(&b);
	return ret;
}

/* Something between letters and digits that an author chose: "A-9", "9:9", not "Aa". */
static bool is_structured(ag_str text)
{
	return text.len > 1 && ag_str_find(text, '9') >= 0;
}

/* Letters, all as "a", and digits, without anything between them: "AB-123" and "ab 123" are both "aa999". */
static ag_str bones(ag_arena *a, ag_str shape)
{
	char *out = ag_arena_alloc(a, shape.len + 1);
	size_t n = 0;

	for (size_t i = 0; i < shape.len; i++) {
		const char c = shape.ptr[i];

		if (c == 'A' || c == 'a' || c == '9')
			out[n++] = c == '9' ? '9' : 'a';
	}
	return ag_str_make(out, n);
}

#define MAX_AFFIX 4 /* characters, its mark included */

/* A usual shape with something at an end: "AA-9999/AA", "AA-99?!". */
static bool is_derived(ag_str s, ag_str usual)
{
	const size_t more = s.len > usual.len ? s.len - usual.len : 0;
	size_t same = 0;

	if (more && more <= MAX_AFFIX)
		return (ag_str_starts(s, usual) && !strchr("Aa9", s.ptr[usual.len])) ||
		       (ag_str_ends(s, usual) && !strchr("Aa9", s.ptr[more - 1]));
	while (same < s.len && same < usual.len && s.ptr[same] == usual.ptr[same])
		same++;
	if (s.len != usual.len || s.len - same > 2 || same == s.len)
		return false;
	for (size_t i = same; i < s.len; i++)
		if (!strchr("?!*#~", s.ptr[i]))
			return false;
	return true;
}

/* Occurrences of a form whose shape is the most frequent one in other separators or another case. */
static uint64_t count_near(ag_arena *a, const ag_path_profile *f, ag_str form, bool by_case)
{
	const ag_str usual = bones(a, f->str.shapes[0].shape);
	uint64_t n = 0;

	for (size_t i = 1; i < f->str.nshape; i++) {
		const ag_str shape = trimmed(f->str.shapes[i].shape),
			     joined = joined_runs(a, shape);

		if (ag_str_eq(by_case ? joined : without_case(a, joined), form) &&
		    (ag_str_eq(bones(a, shape), usual) ||
		     is_derived(shape, trimmed(f->str.shapes[0].shape))))
			n += f->str.shapes[i].n;
	}
	return n;
}

/* The one shape of fixed width that nearly all have, or NULL: ISBN, IBAN, "AB-12345678". */
static const ag_shape_count *fixed_shape(const ag_path_profile *f, double from, size_t min_len)
{
	const ag_shape_count *s = f->str.nshape ? &f->str.shapes[0] : NULL;
	const uint64_t silent = silent_texts(f);

	if (!s || s->shape.len < min_len || s->shape.len >= 60 || ag_str_find(s->shape, '9') < 0 ||
	    !is_ascii(s->shape) || silent >= f->str.n || ag_share(s->n, f->str.n - silent) < from)
		return NULL;
	return s;
}

/* One digit more or less than all others: a counter that reached the next power of ten. */
static bool is_growing(const ag_path_profile *f, const ag_shape_count *usual)
{
	for (size_t i = 1; i < f->str.nshape; i++) {
		size_t len = f->str.shapes[i].shape.len;

		if (len + 1 == usual->shape.len || len == usual->shape.len + 1)
			return true;
	}
	return false;
}

/* ---- evidence ---- */

static void add_literal(ag_buf *b, ag_str s)
{
	for (size_t i = 0; i < s.len; i++)
		ag_buf_addf(b, strchr("\\^$.|?*+()[]{}/-", s.ptr[i]) ? "\\%c" : "%c", s.ptr[i]);
}

/* Placeholders have a finding of their own. */
static void add_silent(ag_buf *b, const ag_path_profile *f)
{
	size_t n = 0;

	if (!f->str.by_class[AG_TEXT_NULL_WORD])
		return;
	for (size_t i = 0; i < f->nvalue && n < 20; i++) {
		const ag_str s = ag_str_trim(ag_value_text(&f->values[i]));

		if (!s.len || !is_ascii(s) || !(ag_text_classify(s) & 1u << AG_TEXT_NULL_WORD))
			continue;
		ag_buf_addc(b, '|');
		add_literal(b, s);
		n++;
	}
	if (!f->values_complete)
		ag_buf_adds(b, "|[Nn]/?[Aa]|#N/A|[Nn]a[Nn]|[Nn]ull|NULL|[Nn]one|[Uu]nknown|"
		               "undefined|TBD|-+|\\?+");
}

/* Values that are not of the pattern. A number of a CSV is no text once it is imported, so where the usual form reads as
 * a number, the text must hold something that no number does. */
static ag_str breaks(ag_arena *a, const ag_profile *p, const ag_path_profile *f, ag_val pattern,
                     bool has_number)
{
	const ag_val not = OBJ(a, KV("$regex", pattern));

	if (!p->has_views)
		return ag_ev_where(a, f,
		                   OBJ(a, KV("$type", ag_ev_text("string")), KV("$not", not ),
		                       KV("$ne", ag_ev_text(""))));
	if (has_number)
		return ag_ev_where(a, f,
		                   OBJ(a, KV("$regex", ag_ev_text("[^-+.0-9eE\\t-\\r ]")),
		                       KV("$not", not )));
	return ag_ev_where(
		a, f, OBJ(a, KV("$nin", ARR(a, ag_val_null(), ag_ev_text(""))), KV("$not", not )));
}

static ag_val usual_regex(ag_arena *a, const ag_path_profile *f, const forms *fm)
{
	ag_buf b = AG_BUF_INIT(REGEX_BYTES);
	size_t n = 0;
	ag_val ret;

	ag_buf_adds(&b, "^" BLANKS "(?:");
	for (size_t i = 0; i < fm->n; i++) {
		if (!fm->v[i].usual)
			continue;
		ag_buf_adds(&b, n++ ? "|" : "");
		add_form_regex(&b, fm->v[i].text, fm->by_case);
	}
	add_silent(&b, f);
	ag_buf_adds(&b, ")" BLANKS "$");
	ret = ag_val_str(ag_buf_dup(a, &b));
	ag_buf_release(&b);
	return ret;
}

/* ---- digits ---- */

/* Codes of several countries have several forms. */
static bool has_countries(const ag_profile *p, const ag_path_profile *f)
{
	for (size_t i = 0; i < p->npath; i++) {
		const ag_path_profile *g = &p->paths[i];
		const ag_field_name n = ag_field_name_of(g->owner);

		if (g != f && ag_field_has_word(&n, "country") && g->ndistinct > 1)
			return true;
	}
	return false;
}

static size_t digits_of(double v)
{
	size_t n = 1;

	for (; v >= 10 && n < 20; n++)
		v /= 10;
	return n;
}

/* What stands in a column of codes of digits. */
typedef struct digit_codes {
	uint64_t digits; /* codes of digits alone */
	uint64_t
		swapped; /* of the usual width, one or two signs in the place of digits; no capital at an end: A12345 */
	uint64_t added;    /* other texts of digits with one or two runs of something else */
	uint64_t unlike;   /* texts with digits that are codes of their own: "SW1A 1AA" */
	size_t width;      /* digits of the most frequent width; 0 = below four */
	double same_width; /* share of the codes of digits that have it */
} digit_codes;

static bool is_all_digits(ag_str shape)
{
	for (size_t i = 0; i < shape.len; i++)
		if (shape.ptr[i] != '9')
			return false;
	return shape.len > 0;
}

static bool has_foreign_sign(ag_str shape)
{
	for (size_t i = 0; i < shape.len; i++)
		if (!strchr("-+.9 ", shape.ptr[i]))
			return true;
	return false;
}

static void count_widths(const ag_profile *p, const ag_path_profile *f, digit_codes *d)
{
	uint64_t width[24] = { 0 };
	size_t most = 0;

	d->digits = ag_path_numbers(f);
	for (size_t i = 0; i < f->str.nshape; i++) {
		const ag_str s = trimmed(f->str.shapes[i].shape);

		if (!is_all_digits(s))
			continue;
		d->digits += f->str.shapes[i].n;
		if (s.len < AG_NELEM(width))
			width[s.len] += f->str.shapes[i].n;
	}
	if (p->has_views && f->num.n && digits_of(f->num.q.p05) == digits_of(f->num.q.p95))
		width[digits_of(f->num.q.p50)] += f->num.n;
	for (size_t w = 0; w < AG_NELEM(width); w++)
		most = width[w] > width[most] ? w : most;
	d->width = most >= 4 ? most : 0;
	d->same_width = ag_share(width[most], d->digits);
}

static digit_codes digit_codes_of(const ag_profile *p, const ag_path_profile *f)
{
	digit_codes d = { 0 };

	count_widths(p, f, &d);
	for (size_t i = 0; i < f->str.nshape; i++) {
		const ag_str s = trimmed(f->str.shapes[i].shape);
		const uint64_t n = f->str.shapes[i].n;
		size_t ndigit = 0, other = 0;

		for (size_t k = 0; k < s.len; k++) {
			ndigit += s.ptr[k] == '9';
			other += s.ptr[k] != '9' && (!k || s.ptr[k - 1] == '9');
		}
		if (!has_foreign_sign(s) || !ndigit)
			continue;
		if (s.len == d.width && s.len - ndigit <= 2 && s.ptr[0] != 'A' &&
		    s.ptr[s.len - 1] != 'A')
			d.swapped += n;
		else if (other <= 2)
			d.added += n;
		else
			d.unlike += n;
	}
	return d;
}

/* "2A004", "2B033" among "13001": one place, one digit in front of the letter, and again and again. Corsica is 2A and 2B
 * in the codes of France, however rare. */
static bool is_scheme(const ag_path_profile *f, size_t width)
{
	size_t place = 0;
	uint64_t n = 0;
	char before = '\0';
	bool is_corsica = true;

	for (size_t i = 0; i < f->nvalue; i++) {
		const ag_str s = trimmed(ag_value_text(&f->values[i]));
		size_t at = 0;

		while (at < s.len && s.ptr[at] >= '0' && s.ptr[at] <= '9')
			at++;
		if (s.len != width || at == width)
			continue;
		if (!at || (s.ptr[at] < 'A' || s.ptr[at] > 'Z') ||
		    (n && (at != place || s.ptr[at - 1] != before)))
			return false;
		place = at;
		before = s.ptr[at - 1];
		n += f->values[i].n;
		is_corsica = is_corsica && at == 1 && before == '2' && s.ptr[at] <= 'B';
	}
	return n >= MIN_SCHEME || (n && is_corsica && width == 5);
}

#define NO_DIGIT "[^-+.0-9\\t-\\r ]"

/* Codes of digits of one width, some with a letter or a sign in them. */
static bool hurt_digits(AG_CHECK_ARGS)
{
	ag_arena *a = out->arena;
	const uint64_t silent = silent_texts(f), numbers = ag_path_numbers(f);
	const uint64_t said = (f->str.n > silent ? f->str.n - silent : 0) + numbers;
	const digit_codes d = digit_codes_of(p, f);
	ag_hypothesis *h;

	(void)o;
	/* A number of JSON among texts is of another type: row 5. A measure has its own rows. */
	if ((numbers && (!p->has_views || f->num.nint < f->num.n || f->num.nneg)) ||
	    (numbers && !ag_name_is_identifier(&out->name) && !f->str.nleading_zero &&
	     !(out->name.traits & (AG_TRAIT_CODE | AG_TRAIT_ZIP | AG_TRAIT_PHONE))))
		return false;
	/* Eight codes of one width show it: one or two of ten may be wrong. */
	if (d.digits < 8 || d.digits * 2 <= said || !d.width || d.same_width < 0.9 ||
	    d.swapped + d.added == 0 || d.unlike > d.swapped + d.added)
		return false;
	h = ag_suspect(out, f, "pattern_violation", AG_MEDIUM, 0.85,
	               ag_ev_where(a, f,
	                           ag_ev_regex(a, "[0-9].*" NO_DIGIT "|" NO_DIGIT ".*[0-9]", "")));
	if (!h)
		return false;
	/* Letters are usual in the postal codes of other countries, and "85123A" is a variant of a product: only a sign in the
	 * place of a digit is surely wrong. */
	ag_suspect_fix(h);
	if (d.swapped <= d.added || is_scheme(f, d.width) ||
	    (has_countries(p, f) && out->name.traits & AG_TRAIT_ZIP))
		h->severity = AG_LOW;
	ag_suspect_say(
		h, "a letter or a sign stands in a code of digits",
		"a typing error, a failed scan, or a unit written into the code",
		"correct these codes from their source, and accept only digits at the writer");
	return true;
}

/* ---- decimal commas ---- */

typedef struct decimals {
	uint64_t point, comma, whole;
} decimals;

static decimals decimals_of(const ag_path_profile *f)
{
	decimals d = { 0 };

	for (size_t i = 0; i < f->str.nform; i++) {
		const ag_str form = trimmed(f->str.forms[i].form);
		const uint64_t n = f->str.forms[i].n;
		const ag_str t = form.len && strchr("-+$", form.ptr[0])
		                         ? ag_str_make(form.ptr + 1, form.len - 1)
		                         : form;

		if (ag_str_eqc(t, "9.9") || ag_str_eqc(t, "9,9.9") || ag_str_eqc(t, "9,9,9.9"))
			d.point += n;
		else if (ag_str_eqc(t, "9,9") || ag_str_eqc(t, "9.9,9") || ag_str_eqc(t, "9.9.9,9"))
			d.comma += n;
		else if (ag_str_eqc(t, "9"))
			d.whole += n;
	}
	return d;
}

/* "1.234,50" among "1234.50". Three digits after a comma may be thousands, so they count for nobody. */
static bool mixed_decimals(AG_CHECK_ARGS)
{
	static const char *const regex[2] = {
		"^[^0-9]*[0-9.]*,([0-9]{1,2}|[0-9]{4,})[^0-9]*$",
		"^[^0-9]*[0-9,]*\\.([0-9]{1,2}|[0-9]{4,})[^0-9]*$",
	};
	const uint64_t silent = silent_texts(f), said = f->str.n > silent ? f->str.n - silent : 0;
	const decimals d = decimals_of(f);
	ag_hypothesis *h;

	(void)p;
	(void)o;
	if (ag_path_numbers(f) || said < 10 || !d.point || !d.comma ||
	    ag_share(d.point + d.comma + d.whole, said) < 0.9 ||
	    ag_name_is_identifier(&out->name) || ag_field_has_word(&out->name, "version"))
		return false;
	h = ag_suspect(out, f, "pattern_violation", AG_MEDIUM, 0.85,
	               ag_ev_where(out->arena, f,
	                           ag_ev_regex(out->arena, regex[d.comma > d.point], "")));
	if (!h)
		return false;
	h->max_share = 0.5;
	ag_suspect_say(h, "numbers are written with a decimal comma and with a decimal point",
	               "sources of two countries in one field",
	               "parse each notation on its own, and store numbers as numbers");
	h->detail = ag_str_printf(out->arena, "with a point %llu, with a comma %llu",
	                          (unsigned long long)d.point, (unsigned long long)d.comma);
	return true;
}

/* ---- the form of all others ---- */

/* From 5% a form is usual, unless it is the most frequent one in other separators or another case. */
static void settle_usual(ag_arena *a, const ag_path_profile *f, forms *fm)
{
	/* Four letters or digits at least: "a1" and "A-1" may be anything. */
	const bool has_top = is_structured(fm->v[0].text) && f->str.nshape_all == f->str.nshape &&
	                     f->str.shapes[0].n * 2 > fm->said &&
	                     bones(a, f->str.shapes[0].shape).len >= 4;

	for (size_t i = 0; i < fm->n; i++) {
		form_count *one = &fm->v[i];
		const bool near = i && has_top && one->n <= MOST_NEAR * (double)fm->said &&
		                  count_near(a, f, one->text, fm->by_case) == one->n;

		if (near) {
			fm->near += one->n;
			fm->derived = fm->derived ||
			              bones(a, one->text).len != bones(a, fm->v[0].text).len;
		}
		one->usual = !near && ag_share(one->n, fm->said) > 0.05;
		if (!one->usual)
			continue;
		fm->nusual++;
		fm->inside += one->n;
		fm->has_number |= is_number_form(one->text);
	}
}

static bool is_loose(const forms *fm)
{
	for (size_t i = 0; i < fm->n; i++)
		if (fm->v[i].usual && !is_structured(fm->v[i].text))
			return true;
	return false;
}

static bool is_asked(const ag_profile *p, const ag_path_profile *f, const ag_field_name *name)
{
	const uint64_t views = p->has_views ? f->num.n : 0;

	return f->str.n + views >= 10 && f->str.words < 4 &&
	       ag_share(f->str.n + views, ag_path_filled(f)) >= 0.9 &&
	       !(name->traits & AG_TRAIT_PROSE) && !ag_field_has_word(name, "version") &&
	       f->str.by_date[AG_DATE_NONE] * 2 >= f->str.n;
}

/* Times have a row of their own. "^1.2.0" and "1.2.0" are two ranges of versions, and both are right. */
static bool has_own_rules(ag_str form)
{
	return ag_str_contains(form, AG_S("9.9.9")) || ag_str_contains(form, AG_S("9:9"));
}

static void say_form(ag_arena *a, ag_hypothesis *h, const ag_path_profile *f, size_t nforms,
                     bool is_near)
{
	ag_suspect_fix(h);
	ag_suspect_say(
		h,
		is_near ? "one code is written in two forms, and these are the rarer ones"
			: "a few texts do not have the form of all others",
		"hand-made input, another numbering scheme, or values in the wrong field",
		"check these documents against their source, and check the form at the writer");
	h->detail = ag_str_printf(a, "%zu usual form%s, like \"%.*s\"", nforms,
	                          nforms == 1 ? "" : "s", AG_FMT(f->str.shapes[0].example));
}

/* The width is fixed, too: whatever has another one breaks it. */
static bool fixed_form(const ag_profile *p, const ag_path_profile *f, ag_hypotheses *out)
{
	ag_arena *a = out->arena;
	const ag_shape_count *fixed = fixed_shape(f, 0.97, 6);
	ag_hypothesis *h;

	if (f->str.n < 200 || !fixed || f->ndistinct <= 50 || ag_path_numbers(f) ||
	    fixed->n + silent_texts(f) >= f->str.n || is_growing(f, fixed))
		return false;
	h = ag_suspect(out, f, "pattern_violation", AG_MEDIUM, 0.7,
	               breaks(a, p, f, ag_shape_regex(a, fixed->shape), false));
	if (!h)
		return false;
	h->max_share = 0.05;
	say_form(a, h, f, 1, false);
	return true;
}

#define LONG_DIGITS 12
#define MIN_LONG    8    /* characters of a code that shows where it was cut */
#define MOST_CUT    0.45 /* of the codes */
#define ALL_KNOWN   0.97 /* of the codes are whole, or cut at one length */

/* Codes of one width, and others that end in the middle of it. */
static bool cut_codes(const ag_profile *p, const ag_path_profile *f, ag_hypotheses *out)
{
	ag_arena *a = out->arena;
	const ag_shape_count *whole = fixed_shape(f, 0.5, MIN_LONG);
	const uint64_t silent = silent_texts(f), said = f->str.n > silent ? f->str.n - silent : 0;
	uint64_t cut = 0;
	ag_hypothesis *h;

	if (!whole || f->ndistinct < 5 || ag_path_numbers(f) || f->str.n < 20 ||
	    (is_all_digits(whole->shape) && whole->shape.len < LONG_DIGITS))
		return false;
	for (size_t i = 1; i < f->str.nshape; i++) {
		const ag_str s = f->str.shapes[i].shape;

		if (s.len < 2 || s.len + 3 > whole->shape.len || !ag_str_starts(whole->shape, s))
			continue;
		cut = f->str.shapes[i].n;
		break;
	}
	if (cut < 2 || ag_share(cut, said) > MOST_CUT || ag_share(whole->n + cut, said) < ALL_KNOWN)
		return false;
	h = ag_suspect(out, f, "pattern_violation", AG_MEDIUM, 0.7,
	               breaks(a, p, f, ag_shape_regex(a, whole->shape), false));
	if (!h)
		return false;
	h->max_share = 0.5;
	say_form(a, h, f, 1, false);
	return true;
}

/* Is the damage sure? One form of all others in a larger collection, or one code in two forms. */
static ag_severity severity_of(const ag_path_profile *f, const forms *fm)
{
	const uint64_t broken = fm->said - fm->inside;

	/* "-2" may be a variant. */
	if (fm->derived && broken * 20 > fm->said)
		return AG_LOW;
	if (fm->nusual > 1 || f->ndistinct <= 50)
		return fm->near == broken && fixed_shape(f, 0.5, 6) ? AG_MEDIUM : AG_LOW;
	if (fm->said >= 200 && broken * 20 <= fm->said)
		return AG_MEDIUM;
	return fm->near == broken && fixed_shape(f, 0.5, 6) ? AG_MEDIUM : AG_LOW;
}

void ag_check_pattern(AG_CHECK_ARGS)
{
	ag_arena *a = out->arena;
	ag_hypothesis *h;
	forms fm;

	if (!f->str.n || !ag_path_is_plain(a, f) || !is_asked(p, f, &out->name))
		return;
	if (hurt_digits(p, f, o, out) || mixed_decimals(p, f, o, out))
		return;
	if (f->str.nform && has_own_rules(f->str.forms[0].form))
		return;
	if (out->name.traits & (AG_TRAIT_PHONE | AG_TRAIT_MONEY | AG_TRAIT_NUMERIC) ||
	    fixed_form(p, f, out) || cut_codes(p, f, out) || !forms_of(a, p, f, &fm))
		return;
	settle_usual(a, f, &fm);
	/* Forms that nobody can explain must be rare: 5%, and in a small collection one value in ten. */
	if (is_loose(&fm) || !fm.nusual || fm.nusual > MAX_USUAL || fm.inside >= fm.said ||
	    (double)(fm.said - fm.inside - fm.near) >
	            (fm.said < 200 ? 0.1 : 0.05) * (double)fm.said)
		return;
	/* A few values, or many in a small collection: a list, in which only another way of writing is wrong. */
	if (fm.near < fm.said - fm.inside && (f->ndistinct <= (fm.said < 200 ? fm.said / 2 : 50) ||
	                                      (fm.said < 200 && fm.nusual > 1)))
		return;
	h = ag_suspect(out, f, "pattern_violation", severity_of(f, &fm), 0.7,
	               breaks(a, p, f, usual_regex(a, f, &fm), fm.has_number));
	if (!h)
		return;
	h->max_share = fm.near ? 0.5 : 0.1;
	say_form(a, h, f, fm.nusual, fm.near > 0);
}
