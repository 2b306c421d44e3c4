/* mask -- decide by the field's name first, then by the look of the text; keep what is plainly a defect.
 *
 * Names are cut into words ("billingEmail", "first_name" -> first, name), because "filename" or "message" must
 * not count. Pairs of words are rows too ("first name"), since "name" alone is often a product's. */
#include "audit/mask.h"

#include <ctype.h>

#include "base/time.h"
#include "base/utf8.h"
#include "columns/mojibake.h"
#include "columns/textclass.h"
#include "guard/docquery.h"

#define MAX_WORDS 8
#define MAX_NEST  8

#define MASK_RUN   3  /* characters of one look in a row */
#define MASK_BYTES 40 /* of a masked text */

/* One word, or two neighbours. */
static const char *const personal[][2] = {
	{ "email", NULL },
	{ "mail", NULL },
	{ "phone", NULL },
	{ "mobile", NULL },
	{ "telephone", NULL },
	{ "tel", NULL },
	{ "fax", NULL },
	{ "street", NULL },
	{ "address", NULL },
	{ "addr", NULL },
	{ "ssn", NULL },
	{ "passport", NULL },
	{ "iban", NULL },
	{ "card", NULL },
	{ "birthday", NULL },
	{ "birth", NULL },
	{ "birthdate", NULL },
	{ "dob", NULL },
	{ "password", NULL },
	{ "passwd", NULL },
	{ "secret", NULL },
	{ "token", NULL },
	{ "apikey", NULL },
	{ "api", "key" },
	{ "surname", NULL },
	{ "firstname", NULL },
	{ "lastname", NULL },
	{ "fullname", NULL },
	{ "username", NULL },
	{ "first", "name" },
	{ "last", "name" },
	{ "full", "name" },
	{ "user", "name" },
	{ "given", "name" },
	{ "family", "name" },
	{ "middle", "name" },
	{ "customer", "name" },
	{ "contact", "name" },
	{ "maiden", "name" },
	{ "person", NULL },
	{ "license", "plate" },
	{ "national", "id" },
	{ "tax", "id" },
	{ "ip", NULL },
	{ "login", NULL },
	{ "e", "mail" },
	/* German */
	{ "telefon", NULL },
	{ "telefonnummer", NULL },
	{ "mobil", NULL },
	{ "strasse", NULL },
	{ "straße", NULL },
	{ "anschrift", NULL },
	{ "adresse", NULL },
	{ "geburtsdatum", NULL },
	{ "geburtstag", NULL },
	{ "geboren", NULL },
	{ "nachname", NULL },
	{ "vorname", NULL },
	{ "familienname", NULL },
	{ "ausweis", NULL },
	{ "kontonummer", NULL },
	{ "steuernummer", NULL },
	{ "passwort", NULL },
	{ "kennwort", NULL },
	{ "geheimnis", NULL },
	/* French */
	{ "courriel", NULL },
	{ "téléphone", NULL },
	{ "rue", NULL },
	{ "naissance", NULL },
	{ "prénom", NULL },
	{ "prenom", NULL },
	{ "passeport", NULL },
	{ "motdepasse", NULL },
	{ "mdp", NULL },
	{ "mot", "de" },
	{ "nir", NULL },
	/* Spanish */
	{ "correo", NULL },
	{ "teléfono", NULL },
	{ "telefono", NULL },
	{ "móvil", NULL },
	{ "movil", NULL },
	{ "celular", NULL },
	{ "calle", NULL },
	{ "dirección", NULL },
	{ "direccion", NULL },
	{ "domicilio", NULL },
	{ "nacimiento", NULL },
	{ "apellido", NULL },
	{ "apellidos", NULL },
	{ "pasaporte", NULL },
	{ "dni", NULL },
	{ "nif", NULL },
	{ "tarjeta", NULL },
	{ "contraseña", NULL },
	{ "contrasena", NULL },
	{ "secreto", NULL },
};

/* Fields that hold secrets: not even the shape is shown. */
static const char *const secret[] = { "password",   "passwd",     "secret",   "token",
	                              "apikey",     "passwort",   "kennwort", "geheimnis",
	                              "mdp",        "motdepasse", "passe",    "contraseña",
	                              "contrasena", "secreto",    "pwd" };

/* Whose "name" is a person's: words of the objects above it. */
static const char *const persons[] = {
	"address",    "author",   "billing", "contact",    "customer", "driver", "employee",
	"guest",      "guests",   "holder",  "member",     "members",  "owner",  "passenger",
	"passengers", "patient",  "payee",   "payer",      "people",   "person", "recipient",
	"sender",     "shipping", "student", "subscriber", "user",     "users",
};

/* Cut one name into lower-case words. */
static size_t words_of(ag_str name, char words[MAX_WORDS][32])
{
	size_t n = 0, len = 0;
	bool prev_lower = false;

	for (size_t i = 0; i < name.len && n < MAX_WORDS; i++) {
		const unsigned char c = (unsigned char)name.ptr[i];
		const bool is_letter = isalpha(c) || c >= 0x80;

		if (len && (!is_letter || (isupper(c) && prev_lower))) {
			words[n++][len] = '\0';
			len = 0;
			if (n == MAX_WORDS)
				return n;
		}
		if (is_letter && len < 31)
			words[n][len++] = (char)tolower(c);
		prev_lower = is_letter && !isupper(c);
	}
	if (len && n < MAX_WORDS)
		words[n++][len] = '\0';
	return n;
}

