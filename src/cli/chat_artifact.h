/* chat_artifact -- artifacts in a conversation: /artifact, and a card for each that an answer made. */
#ifndef AG_CLI_CHAT_ARTIFACT_H
#define AG_CLI_CHAT_ARTIFACT_H

#include "app/chat.h"
#include "cli/cli.h"

/* rest: "", "show ID", "export ID FILE". */
void ag_chat_artifact(ag_cli *c, const ag_app_chat *chat, ag_str rest);
/* After an answer: one line for each artifact that was made or changed in it. */
void ag_chat_artifact_cards(ag_cli *c, const ag_analyst_state *last);

#endif
