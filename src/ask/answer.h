/* answer -- what `argus ask` prints: one JSON object, and the same read again for verify.
 *
 * {"answer":"…","source":"wiki/github.md#protect-a-branch","tool_calls":[{"tool":"read_file","args":{…},"result":"…",
 *   "ok":true,"sha256":"…","file":{"path":"wiki/github.md","sha256":"…","first_line":1,"last_line":310,"lines":310}},
 *   {"tool":"list_files",…,"folder":"wiki"},{"tool":"query_api",…,"request":"GET /items/","status":200}],
 *  "citations":[{"path":"…","anchor":"…","title":"…","line":282,"last_line":301,"quote":"…","sha256":"…"}],
 *  "status":"ok","why":"…","mode":"model","question":"…","root":"…","run":"…","usage":{"model_calls":2,
 *  "input_tokens":900,"output_tokens":70,"usd":0.01}}
 * answer, source, tool_calls are the seed's and always there. args is an object in every call: arguments that a model wrote
 * and that are no JSON object appear as {"_unparsed":"…"}, the text as it came. sha256 of a call is that of its result; of file, that of the
 * whole file as it was read. */
#ifndef AG_ASK_ANSWER_H
#define AG_ASK_ANSWER_H

#include "base/arena.h"
#include "base/err.h"
#include "base/json.h"
#include "query/value.h"

/* A file of which a call gave something. */
typedef struct ag_seen_file {
	ag_str path;   /* "" = none */
	ag_str sha256; /* of the whole file; "" = longer than was looked at */
	unsigned first_line, last_line, nline; /* that were shown, and of the file */
} ag_seen_file;

typedef struct ag_answer_call {
	ag_str tool;
	ag_str args;   /* JSON object; see ag_answer_unparsed() */
	ag_str result; /* as the model read it */
	bool ok;
	ag_str sha256;     /* of result */
	ag_seen_file file; /* read_file, outline */
	ag_str folder;     /* list_files: "wiki", "." is the root; "" = none */
	ag_str request;    /* query_api: "GET /items/" as it was sent, "" = nothing was */
	int status;        /* query_api */
	uint64_t seq;      /* of its proposal in the run's log; 0 = not read from a log */
} ag_answer_call;

typedef struct ag_citation {
	ag_str path, anchor;      /* anchor "" = the file, or lines of code */
	ag_str title;             /* of the heading */
	unsigned line, last_line; /* of the section or of the quote; 0 = the whole file */
	ag_str quote;             /* exact text of the file there, at most 300 bytes */
	ag_str sha256;            /* of the file as read */
	ag_str instead_of;        /* what the model had written, when it was mended; "" = nothing */
} ag_citation;

typedef struct ag_answer {
	ag_str answer, source;
	const ag_answer_call *calls;
	size_t ncall;
	const ag_citation *
		citations; /* verified; source is the first of them, an API form, or a folder that was listed */
	size_t ncitation;
	ag_str status; /* "ok", "partial"; "failed", "cancelled": there is no answer */
	ag_str why;    /* when it is not "ok" */
	ag_str mode;   /* "model", "offline" */
	ag_str question, root, run;
	uint64_t input_tokens, output_tokens, model_calls;
	double usd;
} ag_answer;

/* One line, without a line break at its end. */
void ag_answer_json(const ag_answer *a, ag_buf *out);
/* For people: answer, sources, what was done. */
void ag_answer_markdown(const ag_answer *a, ag_buf *out);
/* errors  AG_INVALID: names the member */
AG_CHECK ag_status ag_answer_read(const ag_val *v, ag_arena *arena, ag_answer *ret, ag_err *err);
/* Is it one, and no audit report? */
bool ag_answer_is(const ag_val *v);
/* Arguments that are no JSON object, as one: {"_unparsed":"the text"}. In arena. */
ag_str ag_answer_unparsed(ag_str text, ag_arena *arena);
/* The text with each byte that is no UTF-8 replaced by U+FFFD, as it is printed: what is hashed must be that. In arena; the
 * text itself when it is good. */
ag_str ag_answer_utf8(ag_str text, ag_arena *arena);

#endif
