/* reply -- the bytes of one answer, as the real servers of both protocols send them.
 *
 * Built in one go; `ends` says where events end, so that the server can send them one by one. */
#ifndef FAKE_REPLY_H
#define FAKE_REPLY_H

#include "base/json.h"
#include "script.h"

#define FM_MAX_REPLY_BYTES (256u << 20)

typedef struct fm_reply {
	int status;
	const char *content_type;
	ag_buf body;
	size_t *ends; /* byte offsets behind each event of a stream */
	size_t nend, cap;
} fm_reply;

void fm_reply_release(fm_reply *r);
/* The script's answer to a request. */
void fm_reply_answer(fm_reply *r, const fm_answer *a, const fm_request *req);
/* A refusal in the protocol's own shape. type "" = the usual one for the status. */
void fm_reply_error(fm_reply *r, const fm_request *req, int status, ag_str type, ag_str text);
/* GET …/models */
void fm_reply_models(fm_reply *r, const fm_script *s, const fm_request *req);

/* ---- for reply_openai.c and reply_anthropic.c */

typedef struct fm_out {
	fm_reply *reply;
	const fm_answer *answer;
	const fm_request *request;
	fm_usage usage;
	ag_jw w;
	unsigned nevent;
	bool has_tool; /* a tool call is among the blocks */
} fm_out;

/* event NAME ("" = none): the caller writes one JSON object into o->w between the two. */
void fm_event_begin(fm_out *o, const char *name);
void fm_event_end(fm_out *o);
/* Members nobody knows, when the answer wants them; inside an object. */
void fm_vendor_members(fm_out *o);
/* The next piece of at most n bytes (0 = all) that splits no UTF-8 character. *rest gets shorter. */
ag_str fm_piece(ag_str *rest, unsigned n);
/* What a block is for this request: FM_JSON becomes text or the forced tool. */
fm_block fm_block_of(const fm_out *o, size_t i);
/* "call_000012_1": unique for the life of the server, and of one length, so that answers of one kind are, too. */
void fm_tool_id(const fm_out *o, const char *prefix, size_t i, char id[48]);
ag_str fm_reply_model(const fm_out *o);

void fm_openai_stream(fm_out *o);
void fm_openai_whole(fm_out *o);
void fm_anthropic_stream(fm_out *o);
void fm_anthropic_whole(fm_out *o);
/* {"error":…} in the shape of either protocol. */
void fm_error_json(ag_jw *w, bool anthropic, ag_str type, ag_str text, uint64_t n);

#endif
