/* chat_loop -- the conversation itself: questions and commands, line by line. */
#ifndef AG_CLI_CHAT_LOOP_H
#define AG_CLI_CHAT_LOOP_H

#include "app/chat.h"
#include "cli/cli.h"

/* Reads lines from standard input until its end or /quit. *thread may become another one. Returns the exit code. */
int ag_chat_loop(ag_cli *c, ag_app_chat *chat, ag_thread *thread);

/* cmd_chat.c: the threads of the project as a list. Returns the exit code. */
int ag_chat_list_threads(ag_cli *c, const ag_app_chat *chat);

#endif
