/* recording -- the codec of one exchange.
 *
 * Reading: the whole line is parsed first, then the request's own bytes are cut out of it (llm/json_text.h wants text
 * that is known to be JSON). The tree alone would not do: it forgets how numbers and strings were written. */
#include "llm/recording.h"

#include <stdlib.h>

#include "base/json.h"
#include "base/log.h"
#include "base/time.h"
#include "base/utf8.h"
#include "llm/json_text.h"
#include "query/extjson.h"

#define MAX_CLEAN_BYTES (2 * AG_RECORDING_MAX_LINE_BYTES)

/* --- writing ------------------------------------------------------------------------------------- */

static bool clean(ag_str text, ag_buf *out)
{
	ag_buf_clear(out);
	return ag_log_clean(text, out) && !out->failed;
}

/* A JSON object or array is written as it is; every other body is written as a string. Were a scalar
 * written as it is, the reader could not tell the body "x" with its quotes from the body x. */
static bool is_raw_body(ag_str text)
{
	ag_arena *scratch = ag_arena_new();
	ag_val v;
	bool ok = !ag_extjson_parse(text, &(ag_extjson_opts){ 0 }, scratch, &v, NULL, NULL, NULL) &&
	          (v.type == AG_T_OBJECT || v.type == AG_T_ARRAY);

	ag_arena_free(scratch);
	return ok;
}

static void one_line(ag_buf *b)
{
	for (size_t i = 0; i < b->len; i++) {
		if (b->ptr[i] == '\n' || b->ptr[i] == '\r')
			b->ptr[i] = ' ';
	}
}

ag_str ag_exchange_request(ag_str body, ag_arena *arena)
{
	ag_buf b = AG_BUF_INIT(MAX_CLEAN_BYTES);
	ag_str ret;

	if (!clean(body, &b))
		ag_buf_clear(&b);
	ret = ag_buf_view(&b);
	if (is_raw_body(ret)) {
		one_line(&b);
		ret = ag_str_trim(ret); /* the reader sees the value alone */
	}
	ret = ag_str_dup(arena, ret);
	ag_buf_release(&b);
	return ret;
}

static bool put_request(ag_jw *w, ag_str body, ag_buf *tmp)
{
	if (!body.len)
		return true;
	if (!clean(body, tmp))
		return false;
	if (!is_raw_body(ag_buf_view(tmp))) {
		ag_jw_kstr(w, "request", ag_buf_view(tmp));
		return true;
	}
	one_line(tmp);
	ag_jw_kraw(w, "request", ag_buf_view(tmp));
	return true;
}

static bool put_response(ag_jw *w, ag_str body, ag_buf *tmp)
{
	ag_str text;
	ag_val v = { .type = AG_T_BINARY };

	if (!clean(body, tmp))
		return false;
	text = ag_buf_view(tmp);
	if (ag_utf8_valid(text)) {
		ag_jw_kstr(w, "response", text);
		return true;
	}
	v.n = (uint32_t)text.len;
	v.u.s = text.ptr;
	ag_jw_kkey(w, "response");
	ag_jw_raw(w, AG_S(""));
	ag_extjson_write(w->out, &v, AG_EXTJSON_CANONICAL);
	return true;
}

static bool put_text(ag_jw *w, const char *key, ag_str text, ag_buf *tmp)
{
	if (!clean(text, tmp))
		return false;
	ag_jw_kstr(w, key, ag_buf_view(tmp));
	return true;
}

static bool put_error(ag_jw *w, const ag_err *e, ag_buf *tmp)
{
	bool ok = true;

	if (!e->status)
		return true;
	ag_jw_kkey(w, "error");
	ag_jw_obj(w);
	ag_jw_kstr(w, "status", ag_str_c(ag_status_name(e->status)));
	ag_jw_kint(w, "native", e->native);
	ok &= put_text(w, "message", ag_str_c(e->msg), tmp);
	ok &= put_text(w, "hint", ag_str_c(e->hint), tmp);
	ag_jw_obj_end(w);
	return ok;
}

/* Where its query begins, else its length. */
static size_t query_of(ag_str url)
{
	const ptrdiff_t at = ag_str_find(url, '?');

	return at < 0 ? url.len : (size_t)at;
}

ag_status ag_exchange_write(const ag_exchange *x, ag_buf *out, ag_err *err)
{
	ag_buf tmp = AG_BUF_INIT(MAX_CLEAN_BYTES);
	bool ok = true;
	ag_jw w;

	ag_jw_init(&w, out, 0);
	ag_jw_obj(&w);
	ag_jw_kuint(&w, "n", x->n);
	ok &= put_text(&w, "purpose", x->purpose, &tmp);
	ok &= put_text(&w, "provider", x->provider, &tmp);
	ok &= put_text(&w, "url", ag_str_make(x->url.ptr, query_of(x->url)), &tmp);
	ok &= put_request(&w, x->request, &tmp);
	ag_jw_kint(&w, "status", x->status);
	ok &= put_text(&w, "content_type", x->content_type, &tmp);
	ok &= put_text(&w, "retry_after", x->retry_after, &tmp);
	if (x->location.len)
		ok &= put_text(&w, "location", x->location, &tmp);
	ok &= put_response(&w, x->response, &tmp);
	ok &= put_error(&w, &x->error, &tmp);
	ag_jw_obj_end(&w);
	ag_buf_release(&tmp);
	if (!ok)
		return ag_fail(err, AG_LIMIT, "llm.recording",
		               "secrets cannot be kept out of the recording: there are too many, "
		               "or the exchange is too large");
	if (out->failed || out->len > AG_RECORDING_MAX_LINE_BYTES)
		return ag_fail(err, AG_LIMIT, "llm.recording",
		               "an exchange is larger than a recording can hold (%u MB)",
		               AG_RECORDING_MAX_LINE_BYTES >> 20);
	return AG_OK;
}

