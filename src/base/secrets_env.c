/* secrets_env -- which values of a .env file are secrets.
 *
 * Only the program that reads such a file knows what it takes for a value, so every reading is given: with and without a
 * comment behind it, as it is quoted and with its \n made into line breaks, over several lines when a quote stays open.
 * What would punch holes into ordinary text is left out: paths, numbers, names of variables, placeholders, addresses, and
 * the passwords that ship with products, which are words of their documentation.
 *
 * Read ag_secrets_of_env first. */
#include "base/secrets.h"

#define MIN_VALUE_BYTES 8
#define RANDOM_BYTES    16 /* a part of a path as long as this that looks random is none */

typedef struct taker {
	ag_secret_form_fn *fn;
	void *arg;
} taker;

/* What is longer than the list holds is given in pieces, which are hidden as one where they stand together. */
static void give(const taker *t, ag_str secret)
{
	while (secret.len > AG_SECRET_MAX_BYTES) {
		size_t rest = secret.len - AG_SECRET_MAX_BYTES;

		t->fn(t->arg, ag_str_make(secret.ptr, AG_SECRET_MAX_BYTES));
		if (rest < AG_SECRET_MAX_BYTES) /* the last is the last so many bytes */
			rest = AG_SECRET_MAX_BYTES;
		secret = ag_str_make(secret.ptr + secret.len - rest, rest);
	}
	t->fn(t->arg, secret);
}

static bool is_upper(char c)
{
	return c >= 'A' && c <= 'Z';
}

