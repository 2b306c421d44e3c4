/* script -- repairs as a program for mongosh, for SQL, or as changes of a CSV file.
 *
 * One update for each document: its filter has the key and the old value of each cell, so that a document that was changed
 * since stays as it is. All values are literals; names and values are quoted whatever they hold. */
#ifndef AG_REPAIR_SCRIPT_H
#define AG_REPAIR_SCRIPT_H

#include "columns/csv_copy.h"
#include "repair/mend.h"

typedef struct ag_script {
	uint64_t ndocument, nvalue; /* that the script changes */
	uint64_t nleft_out;         /* values that it cannot name */
	const char *why;            /* they are left out; "" = nothing is */
} ag_script;

/* For mongosh, on the collection of the source. */
void ag_script_mongosh(const ag_mends *m, ag_buf *out, ag_script *ret);
/* Standard SQL in one transaction. table "" = the collection; joint: between the names of nested fields in the names of columns,
 * "" = nested fields are no columns. */
void ag_script_sql(const ag_mends *m, ag_str table, ag_str joint, ag_arena *arena, ag_buf *out,
                   ag_script *ret);
/* By byte, in arena. The source must be a CSV or TSV file. */
void ag_script_csv(const ag_mends *m, ag_source *source, ag_arena *arena,
                   const ag_csv_change **ret_changes, size_t *ret_n, ag_script *ret);

#endif
