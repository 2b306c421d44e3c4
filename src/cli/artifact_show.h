/* artifact_show -- an artifact on a terminal: lines of a list, the whole of one, its tables. */
#ifndef AG_CLI_ARTIFACT_SHOW_H
#define AG_CLI_ARTIFACT_SHOW_H

#include "artifact/artifact.h"
#include "artifact/table.h"
#include "cli/cli.h"

/* A line of a list. */
void ag_artifact_show_line(const ag_artifact_row *r, ag_arena *arena, ag_paint *p);
/* Title, facts, figures without a source, then what it shows: text, charts, tables. results: of its source queries. */
void ag_artifact_show(const ag_artifact *a, const ag_artifact_result *results, size_t n,
                      ag_arena *arena, ag_paint *p);
void ag_artifact_show_results(const ag_artifact_result *results, size_t n, ag_arena *arena,
                              ag_paint *p);

#endif
