/* How the server is: alive, ready for requests, and in numbers for Prometheus. */
#include "run/span.h"
#include "server/chat.h"

static void answer(ag_httpd_reply *rp, int status, const char *text)
{
	rp->status = status;
	rp->content_type = AG_S("text/plain; charset=utf-8");
	ag_buf_adds(&rp->body, text);
}

/* The process answers: nothing else is asked. */
void ag_server_healthz(void *env, ag_httpd_request *rq, ag_httpd_reply *rp)
{
	(void)env;
	(void)rq;
	answer(rp, 200, "ok\n");
}

static bool is_stopping(ag_server *h)
{
	bool ret = false;

	if (!h->chat)
		return false;
	pthread_mutex_lock(&h->chat->lock);
	ret = h->chat->is_stopped;
	pthread_mutex_unlock(&h->chat->lock);
	return ret;
}

/* Can a request be served: the store answers, and the server does not stop? */
void ag_server_readyz(void *env, ag_httpd_request *rq, ag_httpd_reply *rp)
{
	ag_server *h = (ag_server *)env;
	bool is_there = true;

	if (is_stopping(h)) {
		answer(rp, 503, "the server is stopping\n");
		return;
	}
	if (h->chat) {
		AG_AUTO(ag_store_closep) ag_store *s = ag_server_chat_store(h);
		ag_id *ids;
		size_t n;

		is_there = !ag_store_stopped_threads(s, rq->arena, &ids, &n, NULL);
	}
	answer(rp, is_there ? 200 : 503, is_there ? "ready\n" : "the store does not answer\n");
}

static void metric(ag_buf *out, const char *name, const char *type, const char *help, uint64_t n)
{
	ag_buf_addf(out, "# HELP %s %s\n# TYPE %s %s\n%s %llu\n", name, help, name, type, name,
	            (unsigned long long)n);
}

/* source  https://prometheus.io/docs/instrumenting/exposition_formats/ */
void ag_server_metrics(void *env, ag_httpd_request *rq, ag_httpd_reply *rp)
{
	ag_server *h = (ag_server *)env;
	struct ag_server_chat_state *c = h->chat, now = { 0 };
	const ag_span_counts spans = ag_span_counted();

	(void)rq;
	if (c) {
		pthread_mutex_lock(&c->lock);
		now.nturn = c->nturn;
		now.nfollow = c->nfollow;
		now.nbegun = c->nbegun;
		now.nfailed = c->nfailed;
		now.ncancelled = c->ncancelled;
		now.nlimited = c->nlimited;
		pthread_mutex_unlock(&c->lock);
	}
	rp->content_type = AG_S("text/plain; version=0.0.4; charset=utf-8");
	ag_buf_addf(&rp->body,
	            "# HELP argus_build_info The version that runs.\n# TYPE argus_build_info "
	            "gauge\nargus_build_info{version=\"%s\"} 1\n",
	            AG_VERSION);
	metric(&rp->body, "argus_turns_running", "gauge", "Questions that are being answered.",
	       now.nturn);
	metric(&rp->body, "argus_turns_followed", "gauge",
	       "Readers of answers that another process writes.", now.nfollow);
	metric(&rp->body, "argus_turns_total", "counter", "Questions that were begun.", now.nbegun);
	metric(&rp->body, "argus_turns_failed_total", "counter", "Questions that failed.",
	       now.nfailed);
	metric(&rp->body, "argus_turns_cancelled_total", "counter", "Questions that were stopped.",
	       now.ncancelled);
	metric(&rp->body, "argus_turns_limited_total", "counter",
	       "Questions above the limit of their user.", now.nlimited);
	metric(&rp->body, "argus_spans_exported_total", "counter", "Spans that the collector took.",
	       spans.nexported);
	metric(&rp->body, "argus_spans_dropped_total", "counter",
	       "Spans that were given up: too many waited, or the collector did not take them.",
	       spans.ndropped);
}
