/* credential -- see the header. An address is cut by its signs alone, not parsed: what kind of database it names is told
 * later, by whoever opens it, and then the password is not in it any more. */
#include "project/credential.h"

#include <string.h>

#include "base/fernet.h"
#include "base/log.h"

#define ORIGIN     "project.credential"
#define MAX_SECRET (1u << 20) /* bytes of a password */

static int hex(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* Without "%40" and its like; false when that is not what stands there. */
static bool decode(ag_str s, ag_arena *arena, ag_str *ret)
{
	char *to = ag_arena_alloc(arena, s.len + 1);
	size_t n = 0;

	for (size_t i = 0; i < s.len; i++) {
		int c = (unsigned char)s.ptr[i];

		if (c == '%') {
			const int high = i + 2 < s.len ? hex(s.ptr[i + 1]) : -1;
			const int low = i + 2 < s.len ? hex(s.ptr[i + 2]) : -1;

			c = high >= 0 && low >= 0 ? high * 16 + low : 0;
			i += 2;
		}
		if (!c)
			return false;
		to[n++] = (char)c;
	}
	*ret = ag_str_make(to, n);
	return true;
}

static ag_status not_encoded(ag_err *err)
{
	ag_fail(err, AG_INVALID, ORIGIN, "the address is not percent-encoded as it should be");
	return ag_err_hint(err, "in a password write %% as %%25, @ as %%40, / as %%2F; or give it "
	                        "with --password-file");
}

/* Adds the parameters but password=, whose value is *ret. PostgreSQL decodes their names as well. */
static ag_status take_parameters(ag_str query, ag_arena *arena, ag_buf *out, ag_str *ret,
                                 ag_err *err)
{
	char sign = '?';

	while (query.len) {
		const ag_str one = ag_str_split(&query, '&');
		ag_str value = one, name = ag_str_split(&value, '=');

		if (!one.len) /* "a&&b" */
			continue;
		if (!decode(name, arena, &name))
			return not_encoded(err);
		if (ag_str_eqc(name, "sslpassword")) {
			ag_fail(err, AG_INVALID, ORIGIN, "sslpassword cannot be kept encrypted");
			return ag_err_hint(err, "use a client key that needs no password");
		}
		if (!ag_str_eqc(name, "password")) {
			ag_buf_addc(out, sign);
			ag_buf_add(out, one);
			sign = '&';
			continue;
		}
		if (ret->len)
			return ag_fail(err, AG_INVALID, ORIGIN, "the address has two passwords");
		if (!decode(value, arena, ret))
			return not_encoded(err);
	}
	return AG_OK;
}

static bool is_scheme(ag_str s)
{
	for (size_t i = 0; i < s.len; i++) {
		if (!(s.ptr[i] >= 'a' && s.ptr[i] <= 'z') && !(s.ptr[i] >= 'A' && s.ptr[i] <= 'Z'))
			return false;
	}
	return s.len > 0;
}

static ag_status take(ag_str uri, ag_arena *arena, ag_buf *out, ag_str *ret, ag_err *err)
{
	const ptrdiff_t colon = ag_str_find(uri, ':');
	size_t begin, end, at = 0, pass = 0;
	ag_status st = AG_OK;

	/* sqlite:PATH has no user, and a ? there is part of a name. What is no address at all is refused by others. */
	if (colon < 0 || (size_t)colon + 3 > uri.len || memcmp(uri.ptr + colon, "://", 3) != 0 ||
	    !is_scheme(ag_str_make(uri.ptr, (size_t)colon))) {
		ag_buf_add(out, uri);
		return AG_OK;
	}
	begin = end = (size_t)colon + 3;
	for (; end < uri.len && !memchr("/?#", uri.ptr[end], 3); end++) {
		if (uri.ptr[end] == '@')
			at = end;
	}
	for (size_t i = begin; i < at && !pass; i++)
		pass = uri.ptr[i] == ':' ? i : 0;
	if (pass) {
		if (!decode(ag_str_make(uri.ptr + pass + 1, at - pass - 1), arena, ret))
			return not_encoded(err);
		ag_buf_add(out, ag_str_make(uri.ptr, pass));
		begin = at;
	} else {
		begin = 0;
	}
	for (end = begin; end < uri.len && uri.ptr[end] != '?'; end++)
		;
	ag_buf_add(out, ag_str_make(uri.ptr + begin, end - begin));
	if (end < uri.len)
		st = take_parameters(ag_str_make(uri.ptr + end + 1, uri.len - end - 1), arena, out,
		                     ret, err);
	return st;
}

ag_status ag_credential_take(ag_str uri, ag_arena *arena, ag_str *ret_uri, ag_str *ret_password,
                             ag_err *err)
{
	ag_buf out = AG_BUF_INIT(1 << 20);
	ag_str password = AG_S("");
	ag_status st = take(uri, arena, &out, &password, err);

	if (!st && out.failed)
		st = ag_fail(err, AG_LIMIT, ORIGIN, "the address is longer than 1 MiB");
	if (!st) {
		ag_log_redact(password);
		*ret_uri = ag_buf_dup(arena, &out);
		*ret_password = password;
	}
	ag_buf_release(&out);
	return st;
}

ag_status ag_credential_seal(ag_str key, ag_str password, int64_t wall_ms, ag_arena *arena,
                             ag_str *ret, ag_err *err)
{
	AG_AUTO(ag_buf_release) ag_buf token = AG_BUF_INIT(4u << 20);
	ag_fernet_key k;
	ag_status st;

	if (!key.len) {
		ag_fail(err, AG_DENIED, ORIGIN,
		        "a password is only kept encrypted, and DB_CREDENTIAL_KEY is not set");
		return ag_err_hint(err,
		                   "`argus project key` prints a new key: set it in the "
		                   "environment, and keep it: without it the password is lost");
	}
	st = ag_fernet_key_read(key, &k, err);
	if (!st)
		st = ag_fernet_seal(&k, password, wall_ms, &token, err);
	explicit_bzero(&k, sizeof(k));
	if (!st)
		*ret = ag_buf_dup(arena, &token);
	return st;
}

ag_status ag_credential_open(ag_str key, ag_str sealed, ag_str project, ag_arena *arena,
                             ag_str *ret, ag_err *err)
{
	ag_buf plain = AG_BUF_INIT(MAX_SECRET);
	ag_fernet_key k;
	ag_status st;

	if (!key.len) {
		ag_fail(err, AG_DENIED, ORIGIN,
		        "the password of project %.*s is encrypted and DB_CREDENTIAL_KEY is not set",
		        AG_FMT(project));
		return ag_err_hint(err, "set the key that was there when the project was added");
	}
	st = ag_fernet_key_read(key, &k, err);
	if (!st)
		st = ag_fernet_open(&k, sealed, &plain, err);
	if (st == AG_DENIED || st == AG_INVALID) {
		st = ag_fail(
			err, AG_DENIED, ORIGIN,
			"the password of project %.*s cannot be decrypted with this DB_CREDENTIAL_KEY",
			AG_FMT(project));
		ag_err_hint(err, "set the key that was there when the project was added");
	}
	explicit_bzero(&k, sizeof(k));
	if (!st) {
		*ret = ag_buf_dup(arena, &plain);
		ag_log_redact(*ret);
	}
	if (plain.ptr)
		explicit_bzero(plain.ptr, plain.cap);
	ag_buf_release(&plain);
	return st;
}

ag_str ag_credential_put(ag_str uri, ag_str password, ag_arena *arena)
{
	static const char safe[] = "-._~";
	ag_buf out = AG_BUF_INIT(1u << 20);
	const ptrdiff_t colon = ag_str_find(uri, ':');
	size_t at = 0, end;
	ag_str ret = uri;

	if (colon < 0 || (size_t)colon + 3 > uri.len || !password.len)
		return uri;
	for (end = (size_t)colon + 3; end < uri.len && !memchr("/?#", uri.ptr[end], 3); end++)
		if (uri.ptr[end] == '@')
			at = end;
	if (!at)
		return uri;
	ag_buf_add(&out, ag_str_make(uri.ptr, at));
	ag_buf_addc(&out, ':');
	for (size_t i = 0; i < password.len; i++) {
		const unsigned char c = (unsigned char)password.ptr[i];
		const bool is_plain = (c >= '0' && c <= '9') ||
		                      ((c | 32) >= 'a' && (c | 32) <= 'z') || strchr(safe, c);

		ag_buf_addf(&out, is_plain ? "%c" : "%%%02X", c);
	}
	ag_buf_add(&out, ag_str_make(uri.ptr + at, uri.len - at));
	if (!out.failed)
		ret = ag_buf_dup(arena, &out);
	ag_buf_release(&out);
	return ret;
}