static bool is_personal_name(ag_str name)
{
	char words[MAX_WORDS][32];
	const size_t n = words_of(name, words);

	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < AG_NELEM(personal); k++) {
			if (strcmp(words[i], personal[k][0]) != 0)
				continue;
			if (!personal[k][1] || (i + 1 < n && !strcmp(words[i + 1], personal[k][1])))
				return true;
		}
	return false;
}

bool ag_mask_is_secret(ag_str path)
{
	char words[MAX_WORDS][32];
	ag_str name = AG_S("");
	size_t n;

	while (path.ptr)
		name = ag_str_split(&path, '.');
	n = words_of(name, words);
	for (size_t i = 0; i < n; i++) {
		if (i + 1 < n && !strcmp(words[i], "api") && !strcmp(words[i + 1], "key"))
			return true;
		for (size_t k = 0; k < AG_NELEM(secret); k++)
			if (!strcmp(words[i], secret[k]))
				return true;
	}
	return false;
}

static bool tells_of_a_person(ag_str name)
{
	char words[MAX_WORDS][32];
	const size_t n = words_of(name, words);

	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < AG_NELEM(persons); k++)
			if (!strcmp(words[i], persons[k]))
				return true;
	return false;
}

bool ag_mask_field(ag_str path)
{
	bool of_a_person = false;
	ag_str rest = path;

	while (rest.ptr) {
		const ag_str name = ag_str_split(&rest, '.');

		if (rest.ptr) {
			of_a_person = of_a_person || tells_of_a_person(name);
			continue;
		}
		return is_personal_name(name) ||
		       (of_a_person && (ag_str_eqc(name, "name") || ag_str_eqc(name, "Name")));
	}
	return false;
}

/* Digits in phone or card numbers: long runs with the usual separators and nothing else. */
static bool looks_like_number_of_person(ag_str s)
{
	size_t digits = 0, separators = 0;

	for (size_t i = 0; i < s.len; i++) {
		const char c = s.ptr[i];

		if (isdigit((unsigned char)c))
			digits++;
		else if (strchr(" -+().", c))
			separators++;
		else
			return false;
	}
	/* A bare run of digits is more often a number than a person; 13 to 19 of them is a card. */
	return (digits >= 13 && digits <= 19) ||
	       (digits >= 9 && separators > 0 && (s.ptr[0] == '+' || separators >= 2));
}

static bool looks_like_iban(ag_str s)
{
	if (s.len < 15 || s.len > 34 || !isupper((unsigned char)s.ptr[0]) ||
	    !isupper((unsigned char)s.ptr[1]) || !isdigit((unsigned char)s.ptr[2]) ||
	    !isdigit((unsigned char)s.ptr[3]))
		return false;
	for (size_t i = 4; i < s.len; i++)
		if (!isupper((unsigned char)s.ptr[i]) && !isdigit((unsigned char)s.ptr[i]))
			return false;
	return true;
}

/* An e-mail address anywhere in the text. */
static bool holds_email(ag_str s)
{
	for (size_t i = 1; i + 3 < s.len; i++)
		if (s.ptr[i] == '@' && !isspace((unsigned char)s.ptr[i - 1]) &&
		    (isalnum((unsigned char)s.ptr[i + 1])))
			return true;
	return false;
}

/* What no person is called: empty, blank, a null word, one character. */
static bool is_plain_defect(ag_str s)
{
	return ag_str_trim(s).len <= 1 || (ag_text_classify(s) & (1u << AG_TEXT_NULL_WORD));
}

/* The first and last day of some date type: nobody's date. */
static bool is_sentinel_day(int64_t ms)
{
	static const ag_civil days[] = {
		{ 1, 1, 1, 0, 0, 0, 0 },      { 1899, 12, 30, 0, 0, 0, 0 },
		{ 1900, 1, 1, 0, 0, 0, 0 },   { 1970, 1, 1, 0, 0, 0, 0 },
		{ 2099, 12, 31, 0, 0, 0, 0 }, { 9999, 12, 31, 0, 0, 0, 0 },
	};

	for (size_t i = 0; i < AG_NELEM(days); i++)
		if (ms == ag_time_from_civil(&days[i]))
			return true;
	return false;
}

/* What a character looks like: a letter, a digit, itself. A character beyond ASCII counts as a letter. */
static char look_of(unsigned char c)
{
	if (c >= 0x80)
		return 'a';
	if (isdigit(c))
		return '9';
	if (isalpha(c))
		return isupper(c) ? 'A' : 'a';
	return (char)c;
}

/* "ann7@example.org" as "aaa9@aaa.aaa": the shape without the value. Of a run of one look at most MASK_RUN are shown, so
 * that neither lengths nor repeated values can be told apart. Padding stays visible, and letters that were decoded wrongly:
 * they are often the defect itself. */
