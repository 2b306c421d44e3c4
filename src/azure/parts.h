/* parts -- what the files of this room share among themselves; not for other rooms. */
#ifndef AG_AZURE_PARTS_H
#define AG_AZURE_PARTS_H

#include "azure/azure.h"
#include "query/value.h"

#define AG_AZURE_MAX_ANSWER (4u << 20) /* bytes of one answer */

/* The address of ARM without a slash at its end, and what tokens are asked for.
 * errors  AG_INVALID: the variable holds no https address, and none of this machine */
AG_CHECK ag_status ag_azure_management(ag_arena *arena, ag_str *ret, ag_err *err);

typedef struct ag_azure_request {
	ag_str method, url;
	const ag_str *headers; /* pairs of name and value */
	size_t nheader;
	int64_t connect_ms;
} ag_azure_request;

/* request.c: one request, tried again when the service is busy.
 * errors  of ag_http_send(); AG_DENIED 401 and 403, AG_NOT_FOUND 404, AG_UNAVAILABLE 429 and 5xx, AG_PROTOCOL any other;
 *         err->native is the HTTP status */
AG_CHECK ag_status ag_azure_send(const ag_ctx *ctx, const ag_azure_request *q, ag_arena *arena,
                                 ag_str *ret, ag_err *err);

/* az.c: the token of `az`. errors  AG_NOT_FOUND: it is not installed; AG_DENIED: it is not logged in */
AG_CHECK ag_status ag_azure_az_token(const ag_ctx *ctx, ag_str resource, ag_arena *arena,
                                     ag_str *ret, ag_err *err);

/* An object of JSON. errors  AG_PROTOCOL, naming `what` */
AG_CHECK ag_status ag_azure_read_json(ag_str json, const char *what, ag_arena *arena, ag_val *ret,
                                      ag_err *err);

/* kept.c: what was learnt a short time ago, by a key. The value is copied. */
bool ag_azure_kept(ag_str key, ag_arena *arena, ag_str *ret);
void ag_azure_keep(ag_str key, ag_str value);

#endif
