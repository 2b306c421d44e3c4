/* tools -- what the project agent can do: read_file, list_files, query_api, search_files, outline.
 *
 * A tool never fails the run: what is wrong is its result, in words that say what to do instead. */
#ifndef AG_ASK_TOOLS_H
#define AG_ASK_TOOLS_H

#include "agent/tool.h"
#include "ask/api.h"
#include "ask/root.h"
#include "ask/state.h"

/* Bytes of a file that one call shows, and of the outline behind a cut one. */
#define AG_ASK_READ_BYTES    (32u * 1024)
#define AG_ASK_OUTLINE_BYTES (6u * 1024)
#define AG_ASK_HASHED_BYTES  (16u << 20) /* of a file; a longer one has no hash */

/* What the tools work on; env of their functions. */
typedef struct ag_ask_tools {
	ag_root *root;
	ag_api *api; /* NULL = there is none: query_api is not offered */
	const ag_ask_state *state;
	size_t read_bytes;   /* 0 = AG_ASK_READ_BYTES */
	int64_t deadline_ms; /* monotonic, of the whole run; 0 = none */
	int64_t answer_ms;   /* that a tool leaves before the deadline for the model's answer */
} ag_ask_tools;

#define AG_ASK_TOOL_API 2 /* index of query_api */
extern const ag_tool_set ag_ask_tool_table;

/* What a tool function fills. `text` is what the model reads. */
typedef struct ag_ask_result {
	ag_str text;
	bool ok;
	ag_seen_file file;
	ag_str folder; /* list_files: "wiki", "." is the root */
	ag_str request;
	int status;
} ag_ask_result;

/* Each returns an error only when the run is to end (cancelled). tool_files.c, tool_search.c, tool_api.c */
AG_CHECK ag_status ag_ask_read_file(ag_ask_tools *t, const ag_ctx *ctx, ag_arena *arena,
                                    const ag_val *input, ag_ask_result *ret, ag_err *err);
AG_CHECK ag_status ag_ask_list_files(ag_ask_tools *t, const ag_ctx *ctx, ag_arena *arena,
                                     const ag_val *input, ag_ask_result *ret, ag_err *err);
AG_CHECK ag_status ag_ask_outline(ag_ask_tools *t, const ag_ctx *ctx, ag_arena *arena,
                                  const ag_val *input, ag_ask_result *ret, ag_err *err);
AG_CHECK ag_status ag_ask_search(ag_ask_tools *t, const ag_ctx *ctx, ag_arena *arena,
                                 const ag_val *input, ag_ask_result *ret, ag_err *err);
AG_CHECK ag_status ag_ask_query_api(ag_ask_tools *t, const ag_ctx *ctx, ag_arena *arena,
                                    const ag_val *input, ag_ask_result *ret, ag_err *err);
/* What list_files says of a folder. In arena. */
ag_str ag_ask_list_text(const ag_root_list *list, ag_arena *arena);
/* An error as a tool's result: "Error: … . Hint". AG_CANCELLED stays an error. */
AG_CHECK ag_status ag_ask_failed(const ag_err *why, ag_arena *arena, ag_ask_result *ret,
                                 ag_err *err);

#endif
