/* The tables of the SQL guard: sorted, disjoint, and what must never be in the wrong one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "guard/sql.h"
#include "guard/sql_functions.h"

/* Walks the words of all rows; each must be found again, in order, and nowhere in `other`. */
static size_t walk(const ag_sql_words *rows, const ag_sql_words *other)
{
	size_t n = 0;

	for (const ag_sql_words *r = rows; r->words; r++) {
		ag_str rest = ag_str_make(r->words, r->len), last = AG_S("");

		assert_true(r->len > 2 && r->words[0] == ' ' && r->words[r->len - 1] == ' ');
		rest = ag_str_make(rest.ptr + 1, rest.len - 2);
		while (rest.ptr) {
			ag_str word = ag_str_split(&rest, ' ');

			if (!word.len || ag_str_cmp(last, word) >= 0)
				fail_msg("%s: %.*s is out of order", r->what, AG_FMT(word));
			if (ag_sql_words_find(rows, word) != r)
				fail_msg("%s: %.*s is not found, or twice", r->what, AG_FMT(word));
			if (ag_sql_words_find(other, word))
				fail_msg("%.*s is allowed and refused", AG_FMT(word));
			last = word;
			n++;
		}
	}
	return n;
}

static void lists_are_sorted_and_disjoint(void **state)
{
	(void)state;
	assert_true(walk(ag_sql_pg_harmless, ag_sql_pg_refused) > 380);
	assert_true(walk(ag_sql_pg_refused, ag_sql_pg_harmless) > 2250);
}

typedef struct known_row {
	ag_sql_dialect dialect;
	ag_sql_known want;
	const char *names;
} known_row;

