/* table -- the data of an artifact as tables: for terminals, CSV and pages. */
#ifndef AG_ARTIFACT_TABLE_H
#define AG_ARTIFACT_TABLE_H

#include "artifact/artifact.h"

typedef struct ag_artifact_table {
	ag_str name;          /* of the member, trace or query; "" = none */
	ag_val columns, rows; /* ARRAY of names; ARRAY of ARRAYs */
	uint64_t row_count;
	bool is_cut; /* there are more rows */
} ag_artifact_table;

/* A list of objects: a column for each name that comes in any of them. False: it is none. In arena. */
bool ag_artifact_table_of(const ag_val *list, ag_arena *arena, ag_artifact_table *ret);
/* The tables in a version's own data: the list itself, or each member that is one. Returns how many. */
size_t ag_artifact_data_tables(const ag_artifact *a, ag_arena *arena, ag_artifact_table **ret);
/* The traces of a Plotly specification: those over the same x as one table. Returns how many; 0 also when it is no JSON. */
size_t ag_artifact_plotly_tables(const ag_artifact *a, ag_arena *arena, ag_artifact_table **ret);
/* RFC 4180: a head, then the rows; text in quotes where it must be, null as nothing. */
void ag_artifact_csv(const ag_artifact_table *t, ag_buf *out);
/* The same rows as a list of objects, on lines of their own. */
void ag_artifact_rows_json(const ag_artifact_table *t, ag_arena *arena, ag_buf *out);

#endif
