/* past -- what the commands share that look back: sources by name, runs and findings as text and JSON. */
#ifndef AG_CLI_PAST_H
#define AG_CLI_PAST_H

#include "base/json.h"
#include "cli/cli.h"

/* clang-format off */
#define AG_PAST_OUTPUT_OPTION { .setting = "output_format" }
#define AG_PAST_STORE_OPTION  { .setting = "store" }
/* clang-format on */

/* The store, for commands whose result does not depend on it. Nobody asked for a store and the usual one cannot be opened,
 * or is_unwritable says so: then a warning, and one in memory, that is forgotten at exit.
 * errors  of ag_app_store(): of a store that was asked for */
AG_CHECK ag_status ag_past_store_or_memory(ag_cli *c, bool is_unwritable, ag_store **ret,
                                           ag_err *err);

/* The keys of the collections that `source` means: as `argus audit` would open it; when it is gone, runs are asked that
 * were made of it (its address, its key or the name of its collection). */
AG_CHECK ag_status ag_past_keys(ag_cli *c, ag_store *store, ag_str source, ag_str **ret,
                                size_t *nret, ag_err *err);

/* A run by its id, the beginning of one, or "last", for what is only done with audits.
 * errors  those of ag_store_find_run(); AG_INVALID: it is a question */
AG_CHECK ag_status ag_past_audit(ag_cli *c, ag_store *store, ag_str name, ag_run_row *ret,
                                 ag_err *err);

/* "2026-11-21 23:46" */
ag_str ag_past_when(int64_t ms, ag_arena *arena);
/* "email/null_rate", as `argus rate` takes it. */
ag_str ag_past_name(ag_str field, ag_str category, ag_arena *arena);
/* "14 problems, 5 high"; of a run without findings also what its report says was not checked. */
ag_str ag_past_problems(ag_store *store, const ag_run_row *r, ag_arena *arena);
/* Print the buffer as JSON and release it. */
int ag_past_print_json(ag_cli *c, ag_buf *out);
/* Warns of each neighbour whose documents could not be read: references to it were not checked. n may be NULL. */
void ag_past_warn_unread(ag_cli *c, const struct ag_neighbours *n);
/* tp, fp or none; false when the text is nothing of it. *ret is what the store keeps: "" for none. */
bool ag_past_label(ag_str text, ag_str *ret);
/* The name of who gives a word. */
ag_str ag_past_user(void);

#endif
