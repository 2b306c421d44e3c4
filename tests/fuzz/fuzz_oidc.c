/* What an OpenID Connect issuer sends: a token, a key set, a document. The first byte says which. Nothing that is read from any
 * bytes may be beyond its limits, and no token may have an algorithm other than the two. */
#include "fuzz.h"

#include "oidc/parts.h"

static const ag_str issuer = AG_S_INIT("https://login.example.com");

static void token(ag_str text, ag_arena *arena)
{
	const ag_oidc_want want = { .issuer = issuer,
		                    .client_id = AG_S("argus"),
		                    .nonce = AG_S("n"),
		                    .now_ms = INT64_C(1700000000000),
		                    .skew_ms = 60000 };
	ag_oidc_token t;
	ag_err err = { 0 };
	ag_str sub, email;

	if (ag_oidc_token_read(text, arena, &t, &err)) {
		AG_ASSERT(err.status == AG_DENIED);
		return;
	}
	AG_ASSERT(t.alg == AG_SIGNATURE_RS256 || t.alg == AG_SIGNATURE_ES256);
	AG_ASSERT(t.signature.len && t.text.len < text.len && t.claims.type == AG_T_OBJECT);
	email = ag_oidc_verified_email(&t.claims, arena);
	AG_ASSERT(!email.len || (ag_str_find(email, '@') > 0 && ag_str_find(email, ' ') < 0));
	if (ag_oidc_token_check(&t.claims, &want, NULL))
		return;
	sub = ag_val_member_str(&t.claims, "sub");
	AG_ASSERT(sub.len >= 1 && sub.len <= AG_OIDC_MAX_SUB && !memchr(sub.ptr, 0, sub.len));
	AG_ASSERT(ag_oidc_has(&t.claims, AG_S("aud"), want.client_id));
	AG_ASSERT(ag_str_eq(ag_val_member_str(&t.claims, "iss"), issuer));
}

static void keys(ag_str text, ag_arena *arena)
{
	ag_oidc_keys k;

	if (ag_oidc_keys_read(text, arena, &k, NULL))
		return;
	AG_ASSERT(k.n <= AG_OIDC_MAX_KEYS);
	for (size_t i = 0; i < k.n; i++) {
		AG_ASSERT(ag_public_key_is_usable(&k.list[i].key));
		AG_ASSERT(ag_signature_check(&k.list[i].key, AG_S("x"), AG_S("no signature"),
		                             NULL) == AG_DENIED);
	}
}

static void document(ag_str text, ag_arena *arena)
{
	ag_oidc_document d;

	if (ag_oidc_document_read(text, issuer, arena, &d, NULL))
		return;
	AG_ASSERT(ag_oidc_may_use(d.authorization, issuer, arena));
	AG_ASSERT(ag_oidc_may_use(d.token, issuer, arena));
	AG_ASSERT(ag_oidc_may_use(d.keys, issuer, arena));
	AG_ASSERT(ag_str_starts(d.token, AG_S("https://")) ||
	          ag_str_starts(d.token, AG_S("HTTPS://")) ||
	          ag_str_ieq(ag_str_make(d.token.ptr, 8), AG_S("https://")));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	ag_arena *arena = ag_arena_new();
	ag_str text;

	if (size && size < (64u << 10)) {
		text = ag_str_dup(arena, ag_str_make((const char *)data + 1, size - 1));
		switch (data[0]) {
		case 'k': keys(text, arena); break;
		case 'd': document(text, arena); break;
		default: token(text, arena); break;
		}
	}
	ag_arena_free(arena);
	return 0;
}
