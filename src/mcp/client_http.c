/* A server behind an address: streamable HTTP. Every message is a POST; its answer is one JSON text or a stream of events. */
#include <stdlib.h>

#include "mcp/client_parts.h"
#include "net/http.h"
#include "net/sse.h"
#include "net/url.h"

#define ORIGIN      AG_MCP_CLIENT_ORIGIN
#define MAX_HEADERS 8
#define MAX_REPLIES 16

typedef struct http_wire {
	ag_mcp_wire base;
	ag_http *http;
	ag_arena *arena; /* of the handle */
	ag_str url, token, session;
} http_wire;

/* One POST under way. */
typedef struct post {
	const http_wire *w;
	ag_arena *arena;
	ag_str id, answer;
	bool is_answered;
	ag_http_response response;
	ag_sse sse;
	ag_buf body; /* of an answer that is no stream */
	ag_str replies[MAX_REPLIES];
	size_t nreply;
} post;

static ag_status on_event(void *arg, const ag_sse_event *ev, ag_err *err)
{
	post *p = arg;
	const ag_str text = ag_str_dup(p->arena, ev->data);
	ag_str reply = AG_S("");

	(void)err;
	if (!p->is_answered && ag_mcp_client_meanwhile(text, p->id, p->arena, &reply)) {
		p->answer = text;
		p->is_answered = true;
	}
	if (reply.len && p->nreply < MAX_REPLIES)
		p->replies[p->nreply++] = reply;
	return AG_OK;
}

static ag_status on_body(void *arg, ag_str bytes, ag_err *err)
{
	post *p = arg;

	if (!ag_str_eqc(p->response.content_type, "text/event-stream")) {
		ag_buf_add(&p->body, bytes);
		return AG_OK;
	}
	/* A server may keep the stream open behind the answer: nothing of it is needed. */
	if (ag_sse_feed(&p->sse, bytes, err))
		return err ? err->status : AG_LIMIT;
	return p->is_answered || p->nreply ? AG_CONFLICT : AG_OK;
}

static ag_status refused(const http_wire *w, const ag_http_response *r, ag_err *err)
{
	if (r->status == 401 || r->status == 403) {
		ag_fail(err, AG_DENIED, ORIGIN, "%.*s does not let us in (HTTP %d)",
		        AG_FMT(w->base.name), r->status);
		return ag_err_hint(err, "set token_env of the server in argus.yaml");
	}
	return ag_fail(err, r->status >= 500 || r->status == 429 ? AG_UNAVAILABLE : AG_PROTOCOL,
	               ORIGIN, "%.*s answered with HTTP %d", AG_FMT(w->base.name), r->status);
}

static ag_status send_one(http_wire *w, const ag_ctx *ctx, ag_str message, post *p, ag_err *err)
{
	ag_http_header headers[MAX_HEADERS] = {
		{ AG_S("Content-Type"), AG_S("application/json") },
		{ AG_S("Accept"), AG_S("application/json, text/event-stream") },
		{ AG_S("MCP-Protocol-Version"), AG_S(AG_MCP_CLIENT_REVISION) },
	};
	ag_http_request r = { .method = AG_S("POST"),
		              .url = w->url,
		              .headers = headers,
		              .nheader = 3,
		              .body = message,
		              .max_body_bytes = AG_RPC_MAX_MESSAGE * 2,
		              .wanted = AG_S("mcp-session-id"),
		              .on_body = on_body,
		              .arg = p };
	ag_status st;

	if (w->session.len)
		headers[r.nheader++] = (ag_http_header){ AG_S("Mcp-Session-Id"), w->session };
	if (w->token.len)
		headers[r.nheader++] = (ag_http_header){ AG_S("Authorization"),
			                                 ag_str_printf(p->arena, "Bearer %.*s",
			                                               AG_FMT(w->token)) };
	st = ag_http_send(w->http, ctx, &r, p->arena, &p->response, err);
	if (p->is_answered || p->nreply) /* we ended it ourselves */
		st = AG_OK;
	if (!st && p->response.status / 100 != 2)
		return refused(w, &p->response, err);
	if (!st && !w->session.len && p->response.wanted.len)
		w->session = ag_str_dup(w->arena, p->response.wanted);
	return st;
}

