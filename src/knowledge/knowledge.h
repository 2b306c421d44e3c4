/* knowledge -- what people do with a project's knowledge: list, search, add, change, remove, review.
 *
 * Each call is governed like one of a tool: role, scope and limits are checked, and its row is in the audit table. Reading
 * takes a viewer; who may write an object is in its kind (object.h). Tools (tools.h) do the same inside the call that they
 * are. */
#ifndef AG_KNOWLEDGE_KNOWLEDGE_H
#define AG_KNOWLEDGE_KNOWLEDGE_H

#include "knowledge/learning.h"
#include "project/project.h"

/* Who works on which project. */
typedef struct ag_know_place {
	ag_project_hub *hub;
	const ag_ctx *ctx;
	const ag_caller *who;
	const ag_project *project;
} ag_know_place;

typedef enum ag_know_put_mode {
	AG_KNOW_ADD,     /* AG_CONFLICT when one of that name exists */
	AG_KNOW_REPLACE, /* AG_NOT_FOUND when none does; uses, author and times are kept */
	AG_KNOW_IMPORT   /* whatever is there; all members are taken as they are */
} ag_know_put_mode;

typedef struct ag_know_counts {
	size_t nadded, nchanged, nsame;
} ag_know_counts;

/* kind: AG_KNOW_NKIND = every kind. In arena. */
AG_CHECK ag_status ag_know_list(const ag_know_place *p, ag_know_kind kind, ag_arena *arena,
                                ag_know **ret, size_t *nret, ag_err *err);
/* By name, in any case, or by key or its beginning. errors  AG_NOT_FOUND, with the nearest name; AG_INVALID: several fit */
AG_CHECK ag_status ag_know_get(const ag_know_place *p, ag_know_kind kind, ag_str name,
                               ag_arena *arena, ag_know *ret, ag_err *err);
/* All or none. With `checks_sql` the database explains the SQL of metrics and recipes first.
 * errors  AG_DENIED: the role; AG_INVALID: "metric mrr: sql: column amount does not exist"; AG_CONFLICT, AG_NOT_FOUND */
AG_CHECK ag_status ag_know_put(const ag_know_place *p, const ag_know *objects, size_t n,
                               ag_know_put_mode mode, bool checks_sql, ag_arena *arena,
                               ag_know_counts *ret, ag_err *err);
AG_CHECK ag_status ag_know_remove(const ag_know_place *p, const ag_know *o, ag_arena *arena,
                                  ag_err *err);
AG_CHECK ag_status ag_know_find_text(const ag_know_place *p, ag_str query, size_t limit,
                                     ag_arena *arena, ag_know **ret, size_t *nret, ag_err *err);
AG_CHECK ag_status ag_know_save_lesson(const ag_know_place *p, const ag_know_lesson *l,
                                       ag_arena *arena, ag_know_learnt *ret, ag_err *err);
/* Is it right (used again), or wrong, and why (not used until it is reviewed)? */
AG_CHECK ag_status ag_know_judge(const ag_know_place *p, const ag_know *learning, bool is_right,
                                 ag_str why, ag_arena *arena, ag_know *ret, ag_err *err);
/* Does the database still understand the SQL of a metric? "" = yes, else why not. */
AG_CHECK ag_status ag_know_check_metric(const ag_know_place *p, const ag_know *metric,
                                        ag_arena *arena, ag_str *ret, ag_err *err);
/* An object with its fields and what is known of its use; confidence_now: as it has faded until now_ms. */
void ag_know_show_json(const ag_know *o, int64_t now_ms, ag_arena *arena, ag_jw *w);
/* May this caller see and use it? A recipe that is not shared is its author's, and an admin's. */
bool ag_know_is_visible(const ag_know *o, const ag_caller *who, ag_str project);
/* Further work with the store in a governed call: `tool` and `text` are in its audit row. */
AG_CHECK ag_status ag_know_governed(const ag_know_place *p, const char *tool, ag_role least,
                                    ag_str text,
                                    ag_status (*work)(ag_store *s, void *arg, ag_err *err),
                                    void *arg, ag_arena *arena, ag_err *err);

#endif
