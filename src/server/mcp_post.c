/* POST: one message. Which era it belongs to is said by its _meta or by MCP-Protocol-Version; a message of the handshake
 * era belongs to the session that it names, one of the stateless era must agree with its headers. */
#include "base/json.h"
#include "server/parts.h"

#define VERSIONS "2024-11-05, 2025-03-26, 2025-06-18, 2025-11-25, 2026-07-28"

void ag_server_mcp_refuse(ag_httpd_reply *rp, int status, int code, ag_str id, const char *message)
{
	rp->status = status;
	rp->content_type = AG_S("application/json");
	ag_buf_clear(&rp->body);
	ag_rpc_write_error(&rp->body, id.len ? id : AG_S("null"), code, ag_str_c(message),
	                   AG_S(""));
}

static void refuse(ag_httpd_reply *rp, int status, const char *message)
{
	ag_server_mcp_refuse(rp, status, AG_RPC_INVALID_REQUEST, AG_S("null"), message);
}

bool ag_server_mcp_version(ag_httpd_request *rq, ag_httpd_reply *rp, bool *ret_is_stateless)
{
	ag_str text = ag_httpd_header_of(rq, "MCP-Protocol-Version");
	ag_mcp_revision r = AG_MCP_2025_03_26; /* what its absence means */

	if (text.len && !ag_mcp_revision_read(text, &r)) {
		refuse(rp, 400,
		       "Unsupported protocol version: want MCP-Protocol-Version to be one of " VERSIONS);
		return false;
	}
	*ret_is_stateless = r >= AG_MCP_2026_07_28;
	return true;
}

ag_mcp_session *ag_server_mcp_session(ag_server *h, ag_httpd_request *rq, ag_httpd_reply *rp,
                                      const ag_caller *who)
{
	ag_str id = ag_httpd_header_of(rq, "Mcp-Session-Id");
	ag_mcp_session *s;

	if (!id.len) {
		refuse(rp, 400, "Mcp-Session-Id is missing: begin with initialize");
		return NULL;
	}
	s = ag_mcp_session_find(h->mcp, id, who);
	if (!s)
		refuse(rp, 404, "there is no such session, or it ended: begin with initialize");
	return s;
}

static int status_of(ag_mcp_outcome o)
{
	switch (o) {
	case AG_MCP_ACCEPTED: return 202;
	case AG_MCP_ANSWERED: break;
	case AG_MCP_BAD_REQUEST: return 400;
	case AG_MCP_NOT_A_METHOD: return 404;
	}
	return 200;
}

void ag_server_mcp_answer(ag_httpd_reply *rp, ag_arena *arena, ag_mcp_answer *a)
{
	rp->status = status_of(a->outcome);
	if (a->opened)
		ag_httpd_add_header(rp, "Mcp-Session-Id",
		                    ag_str_dup(arena, ag_mcp_session_id(a->opened)));
	if (a->text.len) {
		rp->content_type = AG_S("application/json");
		ag_buf_release(&rp->body);
		rp->body = a->text;
		a->text = (ag_buf)AG_BUF_INIT(0);
	}
	ag_mcp_answer_release(a);
}

/* In the request's arena, which lives until the reply is out. */
typedef struct plain_call {
	ag_server *h;
	ag_httpd_request *rq;
	ag_httpd_reply *rp;
	ag_mcp_session *session; /* a share */
	ag_mcp_peer peer;
	ag_mcp_later later;
	ag_mcp_answer answer;
	ag_server_grant *grant;
	atomic_bool is_revoked;
} plain_call;

static void revoked(void *arg)
{
	plain_call *c = (plain_call *)arg;

	atomic_store(&c->is_revoked, true);
	ag_mcp_gone(c->h->mcp, &c->peer);
}

static void finish(plain_call *c)
{
	ag_server_grant_end(c->h, c->grant);
	if (atomic_load(&c->is_revoked)) {
		ag_mcp_answer_release(&c->answer);
		ag_server_revoked(c->h, c->rq, c->rp);
	} else {
		ag_server_mcp_answer(c->rp, c->rq->arena, &c->answer);
	}
	ag_mcp_session_drop(c->session);
}

/* The row of the call is committed, or cannot be. */
static void recorded(void *arg, ag_status st, const ag_err *err)
{
	plain_call *c = (plain_call *)arg;

	if (st)
		ag_mcp_withhold(&c->later, err);
	finish(c);
	ag_httpd_send(c->rq);
}

static void record(void *arg, ag_httpd_request *rq, ag_httpd_reply *rp)
{
	plain_call *c = (plain_call *)arg;
	ag_project_later *row = &c->later.row;

	(void)rq;
	(void)rp;
	ag_journal_put_off(row->journal, row->call->open.began_us ? &row->call->open : NULL,
	                   &row->call->row, &row->item, recorded, c);
}