static ag_status post_message(http_wire *w, const ag_ctx *ctx, ag_str message, ag_str id,
                              ag_arena *arena, post *p, ag_err *err)
{
	ag_str reply = AG_S("");
	ag_status st;

	*p = (post){ .w = w, .arena = arena, .id = id };
	ag_buf_init(&p->body, AG_RPC_MAX_MESSAGE * 2);
	ag_sse_init(&p->sse, on_event, p);
	st = send_one(w, ctx, message, p, err);
	if (!st && !p->is_answered)
		AG_IGNORE(ag_sse_end(&p->sse, NULL), "what is missing is told below");
	if (!st && !p->is_answered && p->body.len) {
		const ag_str text = ag_buf_dup(arena, &p->body);

		p->is_answered = ag_mcp_client_meanwhile(text, id, arena, &reply);
		p->answer = text;
	}
	ag_sse_release(&p->sse);
	ag_buf_release(&p->body);
	return st;
}

static ag_status exchange(ag_mcp_wire *base, const ag_ctx *ctx, ag_str message, ag_str id,
                          ag_arena *arena, ag_str *ret, ag_err *err)
{
	http_wire *w = (http_wire *)base;
	post p;
	ag_status st = post_message(w, ctx, message, id, arena, &p, err);

	if (!st && id.len && !p.is_answered)
		st = ag_fail(err, AG_PROTOCOL, ORIGIN, "%.*s gave no answer to the request",
		             AG_FMT(w->base.name));
	*ret = p.answer;
	return st;
}

static void close_wire(ag_mcp_wire *base)
{
	http_wire *w = (http_wire *)base;
	ag_arena *arena = w->arena;

	if (w->session.len) {
		const ag_http_header headers[] = { { AG_S("Mcp-Session-Id"), w->session },
			                           { AG_S("MCP-Protocol-Version"),
			                             AG_S(AG_MCP_CLIENT_REVISION) } };
		const ag_http_request r = { .method = AG_S("DELETE"),
			                    .url = w->url,
			                    .headers = headers,
			                    .nheader = AG_NELEM(headers),
			                    .timeouts = { .total_ms = 1000 } };
		ag_http_response ret;

		AG_IGNORE(ag_http_send(w->http, NULL, &r, arena, &ret, NULL),
		          "a courtesy: the session expires by itself");
	}
	ag_http_free(w->http);
	ag_arena_free(arena);
	free(w);
}

ag_status ag_mcp_wire_http(const ag_mcp_client_opts *o, ag_mcp_wire **ret, ag_err *err)
{
	static const ag_mcp_wire_type type = { .exchange = exchange, .close = close_wire };
	http_wire *w = ag_xcalloc(1, sizeof(*w));
	ag_url url;
	ag_status st;

	w->arena = ag_arena_new();
	w->base = (ag_mcp_wire){ .type = &type, .name = ag_str_dup(w->arena, o->name) };
	w->url = ag_str_dup(w->arena, o->url);
	w->token = ag_str_dup(w->arena, o->token);
	st = ag_url_parse(w->url, w->arena, &url, err);
	/* A token is not sent in the open to another machine. */
	if (!st && w->token.len && ag_str_eqc(url.scheme, "http") && !ag_url_is_loopback(&url))
		st = ag_fail(err, AG_DENIED, ORIGIN,
		             "the token of %.*s would travel unencrypted: use https",
		             AG_FMT(o->name));
	if (!st)
		st = ag_http_new(&w->http, err);
	if (st) {
		ag_http_free(w->http);
		ag_arena_free(w->arena);
		free(w);
		return st;
	}
	*ret = &w->base;
	return AG_OK;
}
