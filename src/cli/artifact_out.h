/* artifact_out -- one artifact as a file: its code, its data, a page. What it is follows from the end of the file's name. */
#ifndef AG_CLI_ARTIFACT_OUT_H
#define AG_CLI_ARTIFACT_OUT_H

#include "artifact/artifact.h"
#include "cli/cli.h"

/* .html and .htm: a page; .csv and .json: the data, or that of the source query of that name; anything else: the code.
 * query: "" = none is named. path: "-" = standard output.
 * errors  AG_INVALID: it has no such data, or cannot be a page; AG_NOT_FOUND: the query; of the query; AG_IO */
AG_CHECK ag_status ag_artifact_out(ag_cli *c, const ag_know_place *p, const ag_artifact *a,
                                   ag_str path, ag_str query, ag_err *err);

#endif
