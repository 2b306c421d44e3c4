/* audit_fixtures -- run the real auditor on a real file with a planner that follows a script.
 *
 * The script is one AgentAction per line in JSON, exactly what a model would send; behind its end stands conclude. */
#ifndef AG_TESTS_AUDIT_FIXTURES_H
#define AG_TESTS_AUDIT_FIXTURES_H

#include "audit/audit.h"

#define FIX_MAX_STEPS 64

typedef struct audit_fix {
	ag_arena *arena;
	ag_ctx ctx;
	char dir[64], file[96];
	ag_store *store;
	ag_source *source;
	ag_audit_opts opts;
	ag_audit_result result;
	ag_val report;                   /* parsed */
	ag_str critiques[FIX_MAX_STEPS]; /* what the planner was shown before step i */
	size_t nstep;
} audit_fix;

/* A planner that follows lines; by the iteration of the state, so it goes on where a log ends. */
typedef struct fix_lines {
	ag_planner base;
	audit_fix *fix;
	ag_audit *audit;
	const char *const *lines;
	size_t n;
	/* As if it asked a model: what each step is charged to the meter of the options; 0 = it asks none. */
	unsigned tokens;
	unsigned fails_at; /* the step (from 1) that it has no answer for; 0 = never */
	ag_status failure;
} fix_lines;
ag_planner *fix_make_lines(void *env, void *arg); /* arg: fix_lines */

void fix_open(audit_fix *f, ag_str ndjson);
void fix_open_as(audit_fix *f, ag_str text, const char *name); /* "data.csv" */
void fix_close(audit_fix *f);
/* Run and parse the report. */
void fix_script(audit_fix *f, const char *const *lines, size_t n);
void fix_builtin(audit_fix *f);

const ag_val *fix_get(const ag_val *v, const char *name); /* fails the test when absent */
ag_str fix_text(const ag_val *v, const char *name);
int64_t fix_int(const ag_val *v, const char *name);
double fix_num(const ag_val *v, const char *name);
size_t fix_len(const audit_fix *f, const char *list); /* items of a list in the report */
/* A finding of "findings" or "dismissed_findings", or NULL. */
const ag_val *fix_find(const audit_fix *f, const char *list, const char *field,
                       const char *category);
/* The n-th evaluation record of a gate (from 0), or NULL. */
const ag_val *fix_record(const audit_fix *f, const char *gate, size_t n);

#endif
