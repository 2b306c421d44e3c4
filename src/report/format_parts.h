/* format_parts -- what the formats share: the reports of an output, places and safe text. */
#ifndef AG_REPORT_FORMAT_PARTS_H
#define AG_REPORT_FORMAT_PARTS_H

#include "base/json.h"
#include "report/bars.h"
#include "report/format.h"
#include "report/human.h"
#include "report/read.h"

/* Where a document stands. file "" = in no file that a reader could open; line 0 = not known. */
typedef struct ag_place {
	ag_str file;
	uint64_t line;
} ag_place;

/* The reports of an output: the items of "reports", or the report itself. */
const ag_val *ag_format_reports(const ag_val *v, size_t *ret_n);
/* Escaped for every reader: no control characters, no broken bytes, one line. */
ag_str ag_format_safe(ag_str s, ag_arena *arena);
/* The path of the field, or "(document)". Safe. */
ag_str ag_format_field(const ag_val *finding, ag_arena *arena);
/* "Null values". Safe. */
ag_str ag_format_problem(const ag_val *finding, ag_arena *arena);
/* "67 of 1,500 documents (4.47%)" */
ag_str ag_format_share(const ag_val *report, const ag_val *finding, ag_arena *arena);
/* "The field is null (for example …)." Safe. */
ag_str ag_format_description(const ag_val *finding, ag_arena *arena);
/* The file of the report; "" when its source is no file. Not escaped. */
ag_str ag_format_file(const ag_val *report);
/* Of one of the finding's examples. Not escaped. */
ag_place ag_format_place(const ag_val *report, const ag_val *example);
/* high for critical and high, middle for medium, low for low. */
const char *ag_format_level(ag_str severity, const char *high, const char *middle, const char *low);

/* What could not be checked: a gap of a report, a source that failed, a file that was skipped. Safe texts. */
typedef struct ag_format_gap {
	ag_str where, severity, kind, text;
} ag_format_gap;

/* Gaps of one report, in `arena`. */
ag_format_gap *ag_format_gaps(const ag_val *report, ag_arena *arena, size_t *ret_n);
/* Failed sources and skipped files of the output. */
ag_format_gap *ag_format_left_out(const ag_val *v, ag_arena *arena, size_t *ret_n);

/* --- HTML (format_html.c, page.c) --- */

/* Text between tags or in a quoted attribute; escapes what format_safe() escapes as well. */
void ag_html_text(ag_buf *out, ag_str s, ag_arena *arena);

/* A page under way. */
typedef struct ag_html_page {
	ag_str rest; /* of the document */
	ag_buf *out;
	bool has_script; /* false: the program was built without web/; the plain form is the page */
} ag_html_page;

/* Writes up to the heading of the plain form, which the caller goes on with. */
void ag_html_open(ag_html_page *p, const char *title, ag_arena *arena, ag_buf *out);
/* data: JSON for the page's script (web/report/types.ts). */
void ag_html_close(ag_html_page *p, ag_str data);
/* Members of v with these names, in an object of w; the list ends with NULL. */
void ag_html_members(const ag_val *v, const char *const *names, ag_jw *w);

#endif