/* The connection's thread runs it, and does not wait for its row. A client that leaves is seen at its socket by what takes
 * long. */
static void run(ag_server *h, ag_httpd_request *rq, ag_httpd_reply *rp, const ag_caller *who,
                ag_mcp_session *session, const ag_mcp_glance *g)
{
	plain_call *c = ag_new(rq->arena, plain_call);

	c->h = h;
	c->rq = rq;
	c->rp = rp;
	c->session = session;
	c->peer = (ag_mcp_peer){ .watch_fd = rq->fd,
		                 .span = ag_server_span(rq),
		                 .later = h->opts.journal ? &c->later : NULL };
	c->grant = ag_server_grant_new(h, (ag_server_caller *)rq->note, revoked, c);
	ag_mcp_handle_seen(h->mcp, session, who, &c->peer, g, &c->answer);
	if (c->later.row.journal) {
		rp->later = record;
		rp->later_arg = c;
	} else {
		finish(c);
	}
}

/* False: the headers say something else than the body, or the message is not one of this era. */
static bool check_stateless(ag_httpd_request *rq, ag_httpd_reply *rp, const ag_mcp_glance *g)
{
	ag_str version = ag_httpd_header_of(rq, "MCP-Protocol-Version");
	const bool is_handshake = ag_str_eq(g->method, AG_S("initialize")) ||
	                          ag_str_eq(g->method, AG_S("ping"));
	ag_mcp_revision r;
	const char *wrong;

	if (g->kind == AG_RPC_RESULT || g->kind == AG_RPC_ERROR) {
		refuse(rp, 400, "2026-07-28 has no questions of the server: nothing to respond to");
		return false;
	}
	/* What lacks a revision, or has one that is not known here, is answered by the server: that is the greater fault. */
	if (g->kind == AG_RPC_REQUEST && !g->revision.len && !is_handshake)
		return true;
	if (ag_str_eq(version, g->revision) &&
	    (!ag_mcp_revision_read(g->revision, &r) || r < AG_MCP_2026_07_28))
		return true;
	wrong = ag_mcp_header_mismatch(g, version, ag_httpd_header_of(rq, "Mcp-Method"),
	                               ag_httpd_header_of(rq, "Mcp-Name"), rq->arena);
	if (wrong)
		ag_server_mcp_refuse(rp, 400, AG_MCP_HEADER_MISMATCH, g->message.id, wrong);
	return !wrong;
}

static bool check_types(ag_httpd_request *rq, ag_httpd_reply *rp)
{
	ag_str accept = ag_httpd_header_of(rq, "Accept");

	if (!ag_mcp_is_json(ag_httpd_header_of(rq, "Content-Type"))) {
		refuse(rp, 415, "want Content-Type: application/json");
		return false;
	}
	if (!ag_mcp_accepts(accept, AG_S("application/json")) ||
	    !ag_mcp_accepts(accept, AG_S("text/event-stream"))) {
		refuse(rp, 406, "want Accept: application/json, text/event-stream");
		return false;
	}
	return true;
}

void ag_server_mcp_post(void *env, ag_httpd_request *rq, ag_httpd_reply *rp)
{
	ag_server *h = (ag_server *)env;
	const ag_caller *who = ag_server_who(h, rq);
	ag_mcp_session *session = NULL;
	bool is_stateless = false;
	ag_mcp_glance *g = ag_new(rq->arena, ag_mcp_glance); /* an answer may be put off */
	bool is_known;

	if (!check_types(rq, rp))
		return;
	ag_mcp_look(h->mcp, rq->body, rq->arena, g);
	if (!g->is_readable) {
		run(h, rq, rp, who, NULL, g);
		return;
	}
	/* A body that says its revision is of the stateless era, whatever the header says: that is checked against it. */
	is_known = ag_server_mcp_version(rq, rp, &is_stateless);
	if (g->revision.len)
		is_stateless = true;
	else if (!is_known)
		return;
	rp->status = 200;
	ag_buf_clear(&rp->body);
	if (is_stateless) {
		if (!check_stateless(rq, rp, g))
			return;
	} else if (g->kind != AG_RPC_REQUEST || !ag_str_eq(g->method, AG_S("initialize"))) {
		session = ag_server_mcp_session(h, rq, rp, who);
		if (!session)
			return;
	}
	if (g->wants_stream)
		ag_server_mcp_call(h, rq, rp, who, session);
	else
		run(h, rq, rp, who, session, g);
}
