/* chat_sql -- what a person asks of the database in a conversation without a model: a statement, the tables. */
#ifndef AG_CLI_CHAT_SQL_H
#define AG_CLI_CHAT_SQL_H

#include "app/chat.h"
#include "cli/cli.h"

/* Runs a statement as the caller, governed and recorded like the model's, and prints its rows. */
void ag_chat_sql(ag_cli *c, const ag_app_chat *chat, const ag_thread *thread, ag_str sql);
/* The tables, or the columns of the one of that name. */
void ag_chat_tables(ag_cli *c, const ag_app_chat *chat, ag_str name);
/* A result as a table, with bars and lines where they say something. max_rows: that are shown, 0 = 40. */
void ag_chat_print_rows(ag_cli *c, const ag_analyst_result *r, size_t max_rows);

#endif