static void names_are_where_they_belong(void **state)
{
	static const known_row rows[] = {
		{ AG_SQL_POSTGRES, AG_SQL_HARMLESS,
		  "count sum avg percentile_cont percentile_disc mode string_agg row_number lag "
		  "jsonb_build_object json_to_recordset generate_series unnest date_trunc date_bin "
		  "to_char regexp_replace split_part width_bucket to_tsvector ts_rank range_agg "
		  "random clock_timestamp timezone overlaps like_escape similar_to_escape "
		  "xmlcomment version abs popen" },
		{ AG_SQL_POSTGRES, AG_SQL_DANGEROUS,
		  "pg_read_file pg_ls_dir pg_stat_file lo_import lo_get loread lowrite dblink "
		  "dblink_exec query_to_xml query_to_xmlschema table_to_xml ts_stat ts_rewrite "
		  "crosstab connectby xpath_table set_config current_setting pg_sleep pg_sleep_for "
		  "pg_advisory_lock pg_try_advisory_xact_lock pg_notify nextval setval "
		  "currval lastval pg_switch_wal pg_create_restore_point pg_backup_start "
		  "pg_promote pg_logical_emit_message pg_stat_reset pg_export_snapshot "
		  "pg_terminate_backend pg_reload_conf pg_file_write setseed txid_current "
		  "has_table_privilege to_regclass regclass pg_get_viewdef obj_description "
		  "jsonb_populate_record textin boolout int4pl bttextcmp ri_fkey_check_ins "
		  "brin_summarize_new_values currtid2 pg_relation_size format_type xmlvalidate xpath" },
		{ AG_SQL_POSTGRES, AG_SQL_UNKNOWN, "leak coun countx regrole regproc jsonb zz a " },
		{ AG_SQL_SQLITE, AG_SQL_HARMLESS,
		  "-> ->> like glob count json_extract strftime unixepoch randomblob zeroblob "
		  "group_concat sum total row_number bm25" },
		{ AG_SQL_SQLITE, AG_SQL_DANGEROUS,
		  "load_extension readfile writefile edit fts3_tokenizer sqlite_version "
		  "sqlite_source_id sqlite_compileoption_get fts5 eval" },
		{ AG_SQL_SQLITE, AG_SQL_UNKNOWN, "pg_read_file percentile_con leak" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		ag_str rest = ag_str_c(rows[i].names);

		while (rest.ptr) {
			ag_str word = ag_str_split(&rest, ' ');
			const char *why = "?";

			if (ag_sql_function_known(rows[i].dialect, word, &why) != rows[i].want)
				fail_msg("%.*s is elsewhere", AG_FMT(word));
			assert_true((rows[i].want == AG_SQL_DANGEROUS) == (why != NULL));
		}
	}
	/* Names that are no words of the text, though it holds them. */
	assert_int_equal(ag_sql_function_known(AG_SQL_POSTGRES, AG_S("abs acos"), NULL),
	                 AG_SQL_UNKNOWN);
	assert_int_equal(ag_sql_function_known(AG_SQL_POSTGRES, AG_S(" "), NULL), AG_SQL_UNKNOWN);
	assert_int_equal(ag_sql_function_known(AG_SQL_POSTGRES, AG_S("ABS"), NULL), AG_SQL_UNKNOWN);
	assert_int_equal(ag_sql_function_known(AG_SQL_POSTGRES, AG_S("abs\0x"), NULL),
	                 AG_SQL_UNKNOWN);
}

static void types_and_operators(void **state)
{
	static const char *const yes[] = { "int4", "_int4",     "timestamptz", "numeric", "jsonb",
		                           "char", "regconfig", "int8range",   "bpchar",  "_text" };
	static const char *const no[] = { "regclass",   "regrole",  "regproc", "regtype",
		                          "_regclass",  "oid",      "__int4",  "_",
		                          "cstring",    "internal", "record",  "refcursor",
		                          "int",        "",         "INT4",    "aclitem",
		                          "anyelement", "void",     "xid",     "pg_lsn" };
	static const char *const ops[] = { "+",   "->>", "@>", "~~*", "||/", "!!", "|>>",
		                           "-|-", "?|",  "@@", "^@",  "<->", "%",  "~~" };
	static const char *const no_ops[] = { "@@@@", "", "+ -", "%%", "->>>", "<%", "=~" };

	(void)state;
	for (size_t i = 0; i < sizeof(yes) / sizeof(yes[0]); i++)
		assert_true(ag_sql_type_allowed(ag_str_c(yes[i])));
	for (size_t i = 0; i < sizeof(no) / sizeof(no[0]); i++)
		assert_false(ag_sql_type_allowed(ag_str_c(no[i])));
	for (size_t i = 0; i < sizeof(ops) / sizeof(ops[0]); i++)
		assert_true(ag_sql_operator_allowed(ag_str_c(ops[i])));
	for (size_t i = 0; i < sizeof(no_ops) / sizeof(no_ops[0]); i++)
		assert_false(ag_sql_operator_allowed(ag_str_c(no_ops[i])));
}

/* A list that is not sorted loses words: each extension is asked for its first and last. */
static void extensions(void **state)
{
	static const struct {
		const char *extension, *function;
		bool has;
	} cases[] = {
		{ "pg_trgm", "show_limit", true },
		{ "pg_trgm", "similarity", true },
		{ "pg_trgm", "word_similarity", true },
		{ "pg_trgm", "set_limit", false },
		{ "pg_trgm", "levenshtein", false },
		{ "fuzzystrmatch", "daitch_mokotoff", true },
		{ "fuzzystrmatch", "levenshtein", true },
		{ "fuzzystrmatch", "text_soundex", true },
		{ "unaccent", "unaccent", true },
		{ "citext", "citext", true },
		{ "citext", "translate", true },
		{ "hstore", "akeys", true },
		{ "hstore", "tconvert", true },
		{ "hstore", "populate_record", false },
		{ "ltree", "index", true },
		{ "ltree", "text2ltree", true },
		{ "pgcrypto", "digest", true },
		{ "pgcrypto", "hmac", true },
		{ "pgcrypto", "crypt", false },
		{ "uuid-ossp", "uuid_generate_v4", true },
		{ "uuid-ossp", "uuid_generate_v1", false },
		{ "dblink", "dblink", false },
		{ "", "similarity", false },
		{ "pg_trgm", "", false },
	};
	static const char *const never[] = {
		"dblink", "postgres_fdw", "file_fdw", "adminpack", "lo",
		"xml2",   "tablefunc",    "plpgsql",  "pg_cron",   "pg_stat_statements"
	};

	(void)state;
	for (size_t i = 0; i < AG_NELEM(cases); i++)
		if (ag_sql_extension_has(ag_str_c(cases[i].extension),
		                         ag_str_c(cases[i].function)) != cases[i].has)
			fail_msg("%s of %s", cases[i].function, cases[i].extension);
	for (size_t i = 0; i < AG_NELEM(never); i++) {
		const ag_str name = ag_str_c(never[i]);
		const ag_sql_policy p = { .allowed_extensions = &name, .nallowed_extension = 1 };
		ag_err err = { 0 };

		assert_non_null(ag_sql_extension_refused(name));
		assert_false(ag_sql_extension_known(name));
		if (ag_sql_policy_check(&p, &err) != AG_INVALID)
			fail_msg("%s can be allowed as a whole", never[i]);
		assert_non_null(strstr(err.msg, "allowed_extensions: "));
	}
	assert_null(ag_sql_extension_refused(AG_S("postgis")));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lists_are_sorted_and_disjoint),
		cmocka_unit_test(names_are_where_they_belong),
		cmocka_unit_test(types_and_operators),
		cmocka_unit_test(extensions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