/* --- reading ------------------------------------------------------------------------------------- */

static ag_status bad(ag_err *err, const char *what)
{
	return ag_fail(err, AG_INVALID, "llm.recording", "%s", what);
}

static ag_status status_of(ag_str name)
{
	for (int i = 0; i < AG_STATUS_COUNT; i++) {
		if (ag_str_eqc(name, ag_status_name((ag_status)i)))
			return (ag_status)i;
	}
	return AG_OK;
}

static ag_status read_error(const ag_val *v, ag_err *ret, ag_err *err)
{
	const ag_val *native;
	ag_str msg, hint;
	int64_t code = 0;
	ag_status st;

	if (!v)
		return AG_OK;
	msg = ag_val_member_str(v, "message");
	hint = ag_val_member_str(v, "hint");
	native = ag_val_getc(v, "native");
	st = status_of(ag_val_member_str(v, "status"));
	if (st == AG_OK)
		return bad(err, "\"error.status\" is no status");
	if (native && (!ag_val_to_i64(native, &code) || code < 0 || code > 99999))
		return bad(err, "\"error.native\" is out of range");
	ag_fail(ret, st, "llm.recording", "%.*s", (int)(msg.len < 400 ? msg.len : 400), msg.ptr);
	ret->native = (int)code;
	if (hint.len)
		ag_err_hint(ret, "%.*s", (int)(hint.len < 200 ? hint.len : 200), hint.ptr);
	return AG_OK;
}

static ag_status read_response(const ag_val *v, ag_arena *arena, ag_str *ret, ag_err *err)
{
	ag_val typed;

	if (v && v->type == AG_T_STRING) {
		*ret = ag_val_text(v);
		return AG_OK;
	}
	if (v && ag_extjson_typed(arena, v, false, &typed) && typed.type == AG_T_BINARY) {
		*ret = ag_val_text(&typed);
		return AG_OK;
	}
	return bad(err, "\"response\" is neither text nor {\"$binary\":…}");
}

ag_status ag_exchange_read(ag_str line, ag_arena *arena, ag_exchange *ret, ag_err *err)
{
	const ag_val *request, *status;
	ag_exchange x = { 0 };
	int64_t code = 0;
	ag_status st;
	ag_val v;

	st = ag_extjson_parse(line, &(ag_extjson_opts){ 0 }, arena, &v, NULL, NULL, err);
	if (st)
		return st;
	if (v.type != AG_T_OBJECT)
		return bad(err, "a line must be a JSON object");
	status = ag_val_getc(&v, "status");
	if (!status || !ag_val_to_i64(status, &code) || code < 0 || code > 999)
		return bad(err, "\"status\" is missing or out of range");
	x.n = ag_val_member_u64(&v, "n");
	x.purpose = ag_val_member_str(&v, "purpose");
	x.provider = ag_val_member_str(&v, "provider");
	x.url = ag_val_member_str(&v, "url");
	if (query_of(x.url) == 0) /* a query alone would be written as nothing */
		return bad(err, "\"url\" is missing");
	x.status = (int)code;
	x.content_type = ag_val_member_str(&v, "content_type");
	x.retry_after = ag_val_member_str(&v, "retry_after");
	x.location = ag_val_member_str(&v, "location");
	request = ag_val_getc(&v, "request");
	if (request && request->type == AG_T_STRING)
		x.request = ag_val_text(request);
	else if (request && request->type != AG_T_NULL)
		x.request = ag_json_raw_member(line, "request");
	st = read_response(ag_val_getc(&v, "response"), arena, &x.response, err);
	if (!st)
		st = read_error(ag_val_getc(&v, "error"), &x.error, err);
	if (!st)
		*ret = x;
	return st;
}

ag_status ag_recording_header(ag_str line, ag_arena *arena, int64_t *ret_at_ms, ag_err *err)
{
	uint64_t version = 0;
	ag_val v;

	*ret_at_ms = 0;
	if (!ag_extjson_parse(line, &(ag_extjson_opts){ 0 }, arena, &v, NULL, NULL, NULL)) {
		version = ag_val_member_u64(&v, "argus_recording");
		if (!ag_time_parse_iso(ag_val_member_str(&v, "at"), ret_at_ms))
			*ret_at_ms = 0;
	}
	if (version == 0)
		return bad(err, "this is no recording of Argus: the first line is not its header");
	if (version != AG_RECORDING_VERSION)
		return ag_fail(err, AG_INVALID, "llm.recording",
		               "the recording has version %llu, this Argus reads version %d",
		               (unsigned long long)version, AG_RECORDING_VERSION);
	return AG_OK;
}

ag_str ag_exchange_path(ag_str url)
{
	const char *at = (const char *)memmem(url.ptr, url.len, "://", 3);
	size_t i = at ? (size_t)(at - url.ptr) + 3 : 0;

	while (i < url.len && url.ptr[i] != '/')
		i++;
	url.len = query_of(url);
	return i < url.len ? ag_str_make(url.ptr + i, url.len - i) : AG_S("");
}
