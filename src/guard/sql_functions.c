/* Is a function known, and is it harmless? The lists of PostgreSQL have files of their own; SQLite's are here.
 *
 * SQLite's names come from pragma_function_list of 3.40.1 with everything compiled in. Its operators that are functions
 * behind the scenes (-> ->> like glob) are asked by its authorizer under these names. */
#include "guard/sql_functions.h"
#include "guard/sql.h"

/* clang-format off */
static const ag_sql_words sqlite_harmless[] = {
	AG_SQL_WORDS("numbers and text",
	      " abs acos acosh asin asinh atan atan2 atanh ceil ceiling char coalesce concat concat_ws cos cosh degrees "
	      "exp floor format glob hex ifnull iif instr length like likelihood likely ln log log10 log2 lower "
	      "ltrim mod nullif octet_length pi pow power printf quote radians random randomblob replace round rtrim "
	      "sign sin sinh soundex sqrt substr substring tan tanh trim trunc typeof unhex unicode unistr unlikely "
	      "upper zeroblob "),
	AG_SQL_WORDS("dates", " current_date current_time current_timestamp date datetime julianday strftime time timediff "
	      "unixepoch "),
	AG_SQL_WORDS("aggregates and windows",
	      " avg count cume_dist dense_rank first_value group_concat lag last_value lead max median min nth_value ntile "
	      "percent_rank percentile percentile_cont percentile_disc rank row_number string_agg sum total "),
	AG_SQL_WORDS("JSON",
	      " -> ->> json json_array json_array_insert json_array_length json_each json_error_position json_extract "
	      "json_group_array json_group_object json_insert json_object json_patch json_pretty json_quote json_remove "
	      "json_replace json_set json_tree json_type json_valid jsonb jsonb_array jsonb_extract jsonb_group_array "
	      "jsonb_group_object jsonb_insert jsonb_object jsonb_patch jsonb_remove jsonb_replace jsonb_set subtype "),
	AG_SQL_WORDS("full text", " bm25 highlight match snippet "),
	{ NULL, NULL, 0 },
};

static const ag_sql_words sqlite_refused[] = {
	AG_SQL_WORDS("loads code", " icu_load_collation load_extension "),
	AG_SQL_WORDS("reads or writes files",
	      " edit fsdir lsdir lsmode readfile sqlar_compress sqlar_uncompress writefile zipfile zipfile_cds "),
	AG_SQL_WORDS("runs SQL that is given as text", " eval "),
	AG_SQL_WORDS("works on pointers inside SQLite", " carray fts3_tokenizer fts5 sqlite_offset "),
	AG_SQL_WORDS("tells about the program, not the data",
	      " changes fts5_source_id last_insert_rowid sqlite_compileoption_get sqlite_compileoption_used sqlite_log "
	      "sqlite_source_id sqlite_version total_changes "),
	AG_SQL_WORDS("works on the inside of an index",
	      " fts5_decode fts5_decode_none fts5_expr fts5_expr_tcl fts5_fold fts5_isalnum fts5_rowid matchinfo offsets "
	      "optimize rtreecheck rtreedepth rtreenode "),
	{ NULL, NULL, 0 },
};
/* clang-format on */

/* Words lie sorted in text, so the middle byte belongs to a word that tells which half to look at. */
static bool holds(const ag_sql_words *row, ag_str word)
{
	const char *lo = row->words + 1, *hi = row->words + row->len; /* [lo, hi): whole words */

	while (lo < hi) {
		const char *from = lo + (hi - lo) / 2, *to;
		int order;

		while (from > lo && from[-1] != ' ')
			from--;
		to = memchr(from, ' ', (size_t)(hi - from));
		if (!to)
			return false;
		order = ag_str_cmp(word, ag_str_make(from, (size_t)(to - from)));
		if (!order)
			return true;
		if (order < 0)
			hi = from;
		else
			lo = to + 1;
	}
	return false;
}

const ag_sql_words *ag_sql_words_find(const ag_sql_words *rows, ag_str word)
{
	if (!word.len || memchr(word.ptr, ' ', word.len))
		return NULL;
	for (; rows->words; rows++) {
		if (holds(rows, word))
			return rows;
	}
	return NULL;
}

ag_sql_known ag_sql_function_known(ag_sql_dialect d, ag_str name, const char **ret_why)
{
	bool is_sqlite = d == AG_SQL_SQLITE;
	const ag_sql_words *row;

	if (ret_why)
		*ret_why = NULL;
	if (ag_sql_words_find(is_sqlite ? sqlite_harmless : ag_sql_pg_harmless, name))
		return AG_SQL_HARMLESS;
	row = ag_sql_words_find(is_sqlite ? sqlite_refused : ag_sql_pg_refused, name);
	if (!row)
		return AG_SQL_UNKNOWN;
	if (ret_why)
		*ret_why = row->what;
	return AG_SQL_DANGEROUS;
}
