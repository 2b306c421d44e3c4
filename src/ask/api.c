/* api -- from what a model asked for to one request, and from what came to the text that the model reads.
 *
 * Invariant: the address of a request is origin + prefix of the base, which were taken apart and checked when it was
 * opened (api_base.c), + a path that ag_api_check_path() let through. The HTTP client follows nothing; so bytes, and the
 * key among them, go to that origin alone. Each request has a connection of its own: on one that is kept, the client would
 * send a request twice when the other side had just closed it, and a POST must not be made twice.
 *
 * Order: the request, the exchange, what is said about it, ag_api_call(). */
#include "ask/api_parts.h"
#include "query/extjson.h"

#define ORIGIN           "ask.api"
#define CONNECT_MS       5000
#define MIN_KEY_HIDDEN   8 /* as ag_log_redact(): shorter ones are words of any text */
#define MAX_REQUEST_BODY (1u << 20)
#define MAX_BODY_DEPTH   100
#define MAX_BODY_VALUES  100000
#define MAX_NOTE         2000
#define MAX_QUOTED       200 /* of a path in a note */
/* Answers other than 2xx are collected by the client, which hands out nothing of the piece that crosses its limit. */
#define PIECE_BYTES   (64u << 10)
#define METHODS       "GET, HEAD, POST, PUT, PATCH, DELETE"
#define OPENAPI_MS    2000
#define OPENAPI_BYTES (4u << 20)

/* --- the request */

typedef struct request {
	ag_str method, path, body;
	bool no_auth, is_safe;
	int64_t timeout_ms;
} request;

/* The model reads it: which option the user can set, and what to do without it. */
static ag_status refuse_method(const ag_api *a, unsigned bit, ag_arena *arena, ag_err *err)
{
	const ag_str name = ag_api_method_name(bit);
	const ag_str sent = ag_api_methods_text(a->methods, arena);

	switch (a->limit) {
	case AG_API_BY_READ_ONLY:
		ag_fail(err, AG_DENIED, ORIGIN,
		        "%.*s is refused: the user runs with --read-only, so only GET and HEAD are "
		        "sent",
		        AG_FMT(name));
		return ag_err_hint(err, "answer from what can be read");
	case AG_API_BY_ADDRESS:
		ag_fail(err, AG_DENIED, ORIGIN,
		        "%.*s is refused: the address of the API comes from a file of the folder, so "
		        "only GET and HEAD are sent",
		        AG_FMT(name));
		return ag_err_hint(err, "answer from what can be read, and tell the user that "
		                        "--api-base with --api-methods allows more");
	case AG_API_BY_LIST:
		ag_fail(err, AG_DENIED, ORIGIN, "%.*s is refused: --api-methods allows only %.*s",
		        AG_FMT(name), AG_FMT(sent));
		break;
	case AG_API_BY_QUESTION:
		ag_fail(err, AG_DENIED, ORIGIN,
		        "%.*s is refused: the user's question does not order it, so only %.*s are "
		        "sent",
		        AG_FMT(name), AG_FMT(sent));
		break;
	}
	return ag_err_hint(err,
	                   "answer from what can be read, and tell the user that "
	                   "--api-methods %.*s allows it",
	                   AG_FMT(name));
}

static ag_status check_method(const ag_api *a, ag_str text, ag_arena *arena, request *ret,
                              ag_err *err)
{
	const unsigned bit = ag_api_method_bit(text);

	if (!bit) {
		ag_fail(err, AG_INVALID, ORIGIN, "the method is %s",
		        text.len ? "not known" : "empty");
		return ag_err_hint(err, "one of %s", METHODS);
	}
	ret->method = ag_api_method_name(bit);
	ret->is_safe = (bit & AG_API_READING) != 0;
	return bit & a->methods ? AG_OK : refuse_method(a, bit, arena, err);
}

/* Sent as it is written, so it must be what the other side can read. */
static ag_status check_body(ag_str body, ag_err *err)
{
	const ag_extjson_opts opts = { .max_depth = MAX_BODY_DEPTH, .max_values = MAX_BODY_VALUES };
	ag_arena *scratch = ag_arena_new();
	ag_err why = { 0 };
	ag_status st;
	ag_val v;

	if (body.len > MAX_REQUEST_BODY) {
		ag_arena_free(scratch);
		return ag_fail(err, AG_INVALID, ORIGIN, "the body is larger than %u KB",
		               MAX_REQUEST_BODY >> 10);
	}
	st = ag_extjson_parse(body, &opts, scratch, &v, NULL, NULL, &why);
	ag_arena_free(scratch);
	if (!st)
		return AG_OK;
	ag_fail(err, AG_INVALID, ORIGIN, "the body is not JSON: %s", why.msg);
	return ag_err_hint(err, "nothing was sent; write the body as JSON: {\"name\":\"value\"}");
}

