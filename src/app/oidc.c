/* oidc -- see the header. */
#include "app/oidc.h"

#include "oidc/oidc.h"

#define ORIGIN "app.oidc"
#define SECRET "OIDC_CLIENT_SECRET"

static bool has_word(ag_str text, const char *word)
{
	while (text.len)
		if (ag_str_eqc(ag_str_split(&text, ' '), word))
			return true;
	return false;
}

ag_status ag_app_oidc(const ag_app *app, ag_server_oidc *ret, ag_err *err)
{
	const ag_settings *s = &app->settings;
	const ag_var *secret = ag_settings_var(s, SECRET);
	const ag_oidc_opts o = { .issuer = s->oidc_issuer,
		                 .client_id = s->oidc_client_id,
		                 .client_secret = secret ? secret->value : AG_S(""),
		                 .scopes = s->oidc_scopes,
		                 .skew_ms = (int64_t)s->oidc_clock_skew * 1000,
		                 .clock = app->ctx.clock };

	*ret = (ag_server_oidc){ .name = s->oidc_name,
		                 .sign_up = s->oidc_sign_up,
		                 .superuser = s->oidc_superuser,
		                 .name_claim = s->oidc_name_claim,
		                 .groups_claim = s->oidc_groups_claim,
		                 .links_email = s->oidc_link_email,
		                 .ends_session = s->oidc_ends_session,
		                 .cancel = app->ctx.cancel };
	if (!o.issuer.len && !o.client_id.len)
		return AG_OK;
	if (!o.issuer.len)
		return ag_fail(err, AG_INVALID, ORIGIN, "oidc_client_id needs oidc_issuer");
	if (!has_word(o.scopes, "openid")) {
		ag_fail(err, AG_INVALID, ORIGIN, "oidc_scopes is without openid");
		return ag_err_hint(err, "without it the issuer gives no ID token");
	}
	return ag_oidc_new(&o, &ret->provider, err);
}
