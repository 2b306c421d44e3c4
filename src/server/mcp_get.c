/* GET: the session's own stream, or the rest of one that was cut off (Last-Event-ID). DELETE: ends the session. Only the
 * handshake era has them. */
#include "server/parts.h"

static void refuse(ag_httpd_reply *rp, int status, const char *message)
{
	ag_server_mcp_refuse(rp, status, AG_RPC_INVALID_REQUEST, AG_S("null"), message);
}

static void resume(ag_server *h, ag_httpd_reply *rp, ag_mcp_session *session, ag_str id)
{
	uint64_t number, place;
	ag_server_stream *s;

	if (!ag_mcp_event_read(id, &number, &place) || number == 0) {
		refuse(rp, 400, "Last-Event-ID is none that this server gave");
		return;
	}
	s = ag_server_stream_find(h, session, number);
	if (!s) {
		refuse(rp, 400, "the stream of Last-Event-ID is over, or was kept too long");
		return;
	}
	ag_server_stream_read(s, place, rp);
	ag_server_stream_drop(s);
}

/* One reader at a time: a message goes over one stream only. */
static void listen_to(ag_server *h, const ag_httpd_request *rq, ag_httpd_reply *rp,
                      ag_mcp_session *session, const ag_caller *who)
{
	ag_server_stream *s = ag_server_stream_find(h, session, 0);

	if (s && ag_server_stream_has_reader(s)) {
		refuse(rp, 409, "the session's stream is open already");
	} else if (s) {
		ag_server_stream_read(s, AG_SERVER_STREAM_UNSENT, rp);
	} else {
		ag_mcp_session *share = ag_mcp_session_find(h->mcp, ag_mcp_session_id(session),
		                                            who);

		if (!share) {
			refuse(rp, 404, "the session ended");
			return;
		}
		s = ag_server_stream_new(h, &(ag_server_stream_opts){ .session = share,
		                                                      .is_listening = true });
		ag_server_stream_grant(s, (ag_server_caller *)rq->note);
		if (ag_server_stream_listen(s))
			ag_server_stream_read(s, AG_SERVER_STREAM_UNSENT, rp);
		else
			refuse(rp, 409,
			       "the session's stream is open already, or the session ends");
	}
	ag_server_stream_drop(s);
}

void ag_server_mcp_get(void *env, ag_httpd_request *rq, ag_httpd_reply *rp)
{
	ag_server *h = (ag_server *)env;
	const ag_caller *who = ag_server_who(h, rq);
	ag_str last = ag_httpd_header_of(rq, "Last-Event-ID");
	ag_mcp_session *session;
	bool is_stateless;

	if (!ag_server_mcp_version(rq, rp, &is_stateless))
		return;
	if (is_stateless) {
		refuse(rp, 405, "2026-07-28 has no GET");
		ag_httpd_add_header(rp, "Allow", AG_S("POST"));
		return;
	}
	if (!ag_mcp_accepts(ag_httpd_header_of(rq, "Accept"), AG_S("text/event-stream"))) {
		refuse(rp, 406, "want Accept: text/event-stream");
		return;
	}
	session = ag_server_mcp_session(h, rq, rp, who);
	if (!session)
		return;
	if (last.len)
		resume(h, rp, session, last);
	else
		listen_to(h, rq, rp, session, who);
	ag_mcp_session_drop(session);
}

void ag_server_mcp_delete(void *env, ag_httpd_request *rq, ag_httpd_reply *rp)
{
	ag_server *h = (ag_server *)env;
	const ag_caller *who = ag_server_who(h, rq);
	ag_mcp_session *session;
	bool is_stateless;

	if (!ag_server_mcp_version(rq, rp, &is_stateless))
		return;
	if (is_stateless) {
		ag_httpd_error(rp, 405, "method_not_allowed", "2026-07-28 has no sessions");
		ag_httpd_add_header(rp, "Allow", AG_S("POST"));
		return;
	}
	session = ag_server_mcp_session(h, rq, rp, who);
	if (!session)
		return;
	ag_mcp_session_end(h->mcp, session);
	ag_mcp_session_drop(session);
	rp->status = 204;
}
