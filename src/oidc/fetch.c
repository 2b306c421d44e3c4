/* fetch -- one request to an issuer. No redirect is followed, and what comes back has a limit of bytes and of time. */
#include "oidc/parts.h"

#include "net/http.h"
#include "net/url.h"

#define ORIGIN     "oidc.fetch"
#define CONNECT_MS 5000
#define IDLE_MS    5000
#define TOTAL_MS   10000
#define SAID_BYTES 60

void ag_oidc_add_escaped(ag_buf *out, ag_str text)
{
	static const char hex[] = "0123456789ABCDEF";

	for (size_t i = 0; i < text.len; i++) {
		const unsigned char c = (unsigned char)text.ptr[i];

		if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
		    c == '-' || c == '.' || c == '_' || c == '~') {
			ag_buf_addc(out, (char)c);
		} else {
			ag_buf_addc(out, '%');
			ag_buf_addc(out, hex[c >> 4]);
			ag_buf_addc(out, hex[c & 15]);
		}
	}
}

/* The word of {"error":"invalid_grant"}, when it is one. */
static ag_str word_of(ag_str body, ag_arena *arena)
{
	ag_str word = AG_S("");
	ag_val v;

	if (!ag_oidc_read_json(body, "", arena, &v, NULL))
		word = ag_val_member_str(&v, "error");
	for (size_t i = 0; i < word.len; i++)
		if (!((word.ptr[i] >= 'a' && word.ptr[i] <= 'z') || word.ptr[i] == '_'))
			return AG_S("");
	return word.len <= SAID_BYTES ? word : AG_S("");
}

static ag_status of_status(const ag_http_response *r, ag_str url, bool is_form, ag_arena *arena,
                           ag_err *err)
{
	const ag_str shown = ag_url_shown(url, arena), word = word_of(r->body, arena);
	const ag_status st = is_form && (r->status == 400 || r->status == 401) ? AG_DENIED
	                     : r->status == 429 || r->status >= 500            ? AG_UNAVAILABLE
	                                                                       : AG_PROTOCOL;

	return ag_fail(err, st, ORIGIN, "%.*s answers with HTTP status %d%s%.*s%s",
	               (int)(shown.len < 160 ? shown.len : 160), shown.ptr, r->status,
	               word.len ? ": " : "", AG_FMT(word),
	               r->status / 100 == 3 ? ", and no redirect is followed" : "");
}

ag_status ag_oidc_fetch(const ag_ctx *ctx, ag_str url, ag_str form, ag_str authorization,
                        ag_arena *arena, ag_str *ret, ag_err *err)
{
	ag_http_header headers[3] = { { AG_S("Accept"), AG_S("application/json") } };
	ag_http_request r = { .method = form.len ? AG_S("POST") : AG_S("GET"),
		              .url = url,
		              .headers = headers,
		              .nheader = 1,
		              .body = form,
		              .timeouts = { .connect_ms = CONNECT_MS,
		                            .first_byte_ms = TOTAL_MS,
		                            .idle_ms = IDLE_MS,
		                            .total_ms = TOTAL_MS },
		              .max_body_bytes = AG_OIDC_MAX_ANSWER };
	ag_http_response answer = { 0 };
	ag_http *http;
	ag_status st = ag_http_new(&http, err);

	if (st)
		return st;
	if (form.len)
		headers[r.nheader++] = (ag_http_header){
			AG_S("Content-Type"), AG_S("application/x-www-form-urlencoded")
		};
	if (authorization.len)
		headers[r.nheader++] = (ag_http_header){ AG_S("Authorization"), authorization };
	st = ag_http_send(http, ctx, &r, arena, &answer, err);
	ag_http_free(http);
	if (!st && answer.status != 200)
		st = of_status(&answer, url, form.len > 0, arena, err);
	*ret = answer.body;
	return st;
}
