/* Requests with an Idempotency-Key: done once, and answered again with the first answer (store/idempotency.h).
 *
 * In one place for all routes: the key is claimed before the handler runs. What was refused, or failed, changed nothing: its key
 * is given back. An answer that is a stream, has a secret or is too large is not kept; a second request then gets 409. */
#include "base/log.h"
#include "base/sha256.h"
#include "server/chat.h"
#include "server/problem.h"
#include "server/route_doc.h"
#include "store/idempotency.h"

#define MAX_KEY 255u /* bytes */

/* Anything that can be printed, without blanks: a UUID, most often. */
static bool check_key(ag_httpd_reply *rp, ag_str key)
{
	bool is_good = key.len <= MAX_KEY;

	for (size_t i = 0; i < key.len && is_good; i++)
		is_good = key.ptr[i] > ' ' && key.ptr[i] <= '~';
	if (!is_good)
		ag_server_problem(rp, 400, "the Idempotency-Key cannot be used",
		                  "want 1 to 255 printable characters without blanks");
	return is_good;
}

static bool takes_key(const ag_httpd_request *rq, ag_httpd_reply *rp)
{
	if (ag_doc_takes_key(rq->route))
		return true;
	ag_server_problem(rp, 400, "this route takes no Idempotency-Key", "leave the header away");
	return false;
}

static ag_str hash_of(ag_arena *arena, ag_str text)
{
	const ag_sha256_hex hash = ag_sha256(text);

	return ag_str_dup(arena, ag_str_c(hash.text));
}

static ag_idempotency read_request(ag_server *h, ag_httpd_request *rq, const ag_httpd_reply *rp,
                                   ag_str key)
{
	const ag_str body = hash_of(rq->arena, rq->body), user = ag_server_who(h, rq)->user;

	return (ag_idempotency){
		.key = hash_of(rq->arena,
		               ag_str_printf(rq->arena, "%.*s\n%.*s", AG_FMT(user), AG_FMT(key))),
		.request = hash_of(rq->arena, ag_str_printf(rq->arena, "%.*s %.*s?%.*s %.*s",
		                                            AG_FMT(rq->method), AG_FMT(rq->path),
		                                            AG_FMT(rq->query), AG_FMT(body))),
		.claim = ag_str_c(rp->id),
		.now_ms = ag_clock_wall(h->opts.clock),
	};
}

static void answer_again(const ag_idempotent_answer *a, ag_httpd_reply *rp)
{
	if (!a->is_same) {
		ag_server_problem(rp, 422, "this Idempotency-Key came with another request",
		                  "take a new key for each thing that is to be done");
	} else if (!a->status) {
		ag_server_problem(
			rp, 409,
			"a request with this Idempotency-Key is being answered, or was cut off",
			"ask again; if that does not help, look whether it was done");
		rp->retry_after_s = 1;
	} else if (ag_str_eqc(a->media, AG_IDEMPOTENCY_UNKEPT)) {
		ag_server_problem(rp, 409, "this was done before, and its answer is not kept",
		                  "read what was made by its own route");
	} else {
		rp->status = a->status;
		rp->content_type = a->media;
		ag_buf_add(&rp->body, a->body);
		ag_httpd_add_header(rp, "Idempotent-Replayed", AG_S("true"));
	}
}

/* A reply that is out of reach of the store goes out all the same: the work is done. The key stays claimed then. */
static void settle(ag_server *h, const ag_httpd_request *rq, const ag_httpd_reply *rp,
                   const ag_idempotency *i)
{
	const ag_str body = rp->borrowed.ptr ? rp->borrowed : ag_buf_view(&rp->body);
	const bool is_kept = rq->route->doc->retry == AG_DOC_RETRY_KEPT && !rp->stream &&
	                     body.len <= AG_IDEMPOTENCY_MAX_BODY;
	const ag_idempotent_answer a = { .status = rp->status,
		                         .media = is_kept ? rp->content_type
		                                          : AG_S(AG_IDEMPOTENCY_UNKEPT),
		                         .body = is_kept ? body : AG_S("") };
	ag_store *s;
	ag_err err = { 0 };
	ag_status st;

	if (rp->later) /* whether it was done shows later: the key stays claimed, and 409 says so */
		return;
	s = ag_server_chat_store(h);
	st = rp->stream || rp->status < 300 ? ag_store_keep_answer(s, i, &a, &err)
	                                    : ag_store_drop_key(s, i, &err);
	if (st)
		ag_log(AG_LOG_WARN, "idempotency_failed",
		       "%s: the answer of a request with a key: %s", rp->id, err.msg);
	ag_store_close(s);
}

void ag_server_run_once(ag_server *h, ag_httpd_request *rq, ag_httpd_reply *rp, ag_str key)
{
	ag_idempotent_answer a = { 0 };
	ag_store *s;
	ag_err err = { 0 };
	ag_idempotency i;
	ag_status st;

	if (!takes_key(rq, rp) || !check_key(rp, key))
		return;
	s = ag_server_store_of(h, rp);
	if (!s)
		return;
	i = read_request(h, rq, rp, key);
	st = ag_store_claim_key(s, &i, rq->arena, &a, &err);
	ag_store_close(s);
	if (st) {
		ag_server_problem_of(rp, &err);
	} else if (a.is_claimed) {
		ag_http_route_run(rq->route, h, rq, rp);
		settle(h, rq, rp, &i);
	} else {
		answer_again(&a, rp);
	}
}
