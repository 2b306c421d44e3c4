/* report_out -- what `argus audit` and `argus resume` share: options, the place of --out, and the end of a recording. */
#ifndef AG_CLI_REPORT_OUT_H
#define AG_CLI_REPORT_OUT_H

#include "cli/cli.h"
#include "report/format.h"
#include "report/text.h"

/* Rows of a table of options. clang-format would put each member of a row on a line. */
/* clang-format off */
#define AG_RECORD_OPTIONS                                                                         \
	{ "record", 0, "FILE", NULL, NULL, "write every exchange with a model, without keys" },    \
	{ "replay", 0, "FILE", NULL, NULL, "answer from a recording, without network" }
#define AG_REPORT_DETAILS_OPTION                                                                  \
	{ "details", 0, NULL, NULL, NULL, "in text: evidence, examples, cause and repair of each finding" }
#define AG_REPORT_FORMAT_OPTION                                                                   \
	{ .setting = "output_format",                                                              \
	  .help = "text, short, json, html, sarif, junit, github, markdown, csv or silent" }
#define AG_REPORT_OUT_OPTIONS                                                                     \
	AG_REPORT_DETAILS_OPTION,                                                                  \
	AG_REPORT_FORMAT_OPTION,                                                                   \
	{ "out", 0, "FILE", NULL, NULL, "write the report to a file, whole or not at all; - is standard output" }
/* clang-format on */

/* Does --out name anything but standard output ("-")? */
bool ag_report_out_is_file(const ag_cli *c);
/* Complain about --record with --replay, and about a place of --out that cannot be written. Returns the canonical path
 * of the file that --out would replace, in arena; "" when there is none, or something was wrong. */
ag_str ag_report_out_check(ag_cli *c);
/* "Nothing is ever written to a source": complain that this option names one. */
void ag_report_out_refuse(ag_cli *c, const char *option, ag_str uri);

/* Does --output name a format of report/format.h? */
bool ag_report_out_is_format(const ag_cli *c);
/* The report in a format of report/format.h, which --output named. v: what JSON prints, parsed with types. */
void ag_report_out_format(ag_cli *c, const ag_val *v, ag_buf *out);
ag_report_look ag_report_out_look(const ag_cli *c, const ag_store *store);
/* Put the report to --out: text as it is, JSON made harmless for terminals and with a line's end. */
AG_CHECK ag_status ag_report_out_write(ag_cli *c, const ag_buf *report, ag_err *err);
/* The models of a run could not be opened: tell it. Returns the exit code: that of a wrong setting, unless something
 * else stood in the way. */
int ag_report_out_no_models(ag_cli *c, const ag_err *err);
/* Before a run: what its user should know of its models. */
void ag_report_out_note_models(ag_cli *c);
/* At the end of a run: false, and told, when the recording is not whole. */
bool ag_report_out_recorded(ag_cli *c);

#endif
