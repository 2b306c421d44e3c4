/* result -- what a tool gave, in one form: of Argus' own tools, and of MCP servers that answer with an envelope.
 *
 * Known are the flat object of execute_sql ({"columns","rows","error"…}), the envelope of the reference
 * ({"success","data","error"}), both as the text of another server's answer, and {"text","ok"} of tools that read files. Values are views of what was read. */
#ifndef AG_ANALYST_RESULT_H
#define AG_ANALYST_RESULT_H

#include "base/arena.h"
#include "query/value.h"

typedef struct ag_analyst_result {
	bool ok;
	/* A table: columns (names) and rows (arrays of values); NULL = it gave none. */
	const ag_val *columns, *rows;
	uint64_t row_count;
	bool is_cut;          /* there were more rows */
	ag_str how_to_go_on;  /* of a cut result */
	ag_str sql;           /* that was sent; "" = none was */
	const ag_val *tables; /* that it read, names; NULL = unknown */
	const ag_val *data;   /* of an answer that is no table; NULL = none */
	ag_str text;          /* of an answer that is no JSON */
	/* Of a failure: */
	ag_str error, detail, hint;
	ag_str code, sqlstate, class_name, rule; /* "" = not said */
	int64_t retry_after_s;
} ag_analyst_result;

/* result: the "result" of a tool_output event, or a tool's output. is_error: what the loop says of the call. */
void ag_analyst_result_read(const ag_val *result, bool is_error, ag_arena *arena,
                            ag_analyst_result *ret);

/* The class of a failure: that of Argus, else by SQLSTATE, by code, and by the words last (reference analyst.md 1.5).
 * A literal: "syntax", "column_not_found", "refused" … "execution". */
const char *ag_analyst_error_class(const ag_analyst_result *r);

/* Did it give a table? */
static inline bool ag_analyst_is_table(const ag_analyst_result *r)
{
	return r->ok && r->columns && r->rows;
}

/* What a model reads of it: at most max_bytes of rows, between marks that nothing within can close. name: what the
 * conversation calls a table, "r1". In arena. */
ag_str ag_analyst_result_text(const ag_analyst_result *r, ag_str name, size_t max_bytes,
                              ag_arena *arena);

/* text between <data name="NAME"> and </data>; no "<" is left in it. */
void ag_analyst_fence(ag_buf *out, const char *name, ag_str text);

#endif
