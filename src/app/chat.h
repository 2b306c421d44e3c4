/* chat -- what a conversation of the command line needs: project, caller, store, model, dictionary, tools of other servers. */
#ifndef AG_APP_CHAT_H
#define AG_APP_CHAT_H

#include "analyst/analyst.h"
#include "app/app.h"
#include "app/mcp_servers.h"
#include "app/sql_server.h"
#include "ask/tools.h"

/* A project's files, for the tools of `argus ask`. */
typedef struct ag_app_files {
	ag_ask_tools tools; /* root: close it */
	ag_ask_state no_run;
} ag_app_files;

typedef struct ag_app_chat {
	ag_project_hub *hub;
	ag_caller who;
	const ag_project *project;
	ag_str place; /* of its threads */
	ag_dictionary dictionary;
	bool has_dictionary;
	ag_str no_dictionary;   /* why, one sentence */
	bool is_demo;           /* a script answers, no model */
	ag_llm *llm;            /* NULL = no model is set: */
	ag_err no_model;        /* why, and what to set */
	ag_know_set *knowledge; /* of the project, as of the last turn */
	ag_app_servers servers;
	ag_app_sql_server sql; /* of MCP_SERVER_URL */
	ag_app_files files;    /* of a project with a root folder */
	ag_tool_set more[2];
	size_t nmore;
	ag_analyst_opts opts; /* all but question, thread, watch and on_event */
} ag_app_chat;

/* With MCP_SERVER_URL in the environment its server runs the statements, and the project need not be known here.
 *
 * source: a database of the command line, "" = none. project: its id, "" = the only one there is. The store is the app's,
 * and open. A dictionary that cannot be read, and a model that is not set, are no errors here.
 * errors  AG_NOT_FOUND: the project, or there are several; AG_INVALID, AG_DENIED: settings */
AG_CHECK ag_status ag_app_chat_open(ag_app *app, ag_str source, ag_str project, ag_str record,
                                    ag_str replay, ag_app_chat *ret, ag_err *err);
/* The example shop, with a script in the place of a model (chat_demo.h). No setting of a model, a project or another server is
 * looked at. The store is the app's, and open. */
AG_CHECK ag_status ag_app_chat_open_demo(ag_app *app, ag_app_chat *ret, ag_err *err);
void ag_app_chat_close(ag_app_chat *chat);

/* --- shared with chat_server.c --- */

/* The tools of `argus ask`, but for its API; ret_tools->ntool is 0 for a project without a root folder. Texts in arena. */
AG_CHECK ag_status ag_app_chat_files(const ag_app *app, const ag_project *p, ag_arena *arena,
                                     ag_app_files *ret, ag_tool_set *ret_tools, ag_err *err);
/* A hub over the example shop alone, with the folder `root` for questions, "" = none; close it. */
AG_CHECK ag_status ag_app_demo_hub(ag_app *app, ag_str root, ag_project_hub **ret, ag_err *err);
/* The app's models are the script alone. */
AG_CHECK ag_status ag_app_demo_models(ag_app *app, ag_err *err);

#endif
