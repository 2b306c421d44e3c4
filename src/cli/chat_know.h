/* chat_know -- what a conversation leaves in the project's knowledge: /learn, /metric, /golden. */
#ifndef AG_CLI_CHAT_KNOW_H
#define AG_CLI_CHAT_KNOW_H

#include "app/chat.h"
#include "cli/cli.h"

/* last: the last turn, NULL = there is none. rest: what was typed after the command. */
void ag_chat_learn(ag_cli *c, const ag_app_chat *chat, const ag_analyst_state *last, ag_str rest);
void ag_chat_metric(ag_cli *c, const ag_app_chat *chat, const ag_analyst_state *last, ag_str rest);
void ag_chat_golden(ag_cli *c, const ag_app_chat *chat, const ag_analyst_state *last, ag_str rest);
/* After an answer: a corrected error is worth a learning, which nobody has saved. */
void ag_chat_offer_learning(ag_cli *c, const ag_app_chat *chat, const ag_analyst_state *last);

#endif
