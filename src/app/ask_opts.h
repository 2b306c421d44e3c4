/* ask_opts -- what a question needs, out of the settings: the project's folder, its API, and what the kernel shall forbid.
 *
 * The key of the API goes only where it belongs, like those of models (models.h): an address that a file of the folder
 * names gets a key of such a file, not the one of the environment, unless it is on this machine. */
#ifndef AG_APP_ASK_OPTS_H
#define AG_APP_ASK_OPTS_H

#include "app/mcp_servers.h"
#include "app/models.h"
#include "ask/ask.h"
#include "base/sandbox.h"

#define AG_APP_MAX_NOTES 8

typedef struct ag_app_ask {
	ag_root *root;
	ag_api *api;                    /* NULL = none */
	unsigned api_methods;           /* that it is sent */
	ag_app_servers servers;         /* whose tools the model gets as well */
	ag_str notes[AG_APP_MAX_NOTES]; /* what a user should know, one sentence each */
	size_t nnote;
} ag_app_ask;

/* The project's folder, with every file refused that keys came from; its .env files are read for what is not set yet.
 * errors  those of ag_root_open(), and of what stands in a .env file */
AG_CHECK ag_status ag_app_ask_root(ag_app *app, ag_app_ask *ask, ag_err *err);
/* Was this setting given by the user, and not by a file that came with the folder: by a flag, the environment, or a file that
 * --config names? What opens a door needs it. */
bool ag_app_is_vouched(const ag_app *app, const char *setting);
/* Its API, unless the settings say that there is none.
 * errors  AG_NOT_FOUND: no key (names the variables and the file); AG_DENIED; AG_INVALID
 * question  what the user wrote: its orders permit further methods, unless --api-methods lists them */
AG_CHECK ag_status ag_app_ask_api(ag_app *app, ag_app_ask *ask, ag_str question, ag_err *err);
void ag_app_ask_release(ag_app_ask *ask);

/* From now on this process can read the root and what it needs to work, write its store, and start nothing, as far as the
 * kernel can. Everything must be open; no thread may run yet. llm NULL = no network at all is needed.
 * errors  AG_UNAVAILABLE: the setting says required, and the kernel cannot */
AG_CHECK ag_status ag_app_ask_confine(ag_app *app, const ag_app_ask *ask, ag_llm *llm,
                                      ag_sandbox_report *ret, ag_err *err);

#endif
