/* text_parts -- the layout that the files text*.c share. */
#ifndef AG_REPORT_TEXT_PARTS_H
#define AG_REPORT_TEXT_PARTS_H

#include "report/human.h"
#include "report/read.h"
#include "report/text.h"

typedef struct ag_rt {
	ag_paint p;
	ag_arena *arena;
	const ag_val *report;
	const ag_report_look *look;
} ag_rt;

/* "  Label   " at column `at`, then the text wrapped behind it. */
void ag_rt_row(ag_rt *t, size_t at, const char *label, ag_str text);

/* A command on a line of its own, to be copied: it never breaks. `why` follows as a comment when it fits. */
void ag_rt_command(ag_rt *t, size_t at, ag_str line, const char *why);
/* A word for the shell: quoted when it must be. */
ag_str ag_rt_shell_word(ag_str s, ag_arena *arena);
/* Does the terminal show the text as it is? Else what is copied from there names something else. */
bool ag_rt_shows_as_is(const ag_rt *t, ag_str s);

void ag_rt_table(ag_rt *t);
/* Why a finding that was set aside does not count. */
void ag_rt_aside_reason(ag_rt *t, const ag_val *finding);
void ag_rt_finding(ag_rt *t, size_t number, const ag_val *finding);
void ag_rt_dismissed(ag_rt *t);
/* What changed since the previous run: one line, with details the changed findings as well. */
void ag_rt_since(ag_rt *t);
void ag_rt_trace(ag_rt *t);
/* A collection as mongosh names it: db.orders or db.getCollection("my orders"). */
ag_str ag_rt_shell_collection(ag_str collection, ag_arena *arena);

#define AG_RT_LABEL_COLUMNS 11
#define AG_RT_NARROW_BODY   6

#endif
