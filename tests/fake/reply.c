/* What both protocols share: events of a stream, pieces of text, usage, errors, the list of models. Read
 * fm_reply_answer() first. */
#include "reply.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/utf8.h"

void fm_reply_release(fm_reply *r)
{
	ag_buf_release(&r->body);
	free(r->ends);
	*r = (fm_reply){ 0 };
}

static void begin(fm_reply *r, int status, const char *content_type)
{
	*r = (fm_reply){ .status = status,
		         .content_type = content_type,
		         .body = AG_BUF_INIT(FM_MAX_REPLY_BYTES) };
}

/* ---------------------------------------------------------------- events */

static const char *newline(const fm_answer *a)
{
	return fm_has(a, FM_QUIRK_CRLF) ? "\r\n" : fm_has(a, FM_QUIRK_CR) ? "\r" : "\n";
}

static void event_ended(fm_reply *r)
{
	if (r->nend == r->cap) {
		r->cap = r->cap ? r->cap * 2 : 32;
		r->ends = ag_xrealloc(r->ends, r->cap * sizeof(*r->ends));
	}
	r->ends[r->nend++] = r->body.len;
}

static void field(fm_out *o, const char *name)
{
	ag_buf_adds(&o->reply->body, name);
	ag_buf_adds(&o->reply->body, fm_has(o->answer, FM_QUIRK_TIGHT) ? ":" : ": ");
}

static void between_events(fm_out *o)
{
	ag_buf *b = &o->reply->body;
	const char *nl = newline(o->answer);

	if (o->nevent == 0 && fm_has(o->answer, FM_QUIRK_BOM))
		ag_buf_adds(b, "\xef\xbb\xbf");
	if (fm_has(o->answer, FM_QUIRK_COMMENTS)) {
		ag_buf_addf(b, ": processing %u%s%s", o->nevent, nl, nl);
		event_ended(o->reply);
	}
	if (fm_has(o->answer, FM_QUIRK_UNKNOWN_EVENTS) && o->nevent % 3 == 1) {
		field(o, "event");
		ag_buf_addf(b, "vendor_note%sretry: 3000%sid: %u%s", nl, nl, o->nevent, nl);
		field(o, "data");
		ag_buf_addf(b, "{\"type\":\"vendor_note\",\"note\":[1,null,{\"a\":\"b\"}]}%s%s", nl,
		            nl);
		event_ended(o->reply);
	}
}

void fm_event_begin(fm_out *o, const char *name)
{
	ag_buf *b = &o->reply->body;

	between_events(o);
	if (*name) {
		field(o, "event");
		ag_buf_adds(b, name);
		ag_buf_adds(b, newline(o->answer));
	}
	field(o, "data");
	ag_jw_init(&o->w, b, 0);
}

void fm_event_end(fm_out *o)
{
	ag_buf_adds(&o->reply->body, newline(o->answer));
	ag_buf_adds(&o->reply->body, newline(o->answer));
	event_ended(o->reply);
	o->nevent++;
}

void fm_vendor_members(fm_out *o)
{
	if (fm_has(o->answer, FM_QUIRK_UNKNOWN_MEMBERS))
		ag_jw_kraw(&o->w, "x_vendor", AG_S("{\"a\":[1,null,\"\\u00e4\"],\"choices\":{}}"));
}

/* ---------------------------------------------------------------- parts of an answer */

ag_str fm_piece(ag_str *rest, unsigned n)
{
	ag_str piece = *rest;

	if (n && piece.len > n) {
		piece.len = n;
		while (piece.len && ((unsigned char)rest->ptr[piece.len] & 0xc0) == 0x80)
			piece.len--;
		if (!piece.len) /* a character longer than n goes as a whole */
			for (piece.len = 1; piece.len < rest->len &&
			                    ((unsigned char)rest->ptr[piece.len] & 0xc0) == 0x80;)
				piece.len++;
	}
	rest->ptr += piece.len;
	rest->len -= piece.len;
	return piece;
}

fm_block fm_block_of(const fm_out *o, size_t i)
{
	fm_block b = o->answer->blocks[i];

	if (b.type == FM_JSON) {
		b.type = o->request->forced_tool.len ? FM_TOOL : FM_TEXT;
		b.name = o->request->forced_tool;
	}
	return b;
}

void fm_tool_id(const fm_out *o, const char *prefix, size_t i, char id[48])
{
	snprintf(id, 48, "%s_%06llu_%zu", prefix, (unsigned long long)o->request->n, i);
}

ag_str fm_reply_model(const fm_out *o)
{
	return o->answer->model.len ? o->answer->model : o->request->model;
}

/* Four bytes to a token, where the script names no counts. */
static fm_usage usage_of(const fm_answer *a, const fm_request *req)
{
	fm_usage u = { .input = req->body.len / 4, .output = 1 };
	size_t i;

	if (a->has_usage)
		return a->usage;
	for (i = 0; i < a->nblock; i++)
		u.output += a->blocks[i].text.len / 4;
	return u;
}

/* ---------------------------------------------------------------- errors */