static bool is_lower(char c)
{
	return c >= 'a' && c <= 'z';
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* --- names --- */

static bool contains_folded(ag_str s, ag_str part)
{
	for (size_t i = 0; i + part.len <= s.len; i++) {
		if (ag_str_ieq(ag_str_make(s.ptr + i, part.len), part))
			return true;
	}
	return false;
}

static bool is_secret_name(ag_str name)
{
	static const ag_str parts[] = { AG_S_INIT("KEY"),        AG_S_INIT("SECRET"),
		                        AG_S_INIT("TOKEN"),      AG_S_INIT("PASSWORD"),
		                        AG_S_INIT("PASSWD"),     AG_S_INIT("PASSPHRASE"),
		                        AG_S_INIT("CREDENTIAL"), AG_S_INIT("PRIVATE") };
	static const ag_str words[] = { AG_S_INIT("PASS"), AG_S_INIT("PWD") };

	for (size_t i = 0; i < AG_NELEM(parts); i++) {
		if (contains_folded(name, parts[i]))
			return true;
	}
	while (name.ptr) {
		ag_str word = ag_str_split(&name, '_');

		for (size_t i = 0; i < AG_NELEM(words); i++) {
			if (ag_str_ieq(word, words[i]))
				return true;
		}
	}
	return false;
}

/* --- values --- */

/* Long, and of capitals, small letters and digits: the output of a generator. */
static bool looks_random(ag_str s)
{
	bool upper = false, lower = false, digit = false;

	for (size_t i = 0; i < s.len; i++) {
		upper = upper || is_upper(s.ptr[i]);
		lower = lower || is_lower(s.ptr[i]);
		digit = digit || is_digit(s.ptr[i]);
	}
	return s.len >= RANDOM_BYTES && upper && lower && digit;
}

/* Base64 may begin with a slash, too. */
static bool is_path(ag_str v)
{
	if (!ag_str_starts(v, AG_S("/")) && !ag_str_starts(v, AG_S("./")) &&
	    !ag_str_starts(v, AG_S("../")) && !ag_str_starts(v, AG_S("~/")))
		return false;
	for (size_t i = 0; i < v.len; i++) {
		if (v.ptr[i] == '+' || v.ptr[i] == '=')
			return false;
	}
	while (v.ptr) {
		if (looks_random(ag_str_split(&v, '/')))
			return false;
	}
	return true;
}

static bool is_number(ag_str v)
{
	for (size_t i = 0; i < v.len; i++) {
		if (!is_digit(v.ptr[i]) && !strchr("+-., ", v.ptr[i]))
			return false;
	}
	return true;
}

/* $NAME, ${NAME...}, or NAME_WITH_CAPITALS, which a random text is not: it has no "_". */
static bool is_variable(ag_str v)
{
	if (ag_str_starts(v, AG_S("$")))
		return ag_str_starts(v, AG_S("${")) || (v.len > 1 && is_upper(v.ptr[1]));
	for (size_t i = 0; i < v.len; i++) {
		if (!is_upper(v.ptr[i]) && !is_digit(v.ptr[i]) && v.ptr[i] != '_')
			return false;
	}
	return ag_str_find(v, '_') > 0;
}

/* Passwords that everybody knows and that are words of documentation; to hide them would hide the documentation. */
static bool is_common(ag_str v)
{
	static const char *const words[] = { "changeme",   "default",  "docker",    "elastic",
		                             "example",    "keycloak", "localhost", "minioadmin",
		                             "mongodb",    "oracle",   "password",  "postgres",
		                             "postgresql", "rabbitmq", "secret",    "sqlserver" };

	for (size_t i = 0; i < AG_NELEM(words); i++) {
		if (ag_str_ieq(v, ag_str_c(words[i])))
			return true;
	}
	return false;
}

static bool is_plain(ag_str v)
{
	bool is_placeholder = ag_str_starts(v, AG_S("<")) && ag_str_ends(v, AG_S(">"));

	return is_placeholder || is_path(v) || is_number(v) || is_variable(v) || is_common(v);
}

static void take_value(const taker *t, ag_str v)
{
	if (v.len >= MIN_VALUE_BYTES && !is_plain(v))
		give(t, v);
}

/* --- addresses --- */

typedef struct address {
	ag_str scheme, user, password, host, path; /* as they are written; path without its slash */
} address;

/* How many bytes of "user:password@host/path" stand before the "@" that ends the password. It is the last one before the
 * path; but people forget to encode a slash. */
static size_t login_len(ag_str s)
{
	size_t in_host = 0, last = 0, i = 0;

	for (; i < s.len && !strchr("/?#", s.ptr[i]); i++)
		in_host = s.ptr[i] == '@' ? i : in_host;
	for (last = in_host; i < s.len && !in_host; i++)
		last = s.ptr[i] == '@' ? i : last;
	return last;
}

static bool read_address(ag_str v, address *ret)
{
	ptrdiff_t colon = ag_str_find(v, ':');
	ag_str rest, login;

	if (colon < 1 ||
	    !ag_str_starts(ag_str_make(v.ptr + colon, v.len - (size_t)colon), AG_S("://")))
		return false;
	memset(ret, 0, sizeof(*ret));
	ret->scheme = ag_str_make(v.ptr, (size_t)colon);
	rest = ag_str_make(v.ptr + colon + 3, v.len - (size_t)colon - 3);
	login = ag_str_make(rest.ptr, login_len(rest));
	if (login.len) {
		rest = ag_str_make(rest.ptr + login.len + 1, rest.len - login.len - 1);
		ret->user = ag_str_split(&login, ':');
		ret->password = login;
	}
	rest = ag_str_split(&rest, '?');
	ret->host = ag_str_split(&rest, '/');
	ret->host = ag_str_split(&ret->host, ':');
	ret->path = rest;
	return true;
}

static int hex_value(char c)
{
	if (is_digit(c))
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* What the server is told, without percent signs. */
static void take_decoded(const taker *t, ag_str s)
{
	ag_buf out = AG_BUF_INIT(AG_SECRET_MAX_BYTES);

	for (size_t i = 0; i < s.len; i++) {
		bool is_hex = s.ptr[i] == '%' && i + 2 < s.len && hex_value(s.ptr[i + 1]) >= 0 &&
		              hex_value(s.ptr[i + 2]) >= 0;

		ag_buf_addc(&out,
		            is_hex ? (char)(hex_value(s.ptr[i + 1]) * 16 + hex_value(s.ptr[i + 2]))
		                   : s.ptr[i]);
		i += is_hex ? 2 : 0;
	}
	if (!out.failed && out.len != s.len)
		give(t, ag_buf_view(&out));
	ag_buf_release(&out);
}

/* A password that is also the user's name, or that of the database, is no secret: it stands everywhere. */
static bool is_word_of(ag_str password, const address *a)
{
	return ag_str_eq(password, a->user) || ag_str_eq(password, a->host) ||
	       ag_str_eq(password, a->path) || ag_str_ieq(password, a->scheme);
}

static void take_address(const taker *t, const address *a)
{
	if (!a->password.len && looks_random(a->user)) /* https://TOKEN@host */
		give(t, a->user);
	if (!a->password.len || is_common(a->password) || is_variable(a->password) ||
	    is_word_of(a->password, a))
		return;
	give(t, a->password);
	take_decoded(t, a->password);
}

/* host=db password=..., AccountEndpoint=...;AccountKey=..., ?user=me&password=... */
static void take_pairs(const taker *t, ag_str v)
{
	while (v.len) {
		size_t n = 0;
		ag_str name, value;

		while (n < v.len && !strchr("&;? ", v.ptr[n]))
			n++;
		value = ag_str_make(v.ptr, n);
		name = ag_str_split(&value, '=');
		if (value.len && is_secret_name(name))
			take_value(t, value);
		n += n < v.len;
		v = ag_str_make(v.ptr + n, v.len - n);
	}
}

/* --- lines --- */

/* "\n" between double quotes is a line break to some. */
static void take_unescaped(const taker *t, ag_str v)
{
	ag_buf out = AG_BUF_INIT(AG_SECRET_MAX_BYTES);

	for (size_t i = 0; i < v.len; i++) {
		bool is_escaped = v.ptr[i] == '\\' && i + 1 < v.len;

		i += is_escaped;
		ag_buf_addc(&out, is_escaped && v.ptr[i] == 'n' ? '\n' : v.ptr[i]);
	}
	if (!out.failed && out.len != v.len)
		take_value(t, ag_buf_view(&out));
	ag_buf_release(&out);
}

static void take(const taker *t, ag_str name, ag_str v)
{
	address a;

	if (read_address(v, &a))
		take_address(t, &a);
	else if (is_secret_name(name))
		take_value(t, v);
	take_pairs(t, v);
}

/* The end of a value that begins with a quote, behind its last character; 0 = the quote stays open. */
static size_t closing(ag_str v)
{
	for (size_t i = 1; i < v.len; i++) {
		if (v.ptr[i] == v.ptr[0])
			return i;
		if (v.ptr[i] == '\\' && v.ptr[0] == '"')
			i++;
	}
	return 0;
}

static void take_readings(const taker *t, ag_str name, ag_str v)
{
	bool is_quoted = v.len > 1 && (v.ptr[0] == '"' || v.ptr[0] == '\'');
	size_t end = is_quoted ? closing(v) : 0;
	ptrdiff_t comment;

	if (end) {
		ag_str inner = ag_str_make(v.ptr + 1, end - 1);

		take(t, name, inner);
		if (is_secret_name(name))
			take_unescaped(t, inner);
		return;
	}
	take(t, name, v);
	if (is_quoted)
		take(t, name, ag_str_make(v.ptr + 1, v.len - 1));
	comment = ag_str_find(v, '#');
	if (comment > 0 && strchr(" \t", v.ptr[comment - 1]))
		take(t, name, ag_str_trim(ag_str_make(v.ptr, (size_t)comment)));
}

/* The value goes on over lines when its quote stays open on the first and is closed later, not too far below. */
static ag_str over_lines(ag_str value, ag_str *rest)
{
	bool is_quoted = value.len && (value.ptr[0] == '"' || value.ptr[0] == '\'');
	ag_str far;
	size_t end;

	if (!is_quoted || closing(value) || !rest->ptr)
		return value;
	far = ag_str_make(value.ptr, (size_t)(rest->ptr + rest->len - value.ptr));
	if (far.len > AG_SECRET_MAX_BYTES)
		far.len = AG_SECRET_MAX_BYTES;
	end = closing(far);
	if (end <= value.len)
		return value;
	*rest = ag_str_make(far.ptr + end + 1, (size_t)(rest->ptr + rest->len - far.ptr) - end - 1);
	return ag_str_make(value.ptr, end + 1);
}

void ag_secrets_of_env(ag_str text, ag_secret_form_fn *fn, void *arg)
{
	const taker t = { fn, arg };

	if (ag_str_starts(text, AG_S("\xEF\xBB\xBF")))
		text = ag_str_make(text.ptr + 3, text.len - 3);
	while (text.len) {
		ag_str value = ag_str_trim(ag_str_split(&text, '\n')), name;

		if (!value.len || value.ptr[0] == '#' || ag_str_find(value, '=') < 0)
			continue;
		name = ag_str_trim(ag_str_split(&value, '='));
		take_readings(&t, name, over_lines(ag_str_trim(value), &text));
	}
}
