/* chat_server -- what the server's conversations need of the program (server/server.h): the model of each project, its
 * dictionary, files and knowledge. */
#ifndef AG_APP_CHAT_SERVER_H
#define AG_APP_CHAT_SERVER_H

#include "app/app.h"
#include "server/server.h"

typedef struct ag_app_chat_server ag_app_chat_server;

/* hub: borrowed, and closed before this is freed. While it is used, nobody else may open models with the app or use its arena. is_demo: a script answers
 * (app/chat_demo.h). */
AG_CHECK ag_status ag_app_chat_server_new(ag_app *app, ag_project_hub *hub, bool is_demo,
                                          ag_app_chat_server **ret, ag_err *err);
/* No turn may be under way. Accepts NULL. */
void ag_app_chat_server_free(ag_app_chat_server *s);
/* For ag_server_opts.chat; lives as long as s. */
const ag_server_chat *ag_app_chat_server_opts(ag_app_chat_server *s);

#endif
