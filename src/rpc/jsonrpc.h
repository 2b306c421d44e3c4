/* jsonrpc -- JSON-RPC 2.0 messages: read one, write one. Source: the JSON-RPC 2.0 specification; MCP allows no batches
 * since 2025-06-18.
 *
 * An id is kept as the JSON text that came (a string or an integer), so that it goes back unchanged. */
#ifndef AG_RPC_JSONRPC_H
#define AG_RPC_JSONRPC_H

#include "base/arena.h"
#include "base/err.h"
#include "base/json.h"
#include "query/value.h"

#define AG_RPC_MAX_MESSAGE (8u << 20) /* bytes of one message */
#define AG_RPC_MAX_ID      256u       /* bytes of an id as text */
#define AG_RPC_MAX_DEPTH   128u
#define AG_RPC_MAX_VALUES  200000u

/* Codes of errors. */
#define AG_RPC_PARSE_ERROR      (-32700)
#define AG_RPC_INVALID_REQUEST  (-32600)
#define AG_RPC_METHOD_NOT_FOUND (-32601)
#define AG_RPC_INVALID_PARAMS   (-32602)
#define AG_RPC_INTERNAL_ERROR   (-32603)

typedef enum ag_rpc_kind {
	AG_RPC_REQUEST,
	AG_RPC_NOTIFICATION,
	AG_RPC_RESULT,
	AG_RPC_ERROR
} ag_rpc_kind;

typedef struct ag_rpc_message {
	ag_rpc_kind kind;
	ag_str id; /* JSON text; "" of a notification, "null" of an error to an unreadable request */
	ag_str method; /* of requests and notifications */
	ag_val params; /* an object, or MISSING; arrays are refused (MCP has none) */
	ag_val result; /* of RESULT; of ERROR the error object */
} ag_rpc_message;

/* text must outlive the message. Duplicate keys are refused.
 * ret_code on failure: AG_RPC_PARSE_ERROR or AG_RPC_INVALID_REQUEST; ret->id is then what could still be read, else "null" */
AG_CHECK ag_status ag_rpc_read(ag_str text, ag_arena *arena, ag_rpc_message *ret, int *ret_code,
                               ag_err *err);

/* Whole messages on one line, without line break. `params` and `result` are JSON text. */
void ag_rpc_write_request(ag_buf *out, ag_str id, const char *method, ag_str params);
void ag_rpc_write_notification(ag_buf *out, const char *method, ag_str params);
void ag_rpc_write_result(ag_buf *out, ag_str id, ag_str result);
/* data: JSON text, "" = none */
void ag_rpc_write_error(ag_buf *out, ag_str id, int code, ag_str message, ag_str data);

#endif
