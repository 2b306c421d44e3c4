/* api -- the project's own HTTP API: one origin, one key, checked paths, bounded answers.
 *
 * The address of a request is built from parts: the origin and prefix of the base, then a path that was checked byte by
 * byte. What could reach another host, inject a line, or climb (dot segments, also percent-encoded) is refused before a
 * byte is sent. Redirects are reported, not followed. The key goes as "Authorization: Bearer" to this origin only.
 *
 * A handle serves one thread at a time. */
#ifndef AG_ASK_API_H
#define AG_ASK_API_H

#include "ask/api_methods.h"
#include "base/arena.h"
#include "base/err.h"
#include "query/value.h"
#include "run/ctx.h"

#define AG_API_MAX_PATH 8192u

typedef struct ag_api ag_api;

/* What keeps other methods out. */
typedef enum ag_api_limit {
	AG_API_BY_QUESTION,  /* the user's question orders no other */
	AG_API_BY_LIST,      /* --api-methods names no other */
	AG_API_BY_READ_ONLY, /* --read-only */
	AG_API_BY_ADDRESS    /* the address comes from a file of the folder */
} ag_api_limit;

typedef struct ag_api_opts {
	ag_str base_url; /* "http://localhost:42002", with a path prefix if need be; "" is an error */
	ag_str key;      /* secret; "" = none is sent */
	const char *key_name, *base_name; /* variables, for messages */
	unsigned methods;                 /* ag_api_method bits that are sent; 0 = GET and HEAD */
	ag_api_limit limit;               /* why no others are, for the refusal */
	int64_t timeout_ms;     /* of one request; 0 = 15 s. The run's deadline holds in any case */
	size_t max_shown_bytes; /* of a body; 0 = 24 KiB */
	size_t max_read_bytes;  /* of a body: enough to count a long array; 0 = 16 MiB */
} ag_api_opts;

/* ret_note  what a user should know ("the user name in AGENT_API_BASE_URL is not used"), "" = nothing; in arena
 * errors    AG_INVALID: address or key cannot be used (names the variable, never the key or a password) */
AG_CHECK ag_status ag_api_open(const ag_api_opts *o, ag_arena *arena, ag_api **ret,
                               ag_str *ret_note, ag_err *err);
ag_api *ag_api_close(ag_api *a); /* accepts NULL, returns NULL */
/* "http://localhost:42002" without user and password, as it may be shown. */
ag_str ag_api_shown(const ag_api *a);
uint16_t ag_api_port(const ag_api *a);

typedef struct ag_api_request {
	ag_str method; /* any case: GET HEAD POST PUT PATCH DELETE */
	ag_str path;   /* "/items/?limit=5" */
	ag_str body;   /* JSON text, "" = none */
	bool no_auth;
} ag_api_request;

/* ret_text is what the model reads, and `result` of the trace: one JSON object.
 *   {"status_code":200,"body":"[…","content_type":"application/json","array_length":257,"truncated":true,
 *    "bytes":25301,"shown_bytes":"0-8191","location":"…","note":"…"}
 * status_code and body first and always; the rest where it says something. body: exact text from the first byte on, cut at
 * the end of a character, of an array at the end of an element. Of an object whose members are arrays: "array_lengths":
 * {"items":257}. Where not all was read: "array_length_at_least", "array_lengths_at_least", "bytes_at_least". An answer that
 * broke off has "error" before them. No answer: {"error":"localhost:42002: cannot connect: Connection refused","hint":"…"}.
 * Our own key, should the other side echo it, is "[redacted]". */
typedef struct ag_api_result {
	ag_str text;
	int status;  /* 0 = no answer */
	bool ok;     /* an answer came, whatever its status */
	ag_str sent; /* "GET /items/?limit=5" as it was sent, below the prefix of the base */
} ag_api_result;

/* errors  AG_DENIED, AG_INVALID: nothing was sent, the message says what to do instead (the model reads it);
 *         AG_CANCELLED; AG_TIMEOUT only when the run's own deadline has passed */
AG_CHECK ag_status ag_api_call(ag_api *a, const ag_ctx *ctx, ag_arena *arena,
                               const ag_api_request *r, ag_api_result *ret, ag_err *err);

/* What /openapi.json says, for the description of query_api: one line per operation ("GET /items/{id} Read item; query:
 * limit integer, lab string"), at most max_bytes. "" when there is none. Asked without the key, with 2 s at most; what a
 * stranger wrote there is cut and made harmless, one line each. */
ag_str ag_api_operations(ag_api *a, const ag_ctx *ctx, size_t max_bytes, ag_arena *arena);

/* Of the text of an openapi.json; for tests and fuzzing. */
ag_str ag_openapi_summary(ag_str json, size_t max_bytes, ag_arena *arena);
/* May this path be sent? ret: as it goes out (non-ASCII percent-encoded). errors  AG_DENIED, AG_INVALID */
AG_CHECK ag_status ag_api_check_path(ag_str path, ag_arena *arena, ag_str *ret, ag_err *err);

#endif
