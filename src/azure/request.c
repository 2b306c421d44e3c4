/* request -- one request to ARM or to an identity endpoint. A service that is busy is asked again, as it says. */
#include "azure/parts.h"

#include <stdlib.h>
#include <time.h>

#include "net/http.h"
#include "net/url.h"

#define ORIGIN      "azure"
#define ATTEMPTS    3
#define TOTAL_MS    15000
#define MAX_WAIT_MS 10000
#define SLICE_MS    50
#define MAX_HEADERS 4

ag_status ag_azure_management(ag_arena *arena, ag_str *ret, ag_err *err)
{
	const char *env = getenv("ARGUS_AZURE_MANAGEMENT");
	ag_str text = ag_str_c(env && *env ? env : "https://management.azure.com");
	ag_url url;
	ag_status st = ag_url_parse(text, arena, &url, err);

	if (st)
		return ag_err_hint(err, "ARGUS_AZURE_MANAGEMENT is the address of Azure Resource "
		                        "Manager, like https://management.usgovcloudapi.net");
	if (!ag_str_eqc(url.scheme, "https") && !ag_url_is_loopback(&url)) {
		ag_fail(err, AG_INVALID, ORIGIN, "ARGUS_AZURE_MANAGEMENT: %.*s is not encrypted",
		        AG_FMT(ag_url_shown(text, arena)));
		return ag_err_hint(err, "write https://; a token is sent there");
	}
	while (text.len && text.ptr[text.len - 1] == '/')
		text.len--;
	*ret = text;
	return AG_OK;
}

/* The message of {"error":{"code":…,"message":…}}, "" when there is none. */
static ag_str said(ag_str body, ag_arena *arena)
{
	ag_val v;
	const ag_val *e;

	if (ag_azure_read_json(body, "an answer", arena, &v, NULL))
		return AG_S("");
	e = ag_val_getc(&v, "error");
	if (e && e->type == AG_T_OBJECT)
		return ag_val_member_str(e, "message");
	return ag_val_member_str(&v, "error_description");
}

static ag_status of_status(const ag_http_response *r, ag_str url, ag_arena *arena, ag_err *err)
{
	const ag_str why = said(r->body, arena), shown = ag_url_shown(url, arena);
	const ag_status st = r->status == 401 || r->status == 403   ? AG_DENIED
	                     : r->status == 404                     ? AG_NOT_FOUND
	                     : r->status == 429 || r->status >= 500 ? AG_UNAVAILABLE
	                                                            : AG_PROTOCOL;

	ag_fail(err, st, ORIGIN, "%.*s answers with HTTP status %d%s%.*s",
	        (int)(shown.len < 160 ? shown.len : 160), shown.ptr, r->status, why.len ? ": " : "",
	        (int)(why.len < 150 ? why.len : 150), why.ptr);
	if (r->status == 401)
		ag_err_hint(err, "the token is refused or has expired: run `az login`, or set "
		                 "AZURE_ACCESS_TOKEN to a new one");
	else if (r->status == 403)
		ag_err_hint(
			err,
			"give the user the role \"Cosmos DB Account Reader Role\" on the account");
	if (err)
		err->native = r->status;
	return st;
}

static ag_status wait_ms(const ag_ctx *ctx, int64_t ms, ag_err *err)
{
	ag_status st = ag_ctx_check(ctx, err);

	for (; !st && ms > 0; ms -= SLICE_MS) {
		nanosleep(&(struct timespec){ .tv_nsec = SLICE_MS * 1000000L }, NULL);
		st = ag_ctx_check(ctx, err);
	}
	return st;
}

ag_status ag_azure_send(const ag_ctx *ctx, const ag_azure_request *q, ag_arena *arena, ag_str *ret,
                        ag_err *err)
{
	ag_http_header list[MAX_HEADERS];
	const ag_http_request r = { .method = q->method,
		                    .url = q->url,
		                    .headers = list,
		                    .nheader = q->nheader,
		                    .timeouts = { .connect_ms = q->connect_ms,
		                                  .total_ms = TOTAL_MS },
		                    .max_body_bytes = AG_AZURE_MAX_ANSWER };
	ag_http_response answer = { 0 };
	ag_http *http;
	ag_status st = ag_http_new(&http, err);

	AG_ASSERT(q->nheader <= MAX_HEADERS);
	for (size_t i = 0; i < q->nheader; i++)
		list[i] = (ag_http_header){ q->headers[2 * i], q->headers[2 * i + 1] };
	if (st)
		return st;
	for (int i = 0; !st && i < ATTEMPTS; i++) {
		int64_t ms = 500;

		st = ag_http_send(http, ctx, &r, arena, &answer, err);
		if (st || (answer.status != 429 && answer.status < 500) || i + 1 == ATTEMPTS)
			break;
		if (answer.retry_after.len)
			ag_http_retry_after(answer.retry_after, ag_clock_wall(&ag_clock_system),
			                    &ms);
		if (ms > MAX_WAIT_MS)
			break;
		st = wait_ms(ctx, ms, err);
	}
	ag_http_free(http);
	if (!st && answer.status / 100 != 2)
		st = of_status(&answer, q->url, arena, err);
	*ret = answer.body;
	return st;
}
