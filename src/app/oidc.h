/* oidc -- the OpenID Connect issuer that the settings name, for argus serve and argus doctor. */
#ifndef AG_APP_OIDC_H
#define AG_APP_OIDC_H

#include "app/app.h"
#include "server/server.h"

/* ret->provider is NULL when no issuer is set; else the caller frees it. Asks nobody. Other texts are those of the settings.
 * errors  AG_INVALID: names the setting */
AG_CHECK ag_status ag_app_oidc(const ag_app *app, ag_server_oidc *ret, ag_err *err);

#endif
