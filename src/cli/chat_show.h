/* chat_show -- a turn of a conversation on the terminal: its text while it is written, its steps, its answer. */
#ifndef AG_CLI_CHAT_SHOW_H
#define AG_CLI_CHAT_SHOW_H

#include "analyst/analyst.h"
#include "cli/cli.h"
#include "cli/live_wrap.h"

typedef struct ag_chat_show {
	ag_cli *c;
	ag_live_wrap wrap; /* of the text that is shown while it comes */
	bool is_live;    /* text and steps appear as they come; else only the answer, at the end */
	bool in_text;    /* the cursor is after text */
	bool has_text;   /* of the reply that is shown now */
	uint64_t ntext;  /* bytes of it */
	char doubt[512]; /* what the run gate said last */
} ag_chat_show;

void ag_chat_show_init(ag_chat_show *s, ag_cli *c, bool is_live);
/* Into the options of a turn. */
void ag_chat_show_watch(ag_chat_show *s, ag_analyst_opts *o);
/* The turn has ended: what is not on the terminal yet, then where the answer comes from. Returns the exit code. */
int ag_chat_show_end(ag_chat_show *s, const ag_analyst_turn_result *r);
/* The same as JSON, with the rows of the results. */
int ag_chat_show_json(ag_cli *c, const ag_thread *thread, const ag_analyst_turn_result *r);
/* A turn of the past, as it was shown. */
bool ag_chat_show_turn(ag_cli *c, const ag_analyst_state *s);

#endif
