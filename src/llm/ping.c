/* ping -- the cheapest question to a server: which models do you have? One GET, no retry, no breaker: it is asked by
 * people who want to know how things are now. */
#include "llm/hub.h"

#define PING_MS       10000
#define MAX_BYTES     (8u << 20)
#define NEAREST_BYTES 64 /* longer names are compared in vain */

static ag_status ask_list(ag_llm *l, const ag_ctx *ctx, ag_arena *arena, ag_http_response *ret,
                          ag_err *err)
{
	ag_transport *t = l->hub->transport;
	ag_http_header headers[AG_WIRE_MAX_HEADERS];
	const ag_http_request r = {
		.method = AG_S("GET"),
		.url = l->list_url,
		.headers = headers,
		.nheader = l->wire->headers(&l->model, arena, headers),
		.timeouts = { PING_MS, PING_MS, PING_MS, PING_MS },
		.max_body_bytes = MAX_BYTES,
	};

	return t->type->send(t, ctx, "ping", l->wire->name, &r, arena, ret, err);
}

/* "models/gemini-2.5-pro" and "llama3:latest" are known by their shorter names as well. */
static bool is_same(ag_str listed, ag_str model)
{
	const char *slash = (const char *)memrchr(listed.ptr, '/', listed.len);

	if (ag_str_eq(listed, model))
		return true;
	if (listed.len == model.len + 7 && ag_str_starts(listed, model) &&
	    ag_str_ends(listed, AG_S(":latest")))
		return true;
	if (!slash || !model.len)
		return false;
	return ag_str_eq(ag_str_make(slash + 1, (size_t)(listed.ptr + listed.len - slash) - 1),
	                 model);
}

static ag_str nearest_of(ag_str model, const ag_str *names, size_t n, ag_arena *arena)
{
	const char **list = ag_new_n(arena, const char *, n + 1);
	const char *found;
	size_t k = 0;

	for (size_t i = 0; i < n; i++) {
		if (names[i].len && names[i].len <= NEAREST_BYTES)
			list[k++] = ag_str_cstr(arena, names[i]);
	}
	found = k ? ag_str_nearest(model, list, k) : NULL;
	return found ? ag_str_c(found) : AG_S("");
}

static ag_status read_list(ag_llm *l, ag_str body, ag_arena *arena, ag_llm_ping *ret)
{
	ag_str *names = NULL;
	size_t n = 0;

	if (ag_wire_model_list(body, arena, &names, &n, NULL))
		return AG_OK; /* it answered, but what it has is not to be read */
	ret->lists_models = true;
	ret->nmodel = n;
	for (size_t i = 0; i < n && !ret->has_model; i++)
		ret->has_model = names[i].len && is_same(names[i], l->model.model);
	if (!ret->has_model)
		ret->nearest = nearest_of(l->model.model, names, n, arena);
	return AG_OK;
}

static ag_status judge(ag_llm *l, const ag_http_response *res, ag_arena *arena, ag_llm_ping *ret,
                       ag_err *err)
{
	ag_status st;

	if (res->status >= 200 && res->status <= 299 &&
	    ag_str_starts(ag_str_trim(res->body), AG_S("<"))) {
		ag_fail(err, AG_PROTOCOL, "llm.ping",
		        "%.*s answered with a web page: this is no model server", AG_FMT(l->host));
		return ag_err_hint(err, "check base_url of model \"%.*s\"", AG_FMT(l->model.name));
	}
	if (res->status >= 200 && res->status <= 299 && !ag_str_trim(res->body).len) {
		ag_fail(err, AG_PROTOCOL, "llm.ping", "%.*s gave an empty answer (HTTP %d)",
		        AG_FMT(l->host), res->status);
		return ag_err_hint(err, "check base_url of model \"%.*s\"", AG_FMT(l->model.name));
	}
	if (res->status >= 200 && res->status <= 299)
		return read_list(l, res->body, arena, ret);
	if (res->status == 404 || res->status == 405 || res->status == 501)
		return AG_OK; /* it is there and has no list */
	if (res->status >= 300 && res->status <= 399) {
		ag_fail(err, AG_INVALID, "llm.ping",
		        "%.*s answered %d and points elsewhere: requests and keys do not follow",
		        AG_FMT(l->host), res->status);
		return ag_err_hint(err,
		                   "set base_url of model \"%.*s\" to the address that is meant",
		                   AG_FMT(l->model.name));
	}
	st = ag_wire_fail("llm.ping", res->body, res->status, err);
	if (err)
		err->native = res->status;
	if (st == AG_DENIED && err && !err->hint[0])
		ag_err_hint(err,
		            "check the key of model \"%.*s\"; \"argus models\" shows where it "
		            "comes from",
		            AG_FMT(l->model.name));
	return st;
}

ag_status ag_llm_ping_model(ag_llm *l, const ag_ctx *ctx, ag_arena *arena, ag_llm_ping *ret,
                            ag_err *err)
{
	int64_t begin = ag_llm_mono(l, ctx);
	ag_http_response res = { 0 };
	ag_llm_ping ping = { 0 };
	ag_status st = ask_list(l, ctx, arena, &res, err);

	if (!st)
		st = judge(l, &res, arena, &ping, err);
	if (st) {
		ag_llm_hide_key(l->model.key, err);
		return st;
	}
	ping.latency_ms = ag_llm_mono(l, ctx) - begin;
	*ret = ping;
	return AG_OK;
}
