/* document -- see parts.h. */
#include "oidc/parts.h"

#include "net/url.h"

#define ORIGIN "oidc.document"

bool ag_oidc_may_use(ag_str address, ag_str issuer, ag_arena *arena)
{
	ag_url url, own;

	if (ag_str_find(address, '#') >= 0 || ag_url_parse(address, arena, &url, NULL) ||
	    ag_url_parse(issuer, arena, &own, NULL))
		return false;
	return ag_str_eqc(url.scheme, "https") ||
	       (ag_url_is_loopback(&url) && ag_url_is_loopback(&own));
}

static ag_status read_address(const ag_val *v, const char *name, ag_str issuer, ag_arena *arena,
                              ag_str *ret, ag_err *err)
{
	*ret = ag_val_member_str(v, name);
	if (!ret->len)
		return ag_fail(err, AG_PROTOCOL, ORIGIN, "the issuer's document has no %s", name);
	if (!ag_oidc_may_use(*ret, issuer, arena))
		return ag_fail(err, AG_PROTOCOL, ORIGIN,
		               "%s of the issuer's document is no https address", name);
	return AG_OK;
}

/* Absent: as the standard has it. */
static bool lists(const ag_val *v, const char *name, const char *word, bool by_default)
{
	return ag_val_getc(v, name) ? ag_oidc_has(v, ag_str_c(name), ag_str_c(word)) : by_default;
}

ag_status ag_oidc_document_read(ag_str text, ag_str issuer, ag_arena *arena, ag_oidc_document *ret,
                                ag_err *err)
{
	ag_val v;
	ag_status st = ag_oidc_read_json(text, "the issuer's document", arena, &v, err);

	*ret = (ag_oidc_document){ 0 };
	if (st)
		return st;
	if (!ag_str_eq(ag_val_member_str(&v, "issuer"), issuer)) {
		ag_fail(err, AG_PROTOCOL, ORIGIN, "the issuer's document is of another issuer");
		return ag_err_hint(err, "oidc_issuer must be exactly the document's \"issuer\"");
	}
	st = read_address(&v, "authorization_endpoint", issuer, arena, &ret->authorization, err);
	if (!st)
		st = read_address(&v, "token_endpoint", issuer, arena, &ret->token, err);
	if (!st)
		st = read_address(&v, "jwks_uri", issuer, arena, &ret->keys, err);
	if (!st && !lists(&v, "response_types_supported", "code", true))
		st = ag_fail(err, AG_PROTOCOL, ORIGIN, "the issuer has no authorization code flow");
	if (!st && !lists(&v, "id_token_signing_alg_values_supported", "RS256", true) &&
	    !lists(&v, "id_token_signing_alg_values_supported", "ES256", true))
		st = ag_fail(err, AG_PROTOCOL, ORIGIN,
		             "the issuer signs ID tokens neither with RS256 nor with ES256");
	if (st)
		return st;
	ret->end_session = ag_val_member_str(&v, "end_session_endpoint");
	if (ret->end_session.len && !ag_oidc_may_use(ret->end_session, issuer, arena))
		ret->end_session = AG_S("");
	ret->takes_basic = lists(&v, "token_endpoint_auth_methods_supported", "client_secret_basic",
	                         true);
	ret->says_issuer = ag_val_member_bool(&v, "authorization_response_iss_parameter_supported");
	return AG_OK;
}
