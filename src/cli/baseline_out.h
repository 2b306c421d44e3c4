/* baseline_out -- --baseline and --fail-on-new of `argus audit`: what a report is compared with, and what is printed. */
#ifndef AG_CLI_BASELINE_OUT_H
#define AG_CLI_BASELINE_OUT_H

#include "audit/baseline.h"
#include "cli/cli.h"

typedef struct ag_baseline_use {
	bool is_on; /* only what is new fails a build */
	ag_baseline
		file; /* of --baseline; nreport 0 = the source's baseline in the store, else its previous run */
} ag_baseline_use;

/* clang-format off */
#define AG_BASELINE_OPTIONS                                                                        \
	{ "baseline", 0, "REPORT", NULL, NULL,                                                      \
	  "a JSON report: exit with 3 only for what it does not have" },                            \
	{ "fail-on-new", 0, NULL, NULL, NULL,                                                       \
	  "exit with 3 only for what --baseline, the source's baseline or the previous run does not have" }
/* clang-format on */

/* Read what the options name, before any work; complains about options that do not fit.
 * errors  the file cannot be read, or is no report */
AG_CHECK ag_status ag_baseline_out_open(ag_cli *c, ag_baseline_use *ret, ag_err *err);

typedef struct ag_baseline_result {
	ag_str json;  /* the report with the member "baseline" */
	ag_str text;  /* lines for people */
	bool reaches; /* something new at or above the level */
} ag_baseline_result;

/* Compare one report, given as text and parsed. In c->app.arena. */
void ag_baseline_out_compare(ag_cli *c, const ag_baseline_use *use, ag_str report,
                             const ag_val *parsed, ag_baseline_result *ret);
/* The severity from which a build fails. */
ag_severity ag_baseline_out_level(const ag_cli *c);

#endif
