/* known -- what of the project's knowledge a turn was shown, and what of that its answer rests on.
 *
 * run_started holds it: {"knowledge":{"metrics":[{"name","sql"}],"learnings":[{"id","text","tables":[…]}],"left":0}}, and the
 * results of search_knowledge add to it, so a log alone says which metric a figure comes from. A metric is used by a
 * statement that is its SQL, or has it whole in parentheses. A learning is used when a statement that gave a table reads one
 * of its tables. */
#ifndef AG_ANALYST_KNOWN_H
#define AG_ANALYST_KNOWN_H

#include "base/json.h"
#include "knowledge/prompt.h"
#include "query/value.h"

struct ag_analyst_state;
struct ag_analyst_query;

typedef struct ag_known_metric {
	ag_str name;
	ag_str plain; /* its SQL, as ag_know_plain_sql() gives it */
} ag_known_metric;

typedef struct ag_known_learning {
	ag_str key, text;
	const ag_val *tables;
} ag_known_learning;

typedef struct ag_analyst_known {
	ag_known_metric *metrics;
	size_t nmetric;
	ag_known_learning *learnings;
	size_t nlearning;
} ag_analyst_known;

/* The member "knowledge" of run_started; nothing when the prompt has none. */
void ag_analyst_known_write(const ag_know_prompt *p, ag_jw *w);
/* v: that member, or the data of a search, or NULL; adds to *k, in arena. */
void ag_analyst_known_read(const ag_val *v, ag_arena *arena, ag_analyst_known *k);

/* The first metric whose SQL the query uses as it is; "" = none. */
ag_str ag_analyst_metric_of(const ag_analyst_known *k, ag_str sql, ag_arena *arena);
/* The first metric that question and answer name although no statement uses its SQL unchanged; "" without any. */
ag_str ag_analyst_metric_changed(const struct ag_analyst_state *s,
                                 const struct ag_analyst_state *const *earlier, size_t nearlier,
                                 ag_arena *arena);
/* Those that the turn used; in arena. Returns how many. */
size_t ag_analyst_learnings_used(const struct ag_analyst_state *s, ag_arena *arena,
                                 const ag_known_learning ***ret);

#define AG_KNOWN_MAX_WRONG 8u

/* Keys of the set's learnings whose corrected SQL failed in this turn because of a name or type. Returns how many. */
size_t ag_analyst_learnings_wrong(const struct ag_analyst_state *s, const ag_know_set *set,
                                  ag_arena *arena, ag_str ret[AG_KNOWN_MAX_WRONG]);

/* What a correction of this turn could teach: a call that failed, and the next one that gave a table.
 * False: nothing was corrected, or the model has saved a learning itself. */
typedef struct ag_analyst_lesson {
	ag_str original_sql, corrected_sql, error;
	const char *category; /* as save_learning knows it */
	const ag_val *tables; /* NULL = not known */
} ag_analyst_lesson;

bool ag_analyst_lesson_of(const struct ag_analyst_state *s, ag_analyst_lesson *ret);

#endif