static ag_str error_type(bool anthropic, int status)
{
	static const struct {
		int status;
		ag_str anthropic, openai;
	} types[] = {
		{ 400, AG_S_INIT("invalid_request_error"), AG_S_INIT("invalid_request_error") },
		{ 401, AG_S_INIT("authentication_error"), AG_S_INIT("invalid_request_error") },
		{ 403, AG_S_INIT("permission_error"), AG_S_INIT("permission_error") },
		{ 404, AG_S_INIT("not_found_error"), AG_S_INIT("invalid_request_error") },
		{ 413, AG_S_INIT("request_too_large"), AG_S_INIT("invalid_request_error") },
		{ 429, AG_S_INIT("rate_limit_error"), AG_S_INIT("rate_limit_exceeded") },
		{ 529, AG_S_INIT("overloaded_error"), AG_S_INIT("server_error") },
	};
	size_t i;

	for (i = 0; i < AG_NELEM(types); i++)
		if (types[i].status == status)
			return anthropic ? types[i].anthropic : types[i].openai;
	return status < 500 ? AG_S("invalid_request_error")
	       : anthropic  ? AG_S("api_error")
	                    : AG_S("server_error");
}

void fm_error_json(ag_jw *w, bool anthropic, ag_str type, ag_str text, uint64_t n)
{
	char id[40];

	snprintf(id, sizeof(id), "req_%06llu", (unsigned long long)n);
	ag_jw_obj(w);
	if (anthropic)
		ag_jw_kstr(w, "type", AG_S("error"));
	ag_jw_kkey(w, "error");
	ag_jw_obj(w);
	if (anthropic) {
		ag_jw_kstr(w, "type", type);
		ag_jw_kstr(w, "message", text);
	} else {
		ag_jw_kstr(w, "message", text);
		ag_jw_kstr(w, "type", type);
		ag_jw_knull(w, "param");
		ag_jw_knull(w, "code");
	}
	ag_jw_obj_end(w);
	if (anthropic)
		ag_jw_kstr(w, "request_id", ag_str_c(id));
	ag_jw_obj_end(w);
}

void fm_reply_error(fm_reply *r, const fm_request *req, int status, ag_str type, ag_str text)
{
	ag_jw w;

	begin(r, status, "application/json");
	ag_jw_init(&w, &r->body, 0);
	fm_error_json(&w, req->is_anthropic,
	              type.len ? type : error_type(req->is_anthropic, status), text, req->n);
}

/* ---------------------------------------------------------------- answers */

static void model_reply(fm_reply *r, const fm_answer *a, const fm_request *req)
{
	fm_out o = { .reply = r, .answer = a, .request = req, .usage = usage_of(a, req) };
	size_t i;

	begin(r, a->status ? a->status : 200,
	      req->stream ? "text/event-stream; charset=utf-8" : "application/json");
	for (i = 0; i < a->nblock; i++)
		o.has_tool = o.has_tool || fm_block_of(&o, i).type == FM_TOOL;
	if (req->stream) {
		if (req->call == FM_CALL_MESSAGES)
			fm_anthropic_stream(&o);
		else
			fm_openai_stream(&o);
		if (fm_has(a, FM_QUIRK_NO_LAST_NEWLINE) && r->nend) {
			r->body.len -= 2 * strlen(newline(a));
			r->ends[r->nend - 1] = r->body.len;
		}
		return;
	}
	ag_jw_init(&o.w, &r->body, 0);
	if (req->call == FM_CALL_MESSAGES)
		fm_anthropic_whole(&o);
	else
		fm_openai_whole(&o);
}

void fm_reply_answer(fm_reply *r, const fm_answer *a, const fm_request *req)
{
	ag_str text = a->error.len ? a->error : AG_S("the script says so");

	if (a->has_body) {
		begin(r, a->status ? a->status : 200,
		      req->stream && a->status < 300 ? "text/event-stream; charset=utf-8"
		                                     : "application/json");
		ag_buf_add(&r->body, a->body);
	} else if (a->status >= 300) {
		fm_reply_error(r, req, a->status, a->error_type, text);
	} else if (a->error_in_stream && !req->stream) {
		fm_reply_error(r, req, req->is_anthropic ? 529 : 500, a->error_type, text);
	} else if (req->call == FM_CALL_MODELS) {
		fm_script none = { 0 };

		fm_reply_models(r, &none, req);
	} else {
		model_reply(r, a, req);
	}
}

static void one_model(ag_jw *w, ag_str name, bool anthropic)
{
	ag_jw_obj(w);
	if (anthropic) {
		ag_jw_kstr(w, "type", AG_S("model"));
		ag_jw_kstr(w, "id", name);
		ag_jw_kstr(w, "display_name", name);
		ag_jw_kstr(w, "created_at", AG_S("2026-01-01T00:00:00Z"));
	} else {
		ag_jw_kstr(w, "id", name);
		ag_jw_kstr(w, "object", AG_S("model"));
		ag_jw_kint(w, "created", 1767225600);
		ag_jw_kstr(w, "owned_by", AG_S("fake"));
	}
	ag_jw_obj_end(w);
}

void fm_reply_models(fm_reply *r, const fm_script *s, const fm_request *req)
{
	static const ag_str usual[] = { AG_S_INIT("fake-model") };
	const ag_str *names = s && s->nmodel ? s->models : usual;
	size_t n = s && s->nmodel ? s->nmodel : 1, i;
	ag_jw w;

	begin(r, 200, "application/json");
	ag_jw_init(&w, &r->body, 0);
	ag_jw_obj(&w);
	if (!req->is_anthropic)
		ag_jw_kstr(&w, "object", AG_S("list"));
	ag_jw_kkey(&w, "data");
	ag_jw_arr(&w);
	for (i = 0; i < n; i++)
		one_model(&w, names[i], req->is_anthropic);
	ag_jw_arr_end(&w);
	if (req->is_anthropic) {
		ag_jw_kbool(&w, "has_more", false);
		ag_jw_kstr(&w, "first_id", names[0]);
		ag_jw_kstr(&w, "last_id", names[n - 1]);
	}
	ag_jw_obj_end(&w);
}
