/* ask_project -- a question about a project of a server: its folder, its API, its model or else the index, to the answer.
 *
 * Both `ask_project` of the MCP server and POST /api/ask answer this way. */
#ifndef AG_APP_ASK_PROJECT_H
#define AG_APP_ASK_PROJECT_H

#include "app/app.h"
#include "app/service.h"
#include "ask/ask.h"

typedef struct ag_app_question {
	ag_app *app;
	ag_services *services;
	ag_str store_uri; /* each question opens a handle of its own */
	ag_call *
		call; /* who, project, ctx, arena, watch_fd; failure is set when there is no place for it */
	ag_str text;
	ag_ask_choices choices; /* of the settings and of this call */
	ag_ask_record record;
	void (*on_event)(void *arg, const ag_event *ev); /* NULL: nobody hears */
	void *on_event_arg;
} ag_app_question;

/* The answer as `argus ask` prints it, kept in the store; in the call's arena. Without a model in the settings the index
 * answers. With a record, what failed before a run began is kept as well: status "failed" or "cancelled".
 * errors  AG_NOT_FOUND: the project has no folder, or the folder is gone; AG_DENIED: the settings do not allow it;
 *         AG_UNAVAILABLE, AG_TIMEOUT, AG_CANCELLED; of the model */
AG_CHECK ag_status ag_app_ask_project(ag_app_question *q, ag_str *ret_json, ag_err *err);

/* The folder of a project, with the files refused that this process has its keys from. Of a project of the store it is within
 * the setting ask_folders, where that names folders.
 * errors  AG_NOT_FOUND, AG_DENIED. No message names a path of the server. */
AG_CHECK ag_status ag_app_project_root(const ag_app *app, const ag_project *p, ag_arena *arena,
                                       ag_root **ret, ag_err *err);

/* The folder that an administrator chose, without links, when the setting ask_folders allows it. In arena.
 * errors  AG_DENIED: it does not; AG_NOT_FOUND; AG_INVALID: no folder */
AG_CHECK ag_status ag_app_ask_folder(const ag_app *app, ag_str folder, ag_arena *arena, ag_str *ret,
                                     ag_err *err);
/* Is this path, which has no links, one of the folders of a setting, or below one? */
bool ag_app_is_within(ag_str folders, ag_str path, ag_arena *arena);
/* Is the address one of the setting ask_apis? errors  AG_DENIED: it is not; AG_INVALID: it is no address */
AG_CHECK ag_status ag_app_ask_address(const ag_app *app, ag_str address, ag_arena *arena,
                                      ag_err *err);

#endif