static ag_status make_request(const ag_api *a, const ag_api_request *r, ag_arena *arena,
                              request *ret, ag_buf *note, ag_err *err)
{
	ag_status st = check_method(a, r->method, arena, ret, err);

	if (!st)
		st = ag_api_check_path(r->path, arena, &ret->path, err);
	if (st)
		return st;
	ret->no_auth = r->no_auth;
	ret->timeout_ms = a->timeout_ms;
	ret->body = ag_str_trim(r->body);
	if (ret->body.len && ret->is_safe) {
		ret->body = AG_S("");
		ag_buf_addf(note, "%.*s has no body: the one that was given was not sent",
		            AG_FMT(ret->method));
	}
	return ret->body.len ? check_body(ret->body, err) : AG_OK;
}

/* --- the exchange */

typedef struct exchange {
	ag_api_answer answer;
	size_t max_read;
	bool is_full; /* there was more than max_read */
	ag_err err;
	ag_status status;
} exchange;

static ag_status take(void *arg, ag_str bytes, ag_err *err)
{
	exchange *x = arg;
	ag_str encoding = x->answer.http.content_encoding;
	size_t room = x->max_read - (size_t)x->answer.body.nbyte;

	if (encoding.len && !ag_str_eqc(encoding, "identity")) {
		x->answer.is_encoded = true;
		return ag_fail(err, AG_LIMIT, ORIGIN, "the body is encoded");
	}
	x->is_full = bytes.len > room;
	if (x->is_full)
		bytes.len = room;
	ag_api_body_take(&x->answer.body, bytes);
	return x->is_full ? ag_fail(err, AG_LIMIT, ORIGIN, "the body is too long") : AG_OK;
}

static void send_request(const ag_api *a, const ag_ctx *ctx, const request *r, ag_arena *arena,
                         exchange *x)
{
	ag_http_header headers[3] = { { AG_S("Accept"), AG_S("application/json, */*") } };
	ag_http_request q = { .method = r->method, .headers = headers, .nheader = 1 };
	ag_http *http = NULL;
	ag_err unheard;

	q.url = ag_str_printf(arena, "%.*s%.*s%.*s", AG_FMT(a->origin), AG_FMT(a->prefix),
	                      AG_FMT(r->path));
	q.body = r->body;
	q.timeouts = (ag_http_timeouts){ .connect_ms = CONNECT_MS, .total_ms = r->timeout_ms };
	q.max_body_bytes = x->max_read + PIECE_BYTES;
	q.on_body = take;
	q.arg = x;
	if (r->body.len)
		headers[q.nheader++] = (ag_http_header){ AG_S("Content-Type"),
			                                 AG_S("application/json") };
	if (a->key.len && !r->no_auth)
		headers[q.nheader++] = (ag_http_header){
			AG_S("Authorization"), ag_str_printf(arena, "Bearer %.*s", AG_FMT(a->key))
		};
	x->status = ag_http_new(&http, &x->err);
	if (!x->status)
		x->status = ag_http_send(http, ctx, &q, arena, &x->answer.http, &x->err);
	ag_http_free(http);
	if (x->answer.http.body.len && !x->is_full)
		AG_IGNORE(take(x, x->answer.http.body, &unheard), "is_full and is_encoded tell");
	x->answer.is_whole = !x->status && !x->is_full;
}

static void exchange_init(exchange *x, size_t max_shown, size_t max_read)
{
	*x = (exchange){ .max_read = max_read };
	ag_api_body_init(&x->answer.body, max_shown);
}

/* --- what is said about it */

static void say(ag_buf *note, ag_str sentence)
{
	if (note->len)
		ag_buf_adds(note, "; ");
	ag_buf_add(note, sentence);
}

/* "other/" is meant beside the path that was asked. */
static ag_str beside(const ag_api *a, ag_str asked, ag_str location, ag_arena *arena)
{
	ptrdiff_t query = ag_str_find(asked, '?');

	if (query >= 0)
		asked.len = (size_t)query;
	while (asked.len && asked.ptr[asked.len - 1] != '/')
		asked.len--;
	return ag_str_printf(arena, "%.*s%.*s%.*s", AG_FMT(a->prefix), AG_FMT(asked),
	                     AG_FMT(location));
}

/* The path of a redirect below our base; "" when it leads elsewhere. */
static ag_str redirect_path(const ag_api *a, ag_str asked, ag_str location, ag_arena *arena)
{
	ag_str path = location, ret;
	ag_err unheard;
	ag_url u;

	if (ag_str_contains(location, AG_S("://"))) {
		if (ag_url_parse(location, arena, &u, &unheard) ||
		    !ag_str_eq(ag_url_origin(&u, arena), a->origin))
			return AG_S("");
		path = u.path;
	} else if (!ag_str_starts(location, AG_S("/"))) {
		path = beside(a, asked, location, arena);
	}
	if (ag_api_check_path(path, arena, &ret, &unheard) || !ag_str_starts(ret, a->prefix))
		return AG_S("");
	ret = ag_str_make(ret.ptr + a->prefix.len, ret.len - a->prefix.len);
	return ag_str_starts(ret, AG_S("/")) && ret.len <= MAX_QUOTED ? ret : AG_S("");
}

