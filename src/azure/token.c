/* token -- who asks ARM: the first of four that there is. A token that is there and refused is an error, and no other one is
 * tried: it would be another user. */
#include "azure/parts.h"

#include <stdlib.h>

#include "base/log.h"

#define ORIGIN      "azure.token"
#define METADATA    "http://169.254.169.254"
#define RESOURCE    "https%3A%2F%2Fmanagement.azure.com%2F"
#define CONNECT_MS  5000
#define METADATA_MS 1000 /* on a machine that is not of Azure nobody answers */

static const char *variable(const char *name)
{
	const char *v = getenv(name);

	return v && *v ? v : NULL;
}

static ag_str client_part(ag_arena *arena)
{
	const char *id = variable("AZURE_CLIENT_ID");

	return id ? ag_str_printf(arena, "&client_id=%s", id) : AG_S("");
}

static ag_status read_token(ag_str json, const char *what, ag_arena *arena, ag_str *ret,
                            ag_err *err)
{
	ag_val v;
	ag_status st = ag_azure_read_json(json, what, arena, &v, err);

	if (st)
		return st;
	*ret = ag_val_member_str(&v, "access_token");
	return ret->len ? AG_OK
	                : ag_fail(err, AG_PROTOCOL, ORIGIN, "%s holds no access_token", what);
}

/* App Service, Functions, Container Apps. */
static ag_status of_app(const ag_ctx *ctx, const char *endpoint, ag_arena *arena, ag_str *ret,
                        ag_err *err)
{
	const ag_str url = ag_str_printf(arena, "%s?api-version=2019-08-01&resource=%s%.*s",
	                                 endpoint, RESOURCE, AG_FMT(client_part(arena)));
	const char *secret = variable("IDENTITY_HEADER");
	const ag_str header[] = { AG_S("X-IDENTITY-HEADER"), ag_str_c(secret) };
	ag_str json = { 0 };
	ag_status st;

	ag_log_redact(ag_str_c(secret));
	st = ag_azure_send(ctx,
	                   &(ag_azure_request){ .method = AG_S("GET"),
	                                        .url = url,
	                                        .headers = header,
	                                        .nheader = secret ? 1 : 0,
	                                        .connect_ms = CONNECT_MS },
	                   arena, &json, err);
	return st ? st : read_token(json, "the answer of IDENTITY_ENDPOINT", arena, ret, err);
}

/* A virtual machine. */
static ag_status of_machine(const ag_ctx *ctx, ag_arena *arena, ag_str *ret, ag_err *err)
{
	const char *where = variable("ARGUS_AZURE_METADATA");
	const ag_str header[] = { AG_S("Metadata"), AG_S("true") };
	ag_str json = { 0 }, url;
	ag_status st;

	if (where && strcmp(where, "none") == 0)
		return ag_fail(err, AG_NOT_FOUND, ORIGIN, "the metadata service is not asked");
	url = ag_str_printf(
		arena, "%s/metadata/identity/oauth2/token?api-version=2018-02-01&resource=%s%.*s",
		where ? where : METADATA, RESOURCE, AG_FMT(client_part(arena)));
	st = ag_azure_send(ctx,
	                   &(ag_azure_request){ .method = AG_S("GET"),
	                                        .url = url,
	                                        .headers = header,
	                                        .nheader = 1,
	                                        .connect_ms = METADATA_MS },
	                   arena, &json, err);
	return st ? st : read_token(json, "the answer of the metadata service", arena, ret, err);
}

static bool ends_all(ag_status st, const ag_ctx *ctx)
{
	return st == AG_CANCELLED || (st == AG_TIMEOUT && ag_ctx_left_ms(ctx) == 0);
}

static ag_status find(const ag_ctx *ctx, ag_arena *arena, ag_azure_token *ret, ag_err *err)
{
	const char *given = variable("AZURE_ACCESS_TOKEN"),
		   *endpoint = variable("IDENTITY_ENDPOINT");
	ag_err az = { 0 }, machine = { 0 };
	ag_status st;

	if (given) {
		*ret = (ag_azure_token){ .text = ag_str_trim(ag_str_c(given)),
			                 .from = AG_S("AZURE_ACCESS_TOKEN") };
		return AG_OK;
	}
	ret->from = AG_S("managed identity");
	if (endpoint)
		return of_app(ctx, endpoint, arena, &ret->text, err);
	st = ag_azure_az_token(ctx, AG_S("https://management.azure.com/"), arena, &ret->text, &az);
	if (!st)
		ret->from = AG_S("az");
	else if (ends_all(st, ctx))
		*err = az;
	if (!st || ends_all(st, ctx))
		return st;
	st = of_machine(ctx, arena, &ret->text, &machine);
	if (!st)
		return AG_OK;
	if (ends_all(st, ctx)) {
		*err = machine;
		return st;
	}
	ag_fail(err, AG_DENIED, ORIGIN,
	        "there are no credentials for Azure: %s; no managed identity", az.msg);
	return ag_err_hint(err, "run `az login`, or set AZURE_ACCESS_TOKEN to a token for %s",
	                   "https://management.azure.com/");
}

/* What is sent in a header must be one word. */
static ag_status check(const ag_azure_token *t, ag_err *err)
{
	for (size_t i = 0; i < t->text.len; i++) {
		if (t->text.ptr[i] > ' ' && t->text.ptr[i] < 127)
			continue;
		ag_fail(err, AG_INVALID, ORIGIN,
		        "the token of %.*s holds a character that no token has", AG_FMT(t->from));
		return ag_err_hint(err, "the token alone, without \"Bearer\" or line breaks");
	}
	return AG_OK;
}

ag_status ag_azure_token_get(const ag_ctx *ctx, ag_arena *arena, ag_azure_token *ret, ag_err *err)
{
	const bool is_given = variable("AZURE_ACCESS_TOKEN") != NULL;
	ag_azure_token t = { 0 };
	ag_err why = { 0 };
	ag_status st = AG_OK;

	if (is_given || !ag_azure_kept(AG_S("token"), arena, &t.text) ||
	    !ag_azure_kept(AG_S("token from"), arena, &t.from)) {
		st = find(ctx, arena, &t, &why);
		if (!st)
			ag_log_redact(t.text);
		if (!st)
			st = check(&t, &why);
		if (!st && !is_given) {
			ag_azure_keep(AG_S("token"), t.text);
			ag_azure_keep(AG_S("token from"), t.from);
		}
	}
	if (st) {
		if (err)
			*err = why;
		return st;
	}
	t.owner = ag_azure_token_owner(t.text, arena);
	*ret = t;
	return AG_OK;
}
