/* request -- what a request asks of a model server, and whether a real server would take it. */
#ifndef FAKE_REQUEST_H
#define FAKE_REQUEST_H

#include "base/arena.h"
#include "base/err.h"
#include "http.h"
#include "query/value.h"

typedef enum fm_call {
	FM_CALL_NONE,     /* no such path */
	FM_CALL_CHAT,     /* POST …/chat/completions */
	FM_CALL_MESSAGES, /* POST …/messages */
	FM_CALL_MODELS,   /* GET …/models */
	FM_CALL_CONTROL   /* /fake/… */
} fm_call;

typedef struct fm_request {
	uint64_t n; /* counted from 1 */
	fm_call call;
	ag_str method, path, body;
	ag_val json; /* of the body; missing when it is no JSON */
	ag_str model;
	bool stream, include_usage, is_anthropic;
	ag_str forced_tool;  /* the one tool that must be called, "" = none */
	char key_hash[17];   /* of the key without "Bearer ", "" = no key came */
	char key_header[16]; /* lower case */
} fm_request;

/* Fills *r; texts are views of h, or in arena. Returns 0, or the HTTP status of a refusal with the reason. */
int fm_request_read(const fm_http *h, ag_arena *arena, fm_request *r, char *why, size_t nwhy);
/* A member, also of nothing. */
static inline const ag_val *fm_get(const ag_val *obj, const char *key)
{
	return obj ? ag_val_getc(obj, key) : NULL;
}
/* True when a text of the request (a string in it, or the raw body) contains `text`. `root` NULL = nothing there. */
bool fm_request_contains(const fm_request *r, const ag_val *root, ag_str text);

/* Of check.c: what real servers refuse. NULL = fine. */
const char *fm_check_openai(const ag_val *json, char *why, size_t nwhy);
const char *fm_check_anthropic(const ag_val *json, char *why, size_t nwhy);

#endif
