/* answer -- what a turn of a conversation leaves: the answer with where it comes from, as one JSON object and as text.
 *
 * {"agent":"analyst","answer":"…","status":"ok","why":"","question":"…","thread":"…","turn":"…","project":"shop",
 *  "model":"…","queries":[{"name":"r1","tool":"execute_sql","sql":"…","ok":true,"tables":["orders"],"filters":["…"],
 *  "metric":"MRR","columns":["n"],"row_count":1,"truncated":false,"at":"…","latency_ms":3,"rows":[[…]]}],
 *  "figures":[{"at":4,"len":2,"text":"42","verdict":"cell","result":"r1","row":1,"column":"n","value":"42"}],
 *  "learnings":[{"id":"…","text":"…"}],"doubt":"","replaced":[],
 *  "usage":{"model_calls":2,"input_tokens":900,"output_tokens":70,"usd":0.01}}
 *
 * A query has "metric" when it uses that one's SQL as it is. A query that failed has "error" and "class" instead of a table. "rows" is there only when it was asked for: the log has
 * them. "replaced" are answers that were sent back because of their figures, "doubt" is what is still wrong with this one. */
#ifndef AG_ANALYST_ANSWER_H
#define AG_ANALYST_ANSWER_H

#include "analyst/proof.h"
#include "base/json.h"

typedef struct ag_analyst_answer {
	const ag_analyst_state *state;
	const ag_analyst_proof *proof; /* NULL = its figures are left out */
	ag_str thread, turn;
	ag_str status, why; /* of the turn */
	bool is_demo;       /* a script answered, no model */
} ag_analyst_answer;

/* The words of the turn; "" = it said nothing. */
ag_str ag_analyst_answer_text(const ag_analyst_state *s);
void ag_analyst_answer_json(const ag_analyst_answer *a, bool with_rows, ag_arena *arena,
                            ag_buf *out);
/* Where the answer comes from: a line for each query that gave a table, "" = no query gave one. For people. In arena. */
ag_str ag_analyst_provenance(const ag_analyst_state *s, ag_arena *arena);

/* --- filters.c --- */

#define AG_ANALYST_MAX_FILTERS 16u

/* The conditions of a statement, in its order: the text after each WHERE, HAVING and FILTER (WHERE …). Views of sql.
 * Returns how many. */
size_t ag_analyst_filters(ag_str sql, ag_str ret[AG_ANALYST_MAX_FILTERS]);

#endif