static ag_val masked_text(ag_str s, ag_arena *arena)
{
	ag_buf out = AG_BUF_INIT(MASK_BYTES + 8);
	unsigned run = 0;
	char last = '\0';
	size_t end = 0, broken = ag_text_classify(s) >> AG_TEXT_MOJIBAKE & 1
	                                 ? ag_text_next_mojibake(s, 0, &end)
	                                 : s.len;
	ag_val ret;

	for (size_t i = 0; i < s.len; i++) {
		const unsigned char c = (unsigned char)s.ptr[i];
		const char look = look_of(c);

		if (i == broken && out.len + (end - i) <= MASK_BYTES) {
			ag_buf_add(&out, ag_str_make(s.ptr + i, end - i));
			i = end - 1;
			last = '\0';
			broken = ag_text_next_mojibake(s, end, &end);
			continue;
		}
		if ((c & 0xC0) == 0x80) /* the rest of a character */
			continue;
		run = look == last ? run + 1 : 1;
		last = look;
		if (run > MASK_RUN)
			continue;
		if (out.len >= MASK_BYTES) {
			ag_buf_adds(&out, "…");
			break;
		}
		ag_buf_addc(&out, look);
	}
	ret = ag_val_str(ag_buf_dup(arena, &out));
	ag_buf_release(&out);
	return ret;
}

/* Types that hold a secret as well as a text does. */
static bool is_opaque(unsigned type)
{
	return type == AG_T_BINARY || type == AG_T_CODE || type == AG_T_CODE_W_SCOPE ||
	       type == AG_T_SYMBOL || type == AG_T_REGEX;
}

static ag_val mask(ag_str path, bool personal_field, const ag_val *v, ag_arena *arena, int nest)
{
	if (v->type == AG_T_STRING) {
		const ag_str s = ag_val_text(v);

		if (is_plain_defect(s))
			return *v;
		if (ag_mask_is_secret(path))
			return ag_val_str(AG_S("•••"));
		if (personal_field || holds_email(s) || looks_like_number_of_person(s) ||
		    looks_like_iban(s))
			return masked_text(s, arena);
		return *v;
	}
	if (personal_field && v->type == AG_T_DATE && !is_sentinel_day(v->u.i))
		return ag_val_str(AG_S("•••"));
	if (personal_field && is_opaque(v->type))
		return ag_val_str(AG_S("•••"));
	if (personal_field && ag_type_is_number(v->type)) {
		const double x = ag_val_number(v);

		/* Phone and card numbers held as numbers; small numbers are codes or defects. */
		return x >= 1e6 || x <= -1e6 ? ag_val_str(AG_S("•••")) : *v;
	}
	if (v->type == AG_T_OBJECT && nest < MAX_NEST) {
		ag_member *m = ag_new_n(arena, ag_member, v->n);

		for (uint32_t i = 0; i < v->n; i++) {
			const ag_str name = v->u.members[i].key;
			/* A "name" is a person's below a customer. */
			const ag_str below = path.len ? ag_str_printf(arena, "%.*s.%.*s",
			                                              AG_FMT(path), AG_FMT(name))
			                              : name;

			m[i].key = name;
			m[i].val = mask(below, personal_field || ag_mask_field(below),
			                &v->u.members[i].val, arena, nest + 1);
		}
		return ag_val_object(m, v->n);
	}
	if (v->type == AG_T_ARRAY && nest < MAX_NEST) {
		ag_val *items = ag_new_n(arena, ag_val, v->n);

		for (uint32_t i = 0; i < v->n; i++)
			items[i] = mask(path, personal_field, &v->u.items[i], arena, nest + 1);
		return ag_val_array(items, v->n);
	}
	if (nest >= MAX_NEST && (v->type == AG_T_OBJECT || v->type == AG_T_ARRAY))
		return ag_val_str(AG_S("•••"));
	return *v;
}

ag_val ag_mask_val(ag_str path, const ag_val *v, ag_arena *arena)
{
	return mask(path, ag_mask_field(path), v, arena, 0);
}

bool ag_mask_quotes(ag_str field, ag_str text)
{
	const ag_val v = ag_val_str(text);
	ag_arena *arena = ag_arena_new();
	const ag_val masked = mask(AG_S(""), false, &v, arena, 0);
	const bool looks_personal = !ag_str_eq(ag_val_text(&masked), text);

	ag_arena_free(arena);
	return looks_personal || (ag_mask_field(field) && ag_str_contains(text, AG_S("\"")));
}

ag_str ag_mask_query_field(const ag_val *query, ag_arena *arena)
{
	const ag_str *paths;
	ag_safe_query q;
	ag_err ignored;
	bool whole;
	size_t n;

	if (ag_docquery_check(query, arena, &q, &ignored))
		return AG_S("");
	if (q.filter)
		ag_filter_paths(q.filter, arena, &paths, &n);
	else
		ag_pipeline_paths(q.pipeline, arena, &paths, &n, &whole);
	for (size_t i = 0; i < n; i++)
		if (ag_mask_field(paths[i]))
			return paths[i];
	return AG_S("");
}
