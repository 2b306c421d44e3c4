/* token -- see parts.h. Errors name the claim and never quote it: they go to a log. */
#include "oidc/parts.h"

#include <math.h>

#include "base/base64.h"

#define ORIGIN    "oidc.token"
#define MAX_AGE_S 600.0 /* a token comes fresh, with the code */
#define MAX_TIME  1e11  /* seconds: the year 5138 */

static ag_status refuse(ag_err *err, const char *why)
{
	return ag_fail(err, AG_DENIED, ORIGIN, "the ID token is refused: %s", why);
}

/* --- its parts --- */

static bool read_part(ag_str text, ag_arena *arena, ag_str *ret)
{
	AG_AUTO(ag_buf_release) ag_buf bytes = AG_BUF_INIT(AG_OIDC_MAX_TOKEN);

	if (!text.len || ag_str_find(text, '=') >= 0 || !ag_base64url_read(text, &bytes))
		return false;
	*ret = ag_buf_dup(arena, &bytes);
	return true;
}

static bool read_object(ag_str text, ag_arena *arena, ag_val *ret)
{
	ag_str json;

	return read_part(text, arena, &json) && !ag_oidc_read_json(json, "", arena, ret, NULL);
}

static ag_status read_head(const ag_val *head, ag_oidc_token *ret, ag_err *err)
{
	const ag_str alg = ag_val_member_str(head, "alg");
	const ag_val *key = ag_val_getc(head, "kid");

	if (ag_str_eqc(alg, "RS256"))
		ret->alg = AG_SIGNATURE_RS256;
	else if (ag_str_eqc(alg, "ES256"))
		ret->alg = AG_SIGNATURE_ES256;
	else
		return refuse(err, "its algorithm is neither RS256 nor ES256");
	if (ag_val_getc(head, "crit"))
		return refuse(err, "it has critical header members, which are not understood");
	if (key && key->type != AG_T_STRING)
		return refuse(err, "its key id is no text");
	ret->key_id = key ? ag_val_text(key) : AG_S("");
	return AG_OK;
}

ag_status ag_oidc_token_read(ag_str text, ag_arena *arena, ag_oidc_token *ret, ag_err *err)
{
	ag_str rest = text;
	ag_str head, body;
	ag_val v;
	ag_status st;

	*ret = (ag_oidc_token){ .alg = AG_SIGNATURE_RS256 };
	if (text.len > AG_OIDC_MAX_TOKEN)
		return refuse(err, "it is longer than 32 KiB");
	head = ag_str_split(&rest, '.');
	if (!rest.ptr)
		return refuse(err, "it has not three parts");
	body = ag_str_split(&rest, '.');
	if (!rest.ptr || ag_str_find(rest, '.') >= 0)
		return refuse(err, "it has not three parts");
	if (!read_object(head, arena, &v))
		return refuse(err, "its header is no JSON object");
	st = read_head(&v, ret, err);
	if (st)
		return st;
	if (!read_object(body, arena, &ret->claims))
		return refuse(err, "its claims are no JSON object");
	if (!read_part(rest, arena, &ret->signature))
		return refuse(err, "its signature is no base64url");
	ret->text = ag_str_make(text.ptr, head.len + 1 + body.len);
	return AG_OK;
}

/* --- its claims --- */

static bool is_text(const ag_val *claims, const char *name, ag_str value)
{
	const ag_val *v = ag_val_getc(claims, name);

	return v && v->type == AG_T_STRING && ag_str_eq(ag_val_text(v), value);
}

/* Seconds since 1970. False: it is there, and is no such number. */
static bool read_time(const ag_val *claims, const char *name, bool *ret_there, double *ret)
{
	const ag_val *v = ag_val_getc(claims, name);

	*ret_there = v != NULL;
	*ret = 0;
	if (!v)
		return true;
	if (!ag_type_is_number(v->type))
		return false;
	*ret = ag_val_number(v);
	return isfinite(*ret) && *ret >= 0 && *ret <= MAX_TIME;
}

