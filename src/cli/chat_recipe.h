/* chat_recipe -- /recipe in a conversation: list recipes, run one, make one of the last questions. */
#ifndef AG_CLI_CHAT_RECIPE_H
#define AG_CLI_CHAT_RECIPE_H

#include "app/chat.h"
#include "cli/cli.h"

/* rest: what was typed after the command: nothing, "run NAME x=y", or "save NAME [LAST] x=literal". */
void ag_chat_recipe(ag_cli *c, const ag_app_chat *chat, const ag_thread *thread, ag_str rest);

#endif