static void say_redirect(const ag_api *a, const request *r, ag_str location, int status,
                         ag_buf *note, ag_arena *arena)
{
	ag_str path = redirect_path(a, r->path, location, arena);
	ag_str method = status == 303 ? AG_S("GET") : r->method;

	if (path.len)
		say(note, ag_str_printf(arena, "redirects are not followed: send %.*s %.*s",
		                        AG_FMT(method), AG_FMT(path)));
	else
		say(note, AG_S("redirects are not followed, and this one leads to no path of this "
		               "API"));
}

static void say_what_is_missing(const exchange *x, const request *r, ag_buf *note, ag_arena *arena)
{
	const ag_api_answer *answer = &x->answer;

	if (answer->is_encoded)
		say(note, ag_str_printf(arena,
		                        "the body is encoded (%.*s), which was not asked for: it "
		                        "is not decoded",
		                        (int)(answer->http.content_encoding.len < 40
		                                      ? answer->http.content_encoding.len
		                                      : 40),
		                        answer->http.content_encoding.ptr));
	else if (x->is_full)
		say(note, ag_str_printf(arena, "the body goes on: only %zu bytes of it were read",
		                        x->max_read));
	else if (x->status == AG_TIMEOUT && answer->http.status)
		say(note, ag_str_printf(arena, "the answer did not end within %.3g s",
		                        (double)r->timeout_ms / 1000));
	else if (answer->is_whole && answer->body.nbyte > answer->body.keep)
		say(note, AG_S("only the beginning is shown: count with the lengths given here, "
		               "and ask with a filter or a page (query parameters) for the rest"));
}

static void say_all(const ag_api *a, const exchange *x, const request *r, ag_buf *note,
                    ag_arena *arena)
{
	const ag_http_response *http = &x->answer.http;

	say_what_is_missing(x, r, note, arena);
	if (http->status >= 300 && http->status <= 399 && http->location.len)
		say_redirect(a, r, http->location, http->status, note, arena);
	if (http->status == 401 && !a->key.len && !r->no_auth)
		say(note,
		    ag_str_printf(arena, "no key was sent: %.*s is not set", AG_FMT(a->key_name)));
	if (x->answer.error && !r->is_safe && http->is_sent)
		say(note, AG_S("the request had left: it may have had its effect"));
}

/* --- calls */

/* Did an answer come? What is cut by our own limits is one. */
static bool is_answer(const exchange *x)
{
	return !x->status || x->is_full || x->answer.is_encoded ||
	       (x->status == AG_TIMEOUT && x->answer.http.status);
}

static void finish(const ag_api *a, exchange *x, const request *r, ag_buf *note, ag_arena *arena,
                   ag_api_result *ret)
{
	ag_api_answer *answer = &x->answer;

	answer->error = is_answer(x) ? NULL : &x->err;
	if (a->key.len >= MIN_KEY_HIDDEN)
		answer->key = a->key;
	say_all(a, x, r, note, arena);
	answer->note = ag_buf_view(note);
	*ret = (ag_api_result){
		.text = ag_api_answer_json(answer, arena),
		.status = answer->http.status,
		.ok = !answer->error,
		.sent = ag_str_printf(arena, "%.*s %.*s", AG_FMT(r->method), AG_FMT(r->path)),
	};
}

ag_status ag_api_call(ag_api *a, const ag_ctx *ctx, ag_arena *arena, const ag_api_request *r,
                      ag_api_result *ret, ag_err *err)
{
	ag_buf note = AG_BUF_INIT(MAX_NOTE);
	request q = { 0 };
	exchange x;
	ag_err ended;
	ag_status st = make_request(a, r, arena, &q, &note, err);

	if (st) {
		ag_buf_release(&note);
		return st;
	}
	exchange_init(&x, a->max_shown, a->max_read);
	send_request(a, ctx, &q, arena, &x);
	if (x.status == AG_CANCELLED || x.status == AG_INVALID ||
	    (x.status == AG_TIMEOUT && ag_ctx_check(ctx, &ended))) {
		st = x.status;
		if (err)
			*err = x.err;
	} else {
		finish(a, &x, &q, &note, arena, ret);
	}
	ag_api_body_release(&x.answer.body);
	ag_buf_release(&note);
	return st;
}

ag_str ag_api_operations(ag_api *a, const ag_ctx *ctx, size_t max_bytes, ag_arena *arena)
{
	const request q = { .method = AG_S("GET"),
		            .path = AG_S("/openapi.json"),
		            .body = AG_S(""),
		            .no_auth = true,
		            .is_safe = true,
		            .timeout_ms = OPENAPI_MS };
	ag_str ret = AG_S("");
	exchange x;

	exchange_init(&x, OPENAPI_BYTES, OPENAPI_BYTES);
	send_request(a, ctx, &q, arena, &x);
	if (x.answer.is_whole && x.answer.http.status == 200)
		ret = ag_openapi_summary(ag_buf_view(&x.answer.body.head), max_bytes, arena);
	ag_api_body_release(&x.answer.body);
	return ret;
}
