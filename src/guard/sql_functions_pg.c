/* The functions of PostgreSQL that a query may call.
 *
 * lint: table. How it was made, so that it can be made again for the next version: all names of pg_proc in pg_catalog of
 * PostgreSQL 15 were read, with every overload. Taken were immutable and stable functions, aggregates and window functions,
 * and few volatile ones that change nothing (random, clock_timestamp, timeofday, gen_random_uuid). A name is here only if
 * no overload of it runs SQL text, reads files, settings or the catalog, reaches another server, writes, locks or waits;
 * not here are the input, output and support functions of types, indexes, aggregates and operators (their operators do
 * the same). All other names are in sql_functions_refused.c; tests/e2e/guard_postgres.sh compares both with a server's
 * catalog.
 *
 * What may surprise: popen and pclose open and close a geometric path; ts_stat and ts_rewrite are missing because they run
 * queries given as text; xpath, because a server cannot interrupt it; json_populate_record, because the domains of its row
 * type run checks of users. to_json and its relatives use a cast to json if somebody defined one for a type of his own: it is
 * his function, not the query's author's. Functions that make large values (repeat, lpad, array_fill) stay: sql_huge.c bounds
 * them. */
#include "guard/sql_functions.h"

/* clang-format off */
const ag_sql_words ag_sql_pg_harmless[] = {
	AG_SQL_WORDS("numbers",
	      " abs acos acosd acosh asin asind asinh atan atan2 atan2d atand atanh bit_count cbrt "
	      "ceil ceiling cos cosd cosh cot cotd degrees div exp factorial floor gcd "
	      "gen_random_uuid get_bit get_byte hashtext hashtextextended lcm ln log log10 min_scale "
	      "mod num_nonnulls num_nulls pi pow power radians random round scale set_bit set_byte "
	      "sign sin sind sinh sqrt tan tand tanh to_hex trim_scale trunc width_bucket "),
	AG_SQL_WORDS("text",
	      " ascii bit_length btrim cash_words char_length character_length chr concat concat_ws "
	      "convert convert_from convert_to decode encode format initcap is_normalized left "
	      "length like_escape lower lpad ltrim md5 normalize octet_length overlay parse_ident "
	      "pg_collation_for pg_column_size pg_size_bytes pg_size_pretty pg_typeof position "
	      "quote_ident quote_literal quote_nullable regexp_count regexp_instr regexp_like "
	      "regexp_match regexp_matches regexp_replace regexp_split_to_array "
	      "regexp_split_to_table regexp_substr repeat replace reverse right rpad rtrim sha224 "
	      "sha256 sha384 sha512 similar_escape similar_to_escape split_part starts_with "
	      "string_to_array string_to_table strpos substr substring to_ascii translate unistr "
	      "upper "),
	AG_SQL_WORDS("dates",
	      " age clock_timestamp date_bin date_part date_trunc extract isfinite justify_days "
	      "justify_hours justify_interval make_date make_interval make_time make_timestamp "
	      "make_timestamptz now overlaps statement_timestamp timeofday timezone to_char to_date "
	      "to_number to_timestamp transaction_timestamp "),
	AG_SQL_WORDS("sessions",
	      " current_database current_schema current_user session_user version "),
	AG_SQL_WORDS("casts",
	      " bit bool bpchar char date float4 float8 int2 int4 int8 interval money numeric text "
	      "time timestamp timestamptz timetz varbit varchar xml "),
	AG_SQL_WORDS("arrays and sets",
	      " array_append array_cat array_dims array_fill array_length array_lower array_ndims "
	      "array_position array_positions array_prepend array_remove array_replace array_to_json "
	      "array_to_string array_to_tsvector array_upper cardinality enum_first enum_last "
	      "enum_range generate_series generate_subscripts trim_array unnest "),
	AG_SQL_WORDS("aggregates",
	      " array_agg avg bit_and bit_or bit_xor bool_and bool_or corr count covar_pop covar_samp "
	      "every json_agg json_object_agg jsonb_agg jsonb_object_agg max min mode "
	      "percentile_cont percentile_disc range_agg range_intersect_agg regr_avgx regr_avgy "
	      "regr_count regr_intercept regr_r2 regr_slope regr_sxx regr_sxy regr_syy stddev "
	      "stddev_pop stddev_samp string_agg sum var_pop var_samp variance xmlagg "),
	AG_SQL_WORDS("windows and hypothetical sets",
	      " cume_dist dense_rank first_value lag last_value lead nth_value ntile percent_rank "
	      "rank row_number "),
	AG_SQL_WORDS("JSON",
	      " json_array_elements json_array_elements_text json_array_length json_build_array "
	      "json_build_object json_each json_each_text json_extract_path json_extract_path_text "
	      "json_object json_object_keys json_strip_nulls json_to_record json_to_recordset "
	      "json_typeof jsonb_array_elements jsonb_array_elements_text jsonb_array_length "
	      "jsonb_build_array jsonb_build_object jsonb_each jsonb_each_text jsonb_extract_path "
	      "jsonb_extract_path_text jsonb_insert jsonb_object jsonb_object_keys jsonb_path_exists "
	      "jsonb_path_exists_tz jsonb_path_match jsonb_path_match_tz jsonb_path_query "
	      "jsonb_path_query_array jsonb_path_query_array_tz jsonb_path_query_first "
	      "jsonb_path_query_first_tz jsonb_path_query_tz jsonb_pretty jsonb_set jsonb_set_lax "
	      "jsonb_strip_nulls jsonb_to_record jsonb_to_recordset jsonb_typeof row_to_json to_json "
	      "to_jsonb "),
	AG_SQL_WORDS("ranges",
	      " datemultirange daterange int4multirange int4range int8multirange int8range isempty "
	      "lower_inc lower_inf multirange nummultirange numrange range_merge tsmultirange "
	      "tsrange tstzmultirange tstzrange upper_inc upper_inf "),
	AG_SQL_WORDS("geometry",
	      " area bound_box box center circle diagonal diameter height isclosed ishorizontal "
	      "isopen isparallel isperp isvertical line lseg npoints path pclose point polygon popen "
	      "radius slope width "),
	AG_SQL_WORDS("network addresses",
	      " abbrev broadcast cidr family host hostmask inet_merge inet_same_family macaddr "
	      "macaddr8 macaddr8_set7bit masklen netmask network set_masklen "),
	AG_SQL_WORDS("full text",
	      " json_to_tsvector jsonb_to_tsvector numnode phraseto_tsquery plainto_tsquery querytree "
	      "setweight strip to_tsquery to_tsvector ts_delete ts_filter ts_headline ts_lexize "
	      "ts_parse ts_rank ts_rank_cd ts_token_type tsquery_phrase tsvector_to_array "
	      "websearch_to_tsquery "),
	AG_SQL_WORDS("XML",
	      " xml_is_well_formed xml_is_well_formed_content xml_is_well_formed_document xmlcomment "),
	AG_SQL_WORDS("PostgreSQL 16 and later",
	      " any_value array_reverse array_sample array_shuffle array_sort casefold crc32 crc32c "
	      "date_add date_subtract erf erfc gamma json_agg_strict json_object_agg_strict "
	      "json_object_agg_unique json_object_agg_unique_strict jsonb_agg_strict "
	      "jsonb_object_agg_strict jsonb_object_agg_unique jsonb_object_agg_unique_strict lgamma "
	      "random_normal to_bin to_oct uuid_extract_timestamp uuid_extract_version uuidv4 uuidv7 "
	      "xmltext "),
	{ NULL, NULL, 0 },
};
/* clang-format on */
