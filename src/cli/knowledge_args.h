/* knowledge_args -- what the commands for knowledge share: their project, and objects from the command line. */
#ifndef AG_CLI_KNOWLEDGE_ARGS_H
#define AG_CLI_KNOWLEDGE_ARGS_H

#include "cli/cli.h"
#include "knowledge/knowledge.h"

/* clang-format off */
#define AG_KNOW_PROJECT_OPTION \
	{ "project", 'p', "ID", NULL, NULL, "which project; only needed when there are several" }
/* clang-format on */

typedef struct ag_know_session {
	ag_store *store;
	ag_project_hub *hub;
	ag_caller who;
	ag_know_place place;
} ag_know_session;

/* The project of --project, or the only one. Close it. */
AG_CHECK ag_status ag_know_session_open(ag_cli *c, ag_know_session *ret, ag_err *err);
void ag_know_session_close(ag_know_session *s);

/* "entry", "metrics" … Complains about any other word. */
bool ag_know_arg_kind(ag_cli *c, ag_str word, ag_know_kind *ret);
/* FIELD=VALUE…: several of one list are its items, column_notes.amount=TEXT is an item of a map, related_tables=TABLE: HINT.
 * base: the fields that stay as they are, NULL = none; FIELD= takes one away. *ret lives in the command's arena.
 * errors  AG_INVALID: names the argument */
AG_CHECK ag_status ag_know_arg_fields(ag_cli *c, ag_know_kind kind, const ag_str *args, size_t n,
                                      const ag_val *base, ag_val *ret, ag_err *err);
/* One object for people. */
void ag_know_show_text(const ag_know *o, int64_t now_ms, ag_paint *p);
/* A line of a list. */
void ag_know_show_line(const ag_know *o, int64_t now_ms, bool with_kind, ag_paint *p);

#endif
