/* report_text_parts -- what the files report_text*.c share: reading a report tolerantly, and their layout. */
#ifndef AG_AUDIT_REPORT_TEXT_PARTS_H
#define AG_AUDIT_REPORT_TEXT_PARTS_H

#include "audit/report_text.h"

typedef struct ag_rt {
	ag_paint p;
	ag_arena *arena;
	const ag_val *report;
	const ag_report_look *look;
} ag_rt;

/* The member or NULL; v may be NULL. */
const ag_val *ag_rt_get(const ag_val *v, const char *name);
/* "" or 0 when the member is missing or of another type. */
ag_str ag_rt_str(const ag_val *v, const char *name);
uint64_t ag_rt_count(const ag_val *v, const char *name);
double ag_rt_number(const ag_val *v, const char *name);
/* Items of an array member; *ret_n 0 when there is none. */
const ag_val *ag_rt_items(const ag_val *v, const char *name, size_t *ret_n);

/* "  Label   " at column `at`, then the text wrapped behind it. */
void ag_rt_row(ag_rt *t, size_t at, const char *label, ag_str text);

void ag_rt_finding(ag_rt *t, size_t number, const ag_val *finding);
void ag_rt_dismissed(ag_rt *t);
void ag_rt_since(ag_rt *t);
void ag_rt_trace(ag_rt *t);
/* A collection as mongosh names it: db.orders or db.getCollection("my orders"). */
ag_str ag_rt_shell_collection(ag_str collection, ag_arena *arena);

#define AG_RT_LABEL_COLUMNS 11

#endif