static ag_status check_times(const ag_val *claims, const ag_oidc_want *want, ag_err *err)
{
	const double now = (double)want->now_ms / 1000, skew = (double)want->skew_ms / 1000;
	double ends, begins, made;
	bool has_end, has_begin, is_dated;

	if (!read_time(claims, "exp", &has_end, &ends) ||
	    !read_time(claims, "nbf", &has_begin, &begins) ||
	    !read_time(claims, "iat", &is_dated, &made))
		return refuse(err, "exp, nbf or iat is no time");
	if (!has_end || !is_dated)
		return refuse(err, "exp or iat is missing");
	if (now >= ends + skew)
		return refuse(err, "it has expired (exp); is a clock wrong?");
	if (has_begin && now + skew < begins)
		return refuse(err, "it is not valid yet (nbf); is a clock wrong?");
	if (now + skew < made)
		return refuse(err, "it was made in the future (iat); is a clock wrong?");
	if (now - skew > made + MAX_AGE_S)
		return refuse(err, "it was made more than ten minutes ago (iat)");
	return AG_OK;
}

/* "aud" is a text or a list. A token for several parties says in "azp" which of them asked for it. */
static ag_status check_audience(const ag_val *claims, ag_str client_id, ag_err *err)
{
	const ag_val *v = ag_val_getc(claims, "aud");
	bool is_one;

	if (!v || (v->type != AG_T_STRING && v->type != AG_T_ARRAY))
		return refuse(err, "aud is missing");
	is_one = v->type == AG_T_STRING || v->n == 1;
	if (!ag_oidc_has(claims, AG_S("aud"), client_id))
		return refuse(err, "it is for another client (aud)");
	if (!ag_val_getc(claims, "azp"))
		return is_one ? AG_OK : refuse(err, "it is for several clients and has no azp");
	return is_text(claims, "azp", client_id)
	               ? AG_OK
	               : refuse(err, "it was made for another client (azp)");
}

ag_status ag_oidc_token_check(const ag_val *claims, const ag_oidc_want *want, ag_err *err)
{
	const ag_str sub = ag_val_member_str(claims, "sub");
	ag_status st;

	if (!is_text(claims, "iss", want->issuer))
		return refuse(err, "it is of another issuer (iss)");
	st = check_audience(claims, want->client_id, err);
	if (!st)
		st = check_times(claims, want, err);
	if (st)
		return st;
	if (!want->nonce.len || !is_text(claims, "nonce", want->nonce))
		return refuse(err, "it is of another sign-in (nonce)");
	if (!sub.len || sub.len > AG_OIDC_MAX_SUB || memchr(sub.ptr, '\0', sub.len))
		return refuse(err, "sub is missing, or longer than 255 bytes");
	return AG_OK;
}

/* --- what it says --- */

bool ag_oidc_has(const ag_val *claims, ag_str claim, ag_str value)
{
	const ag_val *v = ag_val_get(claims, claim);

	if (v && v->type == AG_T_STRING)
		return ag_str_eq(ag_val_text(v), value);
	for (uint32_t i = 0; v && v->type == AG_T_ARRAY && i < v->n; i++)
		if (v->u.items[i].type == AG_T_STRING &&
		    ag_str_eq(ag_val_text(&v->u.items[i]), value))
			return true;
	return false;
}

ag_str ag_oidc_verified_email(const ag_val *claims, ag_arena *arena)
{
	const ag_val *v = ag_val_getc(claims, "email_verified");
	ag_str email = ag_val_member_str(claims, "email");
	char *text;

	if (!v || v->type != AG_T_BOOL || !v->u.b)
		return AG_S("");
	/* One @, with something on both sides; no blanks, no controls, ASCII alone: letters that only look alike are not lowered. */
	for (size_t i = 0; i < email.len; i++)
		if (email.ptr[i] <= ' ' || email.ptr[i] >= 0x7f)
			return AG_S("");
	if (ag_str_find(email, '@') <= 0 || email.ptr[email.len - 1] == '@' ||
	    ag_str_find(ag_str_make(email.ptr + ag_str_find(email, '@') + 1,
	                            email.len - (size_t)ag_str_find(email, '@') - 1),
	                '@') >= 0)
		return AG_S("");
	text = ag_str_cstr(arena, email);
	for (size_t i = 0; i < email.len; i++)
		text[i] = text[i] >= 'A' && text[i] <= 'Z' ? (char)(text[i] - 'A' + 'a') : text[i];
	return ag_str_make(text, email.len);
}
