/* api_parts -- the handle, and one answer under way: what api_base.c, api.c and api_body.c share. Private to ask/. */
#ifndef AG_ASK_API_PARTS_H
#define AG_ASK_API_PARTS_H

#include "ask/api.h"
#include "ask/json_shape.h"
#include "net/http.h"
#include "net/url.h"

struct ag_api {
	ag_arena *arena;
	ag_url base;
	ag_str origin; /* "http://127.0.0.1:42002" */
	ag_str prefix; /* "" or "/api" */
	ag_str shown, key, key_name;
	unsigned methods;
	ag_api_limit limit;
	int64_t timeout_ms;
	size_t max_shown, max_read;
};

/* The body as it streams by: its beginning is kept, all of it is counted. */
typedef struct ag_api_body {
	ag_buf head; /* at most `keep` bytes */
	size_t keep;
	uint64_t nbyte;
	ag_json_shape shape;
} ag_api_body;

void ag_api_body_init(ag_api_body *b, size_t keep);
void ag_api_body_release(ag_api_body *b);
void ag_api_body_take(ag_api_body *b, ag_str piece);

/* What came of a request. */
typedef struct ag_api_answer {
	ag_http_response http;
	ag_api_body body;
	bool is_whole;   /* the body was read to its end */
	bool is_encoded; /* and nothing of it was taken: gzip and its kind are never asked for */
	const ag_err *error; /* NULL = an answer came */
	ag_str key;          /* is not shown, whoever wrote it into the answer */
	ag_str note;         /* what the reader should know; "" = nothing */
} ag_api_answer;

/* As api.h describes it under ag_api_result. */
ag_str ag_api_answer_json(ag_api_answer *x, ag_arena *arena);

#endif
