/* keys -- see parts.h. A set may hold keys for other uses, and of kinds to come: these are left out, not refused. */
#include "oidc/parts.h"

#include "base/base64.h"

#define ORIGIN     "oidc.keys"
#define MAX_KEY_ID 256u

/* The bytes of a member; "" = it is not there, or is no base64url. */
static ag_str bytes_of(const ag_val *key, const char *name, ag_arena *arena)
{
	const ag_str text = ag_val_member_str(key, name);
	AG_AUTO(ag_buf_release) ag_buf bytes = AG_BUF_INIT(2 * AG_RSA_MAX_BYTES);

	if (!text.len || ag_str_find(text, '=') >= 0 || !ag_base64url_read(text, &bytes))
		return AG_S("");
	return ag_buf_dup(arena, &bytes);
}

/* Absent is as good as `value`. */
static bool is_or_absent(const ag_val *key, const char *name, const char *value)
{
	const ag_val *v = ag_val_getc(key, name);

	return !v || (v->type == AG_T_STRING && ag_str_eqc(ag_val_text(v), value));
}

static bool read_key(const ag_val *v, ag_arena *arena, ag_oidc_key *ret)
{
	const ag_str kind = ag_val_member_str(v, "kty");

	if (v->type != AG_T_OBJECT || !is_or_absent(v, "use", "sig"))
		return false;
	*ret = (ag_oidc_key){ .id = ag_val_member_str(v, "kid") };
	if (ag_str_eqc(kind, "RSA") && is_or_absent(v, "alg", "RS256")) {
		ret->key = (ag_public_key){ .alg = AG_SIGNATURE_RS256,
			                    .a = bytes_of(v, "n", arena),
			                    .b = bytes_of(v, "e", arena) };
	} else if (ag_str_eqc(kind, "EC") && is_or_absent(v, "alg", "ES256") &&
	           ag_str_eqc(ag_val_member_str(v, "crv"), "P-256")) {
		ret->key = (ag_public_key){ .alg = AG_SIGNATURE_ES256,
			                    .a = bytes_of(v, "x", arena),
			                    .b = bytes_of(v, "y", arena) };
	} else {
		return false;
	}
	return ret->id.len <= MAX_KEY_ID && ag_public_key_is_usable(&ret->key);
}

ag_status ag_oidc_keys_read(ag_str text, ag_arena *arena, ag_oidc_keys *ret, ag_err *err)
{
	const ag_val *list;
	ag_val v;
	ag_status st = ag_oidc_read_json(text, "the issuer's key set", arena, &v, err);

	if (st)
		return st;
	ret->n = 0;
	list = ag_val_getc(&v, "keys");
	if (!list || list->type != AG_T_ARRAY)
		return ag_fail(err, AG_PROTOCOL, ORIGIN,
		               "the issuer's key set has no list \"keys\"");
	if (list->n > AG_OIDC_MAX_KEYS)
		return ag_fail(err, AG_PROTOCOL, ORIGIN,
		               "the issuer's key set has %u keys, at most %u are read", list->n,
		               AG_OIDC_MAX_KEYS);
	for (uint32_t i = 0; i < list->n; i++)
		if (read_key(&list->u.items[i], arena, &ret->list[ret->n]))
			ret->n++;
	return AG_OK;
}

const ag_oidc_key *ag_oidc_keys_find(const ag_oidc_keys *k, ag_str id, ag_signature_alg alg)
{
	const ag_oidc_key *found = NULL;

	for (size_t i = 0; i < k->n; i++) {
		const ag_oidc_key *one = &k->list[i];

		if (one->key.alg != alg || (id.len && !ag_str_eq(one->id, id)))
			continue;
		if (found)
			return NULL; /* which of them is meant is not said */
		found = one;
	}
	return found;
}
