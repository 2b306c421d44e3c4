/* Extensions that the guard knows: functions that only compute, and extensions that must never be allowed as a whole.
 *
 * lint: table. A name is believed only when the database's catalog says that the function belongs to the extension. Not here:
 * what changes the session (set_limit of pg_trgm), what runs SQL given as text, what fills rows of a type that the caller names
 * (populate_record of hstore), what may be slow without a limit (crypt and gen_salt of pgcrypto), what needs keys, and
 * functions whose own body is SQL that looks names up when it runs (earthdistance). */
#include "guard/sql.h"
#include "guard/sql_functions.h"

/* clang-format off */
static const ag_sql_words known[] = {
	AG_SQL_WORDS("btree_gin", " "),
	AG_SQL_WORDS("btree_gist",
	      " cash_dist date_dist float4_dist float8_dist int2_dist int4_dist int8_dist interval_dist "
	      "oid_dist time_dist ts_dist tstz_dist "),
	AG_SQL_WORDS("citext",
	      " citext regexp_match regexp_matches regexp_replace regexp_split_to_array regexp_split_to_table "
	      "replace split_part strpos translate "),
	AG_SQL_WORDS("cube",
	      " cube cube_dim cube_distance cube_enlarge cube_inter cube_is_point cube_ll_coord cube_size "
	      "cube_subset cube_union cube_ur_coord distance_chebyshev distance_taxicab "),
	AG_SQL_WORDS("dict_int", " "),
	AG_SQL_WORDS("fuzzystrmatch",
	      " daitch_mokotoff difference dmetaphone dmetaphone_alt levenshtein levenshtein_less_equal "
	      "metaphone soundex text_soundex "),
	AG_SQL_WORDS("hstore",
	      " akeys avals defined delete each exist exists_all exists_any fetchval hs_concat hs_contained "
	      "hs_contains hstore hstore_to_array hstore_to_json hstore_to_json_loose hstore_to_jsonb "
	      "hstore_to_jsonb_loose hstore_to_matrix isdefined isexists skeys slice slice_array svals "
	      "tconvert "),
	AG_SQL_WORDS("intarray",
	      " icount idx intarray_del_elem intarray_push_array intarray_push_elem intset intset_subtract "
	      "intset_union_elem sort sort_asc sort_desc subarray uniq "),
	AG_SQL_WORDS("isn", " ean13 is_valid isbn isbn13 ismn ismn13 issn issn13 make_valid upc "),
	AG_SQL_WORDS("ltree", " index lca ltree2text nlevel subltree subpath text2ltree "),
	AG_SQL_WORDS("pg_trgm", " show_limit show_trgm similarity strict_word_similarity word_similarity "),
	AG_SQL_WORDS("pgcrypto", " armor digest gen_random_bytes gen_random_uuid hmac "),
	AG_SQL_WORDS("seg", " seg_center seg_lower seg_size seg_upper "),
	AG_SQL_WORDS("unaccent", " unaccent "),
	AG_SQL_WORDS("uuid-ossp",
	      " uuid_generate_v1mc uuid_generate_v3 uuid_generate_v4 uuid_generate_v5 uuid_nil uuid_ns_dns "
	      "uuid_ns_oid uuid_ns_url uuid_ns_x500 "),
	AG_SQL_WORDS("vector",
	      " cosine_distance hamming_distance inner_product jaccard_distance l1_distance l2_distance "
	      "l2_norm l2_normalize subvector vector_dims vector_norm "),
	{ NULL, NULL, 0 },
};

static const ag_sql_words refused[] = {
	AG_SQL_WORDS("they run SQL that is given as text", " tablefunc xml2 "),
	AG_SQL_WORDS("they reach other servers", " dblink http mongo_fdw mysql_fdw pg_net postgres_fdw tds_fdw "),
	AG_SQL_WORDS("they read or write files of the server", " adminpack file_fdw lo pg_file_settings "),
	AG_SQL_WORDS("they show what others asked, or the inside of the server",
	      " amcheck auto_explain pageinspect pg_buffercache pg_freespacemap pg_prewarm pg_stat_statements "
	      "pg_surgery pg_visibility pg_walinspect pgrowlocks pgstattuple sslinfo "),
	AG_SQL_WORDS("they run jobs or code", " pg_background pg_cron plperl plperlu plpgsql plpython3u plpythonu pltcl pltclu plv8 "),
	{ NULL, NULL, 0 },
};
/* clang-format on */

static const ag_sql_words *row_of(ag_str extension)
{
	for (const ag_sql_words *row = known; extension.len && row->words; row++)
		if (ag_str_eqc(extension, row->what))
			return row;
	return NULL;
}

bool ag_sql_extension_known(ag_str extension)
{
	return row_of(extension) != NULL;
}

bool ag_sql_extension_has(ag_str extension, ag_str function)
{
	const ag_sql_words *row = row_of(extension);
	ag_sql_words one[2] = { { NULL, NULL, 0 }, { NULL, NULL, 0 } };

	if (!row)
		return false;
	one[0] = *row;
	return ag_sql_words_find(one, function) != NULL;
}

const char *ag_sql_extension_refused(ag_str extension)
{
	const ag_sql_words *row = ag_sql_words_find(refused, extension);

	return row ? row->what : NULL;
}
