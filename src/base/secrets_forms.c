/* secrets_forms -- how a secret looks after programs have passed it on.
 *
 * Encoders differ in what they leave alone, so each kind has variants; what comes out the same is given again, and
 * base/secrets.c keeps one. Base64 of a text depends on where it begins in the encoded bytes, modulo 3, and at both ends
 * on its neighbours: the characters that they share in are left out. */
#include "base/json.h"
#include "base/secrets.h"

/* The longest, a quote of six bytes for one, and two more when it is escaped again. */
#define MAX_FORM_BYTES (AG_SECRET_MAX_BYTES * 8)

typedef struct forms {
	ag_secret_form_fn *fn;
	void *arg;
	ag_buf form; /* the one that is being made */
} forms;

static void give(forms *f)
{
	if (!f->form.failed)
		f->fn(f->arg, ag_buf_view(&f->form));
	ag_buf_clear(&f->form);
}

/* --- escaped --- */

/* What an encoder writes for a character, beyond what JSON itself demands. */
typedef struct replacement {
	char c;
	const char *instead;
} replacement;

/* clang-format off */
static const replacement plain[] = { { 0, NULL } };
static const replacement slashes[] = { { '/', "\\/" }, { 0, NULL } };
/* JSON as Go and templates of web pages write it */
static const replacement html_safe[] = {
	{ '<', "\\u003c" }, { '>', "\\u003e" }, { '&', "\\u0026" }, { '\'', "\\u0027" }, { 0, NULL }
};
static const replacement html[] = {
	{ '<', "&lt;" }, { '>', "&gt;" }, { '&', "&amp;" }, { '"', "&quot;" }, { '\'', "&#39;" }, { 0, NULL }
};
/* clang-format on */

static void add_run(ag_buf *out, ag_str run, bool is_json)
{
	ag_buf quoted = AG_BUF_INIT(MAX_FORM_BYTES);

	if (!is_json) {
		ag_buf_add(out, run);
		return;
	}
	ag_json_quote(&quoted, run);
	if (quoted.failed)
		out->failed = true;
	else
		ag_buf_add(out, ag_str_make(quoted.ptr + 1, quoted.len - 2));
	ag_buf_release(&quoted);
}

static void give_escaped(forms *f, ag_str s, const replacement *table, bool is_json)
{
	size_t from = 0;

	for (size_t i = 0; i < s.len; i++) {
		const replacement *r = table;

		while (r->instead && r->c != s.ptr[i])
			r++;
		if (!r->instead)
			continue;
		add_run(&f->form, ag_str_make(s.ptr + from, i - from), is_json);
		ag_buf_adds(&f->form, r->instead);
		from = i + 1;
	}
	add_run(&f->form, ag_str_make(s.ptr + from, s.len - from), is_json);
	give(f);
}

/* JSON in a string of JSON: the result of a tool in a record of the call. */
static void give_escaped_twice(forms *f, ag_str s)
{
	ag_buf once = AG_BUF_INIT(MAX_FORM_BYTES);

	add_run(&once, s, true);
	if (!once.failed)
		give_escaped(f, ag_buf_view(&once), plain, true);
	ag_buf_release(&once);
}

/* --- percent-encoded --- */

static bool is_unreserved(char c) /* RFC 3986 */
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '-' || c == '.' || c == '_' || c == '~';
}

static void add_hex(ag_buf *out, unsigned char c, const char *digits)
{
	ag_buf_addc(out, digits[c >> 4]);
	ag_buf_addc(out, digits[c & 0xF]);
}

static void give_percent(forms *f, ag_str s, const char *left_alone, const char *digits)
{
	for (size_t i = 0; i < s.len; i++) {
		char c = s.ptr[i];

		if (is_unreserved(c) || (c && strchr(left_alone, c))) {
			ag_buf_addc(&f->form, c);
		} else {
			ag_buf_addc(&f->form, '%');
			add_hex(&f->form, (unsigned char)c, digits);
		}
	}
	give(f);
}

/* --- base64 --- */

/* The characters that the bytes of s alone decide, when the first of them begins at this bit of s. */
static void give_base64(forms *f, ag_str s, size_t bit, const char *last_two)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

	for (; bit + 6 <= 8 * s.len; bit += 6) {
		size_t i = bit / 8;
		unsigned next = i + 1 < s.len ? (unsigned char)s.ptr[i + 1] : 0;
		unsigned two = (unsigned)(unsigned char)s.ptr[i] << 8 | next;
		unsigned digit = two >> (10 - bit % 8) & 63;

		ag_buf_addc(&f->form, digit < 62 ? digits[digit] : last_two[digit - 62]);
	}
	give(f);
}

static void give_hex(forms *f, ag_str s, const char *digits)
{
	for (size_t i = 0; i < s.len; i++)
		add_hex(&f->form, (unsigned char)s.ptr[i], digits);
	give(f);
}

void ag_secret_forms(ag_str secret, ag_secret_form_fn *fn, void *arg)
{
	static const char *const hex[] = { "0123456789ABCDEF", "0123456789abcdef" };
	static const char *const left_alone[] = {
		"", "/", /* Python's quote() */
		"!*'()", /* encodeURIComponent() */
	};
	forms f = { .fn = fn, .arg = arg, .form = AG_BUF_INIT(MAX_FORM_BYTES) };

	fn(arg, secret);
	give_escaped(&f, secret, plain, true);
	give_escaped(&f, secret, slashes, true);
	give_escaped(&f, secret, html_safe, true);
	give_escaped(&f, secret, html, false);
	give_escaped_twice(&f, secret);
	for (size_t i = 0; i < AG_NELEM(hex); i++) {
		for (size_t j = 0; j < AG_NELEM(left_alone); j++)
			give_percent(&f, secret, left_alone[j], hex[i]);
		give_hex(&f, secret, hex[i]);
	}
	/* Behind 0, 2 and 1 bytes of something else, modulo 3. */
	for (size_t bit = 0; bit < 6; bit += 2) {
		give_base64(&f, secret, bit, "+/");
		give_base64(&f, secret, bit, "-_");
	}
	ag_buf_release(&f.form);
}
