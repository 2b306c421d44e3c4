/* Host and Origin of a request, and what a browser must be told before a page of another origin may use the server (CORS). */
#include "server/parts.h"
#include "server/problem.h"

#define MAX_AGE_S   AG_S("600") /* a browser keeps what a preflight said */
#define ALL_METHODS AG_S("GET, POST, PUT, PATCH, DELETE, HEAD")

static ag_access_rules rules_of(const ag_server *h, const ag_httpd *d)
{
	return (ag_access_rules){
		.is_loopback = ag_httpd_is_loopback(d),
		.bound = h->opts.listen.host,
		.port = ag_httpd_port(d),
		.hosts = h->opts.hosts,
		.nhost = h->opts.nhost,
		.origins = h->opts.origins,
		.norigin = h->opts.norigin,
	};
}

/* What a browser asks before it lets the page send its request. */
static bool answer_preflight(ag_httpd_request *rq, ag_httpd_reply *rp)
{
	ag_str method = ag_httpd_header_of(rq, "Access-Control-Request-Method");
	ag_str headers = ag_httpd_header_of(rq, "Access-Control-Request-Headers");

	if (!ag_str_eqc(rq->method, "OPTIONS") || method.len == 0)
		return false;
	rp->status = 204;
	ag_httpd_add_header(rp, "Access-Control-Allow-Methods", ALL_METHODS);
	if (headers.len)
		ag_httpd_add_header(rp, "Access-Control-Allow-Headers", headers);
	ag_httpd_add_header(rp, "Access-Control-Max-Age", MAX_AGE_S);
	return true;
}

bool ag_server_may_come(const ag_server *h, ag_httpd_request *rq, ag_httpd_reply *rp)
{
	const ag_access_rules rules = rules_of(h, rq->server);
	ag_str host = ag_httpd_header_of(rq, "Host");
	ag_str origin = ag_httpd_header_of(rq, "Origin");
	bool is_cross = false;

	/* Only HTTP/1.0 may come without. */
	if (host.len && !ag_access_host_allowed(&rules, host)) {
		ag_server_refuse(rq, rp, 403, "host_not_allowed",
		                 "this server does not answer to that Host");
		return false;
	}
	if (origin.len && !ag_access_origin_allowed(&rules, origin, host, &is_cross)) {
		ag_server_refuse(rq, rp, 403, "origin_not_allowed",
		                 "pages of that Origin may not use this server");
		return false;
	}
	if (!is_cross)
		return true;
	ag_httpd_add_header(rp, "Access-Control-Allow-Origin", origin);
	ag_httpd_add_header(rp, "Access-Control-Expose-Headers", AG_S("*"));
	ag_httpd_add_header(rp, "Vary", AG_S("Origin"));
	return !answer_preflight(rq, rp);
}
