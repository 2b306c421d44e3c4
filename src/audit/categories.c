/* categories -- the one table of finding categories, and how any spelling of one becomes its id.
 *
 * A name is folded first: lower case, blanks, hyphens, dots and slashes become "_", doubled ones are one.
 * Then it is an id, a synonym, or stays what it is. Synonyms must be unique over the table. */
#include "audit/taxonomy.h"

#include "base/utf8.h"

#define NAME_MAX_BYTES 200

static const ag_category table[] = {
	{ "null_rate", "Null values",
	  "missing_rate null_or_missing nulls null null_value null_values high_null_rate "
	  "missing_or_null missing_values missing_value",
	  1, "null where a value is due" },
	{ "missing_field", "Missing field",
	  "missing missing_fields field_missing absent absent_field "
	  "incomplete incomplete_documents missing_key",
	  2, "absent where due" },
	{ "stray_field", "Stray field", "unexpected_field rare_field extra_field unknown_field",
	  3 },
	{ "inconsistent_empty", "Several ways of nothing",
	  "two_ways_of_nothing empty_variants inconsistent_null inconsistent_missing", 4 },
	{ "type_mismatch", "Mixed types",
	  "type_drift mixed_types mixed_type type_inconsistency "
	  "inconsistent_type inconsistent_types type_mismatches wrong_type type_error",
	  5, "another type than the rest" },
	{ "numeric_text", "Numbers stored as text",
	  "number_as_text numbers_as_text numeric_string numeric_strings number_as_string "
	  "numeric_as_string stringified_numbers",
	  6, "numbers stored as text" },
	{ "text_in_number", "Text in a numeric field",
	  "text_in_numeric text_in_numeric_field non_numeric non_numeric_value string_in_number",
	  7 },
	{ "date_as_text", "Dates stored as text",
	  "dates_as_text date_as_string text_date "
	  "string_date dates_as_strings",
	  8, "dates stored as text" },
	{ "mixed_date_formats", "Mixed date formats",
	  "date_format date_formats inconsistent_date_format "
	  "inconsistent_dates date_format_mix inconsistent_date_formats",
	  8 },
	{ "ambiguous_date", "Ambiguous day and month",
	  "ambiguous_dates day_month_swap "
	  "day_month_ambiguity",
	  9 },
	{ "sentinel_value", "Sentinel number",
	  "sentinel sentinel_number sentinel_values magic_number "
	  "placeholder_number magic_value",
	  10, "stand-in like -1, 999" },
	{ "sentinel_date", "Sentinel date",
	  "sentinel_dates placeholder_date default_date epoch_date", 11 },
	{ "null_word", "Placeholder text",
	  "null_words placeholder placeholder_text placeholder_value "
	  "null_string null_as_text disguised_missing placeholder_values na_string",
	  12, "stand-in like n/a" },
	{ "empty_string", "Empty text",
	  "empty_strings empty blank empty_text blank_string "
	  "blank_value empty_value",
	  13 },
	{ "padding", "Stray white space",
	  "whitespace white_space leading_whitespace "
	  "trailing_whitespace untrimmed extra_whitespace trailing_space leading_space",
	  14 },
	{ "case_variants", "Case variants",
	  "case_variant case_inconsistency inconsistent_case "
	  "inconsistent_casing casing case_mismatch",
	  15, "Paid, paid" },
	{ "spelling_variants", "Spelling variants",
	  "spelling_variant typo typos misspelling "
	  "near_duplicate_values inconsistent_spelling value_variants",
	  16, "Berlin, Berlln" },
	{ "enum_violation", "Unexpected category",
	  "invalid_value rare_category invalid_enum "
	  "unexpected_value invalid_category rare_value unexpected_category",
	  17, "outside of a small set" },
	{ "outlier", "Outliers",
	  "outliers extreme_value extreme_values anomaly value_outlier "
	  "numeric_outlier",
	  18 },
	{ "impossible_range", "Impossible value",
	  "out_of_range range_violation invalid_range "
	  "impossible_value negative_value negative_values range invalid_number",
	  19, "age -3" },
	{ "implausible_date", "Implausible date",
	  "future_date future_dates ancient_date "
	  "date_out_of_range invalid_date impossible_date date_range",
	  20, "a date that cannot be" },
	{ "pattern_violation", "Pattern broken",
	  "pattern pattern_mismatch format_violation "
	  "inconsistent_format format_inconsistency format_drift",
	  21 },
	{ "lost_leading_zero", "Lost leading zero", "leading_zero lost_zero missing_leading_zero",
	  22 },
	{ "invalid_format", "Invalid format",
	  "format invalid_email malformed malformed_value "
	  "invalid_url bad_format email_format",
	  23, "bad e-mail, URL, code" },
	{ "truncation", "Text cut off", "truncated truncated_text cut_off length length_outlier",
	  24 },
	{ "duplicates", "Duplicate key",
	  "non_unique duplicate duplicate_key duplicate_keys "
	  "uniqueness duplicate_value duplicate_values duplicate_id unique_violation",
	  25, "a key that is not unique" },
	{ "duplicate_document", "Duplicate document",
	  "duplicate_documents duplicate_record "
	  "duplicate_records duplicate_row duplicate_rows",
	  26 },
	{ "constant_field", "Constant field",
	  "constant constant_value dead_field single_value "
	  "zero_variance",
	  27 },
	{ "fd_violation", "Broken dependency",
	  "functional_dependency dependency_violation "
	  "inconsistent_dependency",
	  28, "a field should fix another" },
	{ "arithmetic", "Arithmetic does not add up",
	  "arithmetic_mismatch sum_mismatch "
	  "total_mismatch calculation_error",
	  29 },
	{ "date_order", "Dates in the wrong order",
	  "order_of_dates temporal_order "
	  "date_inconsistency chronology",
	  30 },
	{ "swapped_values", "Swapped values", "swap swapped swapped_fields transposed_values", 47 },
	{ "keys_as_data", "Keys that are data", "dynamic_keys data_in_keys map_keys", 31 },
	{ "referential", "Broken reference",
	  "referential_integrity orphan orphans dangling_reference "
	  "foreign_key orphaned",
	  32, "no target" },
	{ "mojibake", "Broken encoding",
	  "encoding encoding_error encoding_issue garbled "
	  "character_encoding bad_encoding",
	  33 },
	{ "control_characters", "Control characters",
	  "control_character control_chars "
	  "non_printable",
	  33 },
	{ "html_entities", "HTML entities", "html_entity escaped_html html_escapes", 33 },
	{ "precision_loss", "Lost precision",
	  "precision rounding unsafe_integer float_precision "
	  "floating_point",
	  34 },
	{ "field_name_variants", "Field name variants",
	  "field_names field_name_typo "
	  "inconsistent_field_names key_variants field_name",
	  35 },
	{ "drift", "Drift over time", "schema_drift distribution_drift shift", 36 },
	{ "array_size", "Unusual array size", "array_length empty_array list_length", 37 },
	{ "array_content", "Array content", "array_items null_in_array duplicate_items", 38 },
	{ "unit_mixup", "Mixed units", "unit_mix_up unit_mismatch mixed_units inconsistent_units",
	  39 },
	{ "pii", "Personal data or secret", "pii_leak secret secrets personal_data sensitive_data",
	  40 },
	{ "stale", "Stale data", "staleness freshness outdated stale_data", 41 },
	{ "redundant", "Twin fields disagree", "redundant_field twin_fields redundancy", 42 },
	{ "boolean_variants", "Booleans in many spellings",
	  "boolean_as_text boolean_text "
	  "inconsistent_boolean mixed_booleans",
	  43 },
	{ "geo", "Implausible location", "geo_outlier coordinates invalid_coordinates location",
	  44 },
	{ "co_missing", "Missing together",
	  "missing_together co_null jointly_missing correlated_nulls", 46 },
	{ "name_case", "Wrong case in names", "capitalization capitalisation name_capitalization",
	  45 },
};

static const struct {
	const char *name;
	double weight;
} severities[] = {
	[AG_LOW] = { "low", 0.25 },
	[AG_MEDIUM] = { "medium", 0.5 },
	[AG_HIGH] = { "high", 0.75 },
	[AG_CRITICAL] = { "critical", 1.0 },
};

const char *ag_severity_name(ag_severity s)
{
	return severities[s].name;
}

double ag_severity_weight(ag_severity s)
{
	return severities[s].weight;
}

bool ag_severity_parse(ag_str s, ag_severity *ret)
{
	s = ag_str_trim(s);
	for (size_t i = 0; i < AG_NELEM(severities); i++) {
		if (ag_str_ieq(s, ag_str_c(severities[i].name))) {
			*ret = (ag_severity)i;
			return true;
		}
	}
	return false;
}

const ag_category *ag_category_table(size_t *ret_n)
{
	*ret_n = AG_NELEM(table);
	return table;
}

const ag_category *ag_category_find(ag_str id)
{
	for (size_t i = 0; i < AG_NELEM(table); i++) {
		if (ag_str_eqc(id, table[i].id))
			return &table[i];
	}
	return NULL;
}

static bool is_gap(char c)
{
	return c == ' ' || c == '-' || c == '.' || c == '/' || c == '_' || c == '\t' || c == '\n' ||
	       c == '\r';
}

/* "Null-Rate " becomes "null_rate". */
static ag_str fold(ag_str name, ag_arena *arena)
{
	char *out;
	size_t n = 0;

	name = ag_utf8_prefix(ag_str_trim(name), NAME_MAX_BYTES);
	out = ag_arena_alloc(arena, name.len + 1);
	for (size_t i = 0; i < name.len; i++) {
		char c = name.ptr[i];

		if (is_gap(c)) {
			if (n && out[n - 1] != '_')
				out[n++] = '_';
			continue;
		}
		out[n++] = (char)(c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c);
	}
	while (n && out[n - 1] == '_')
		n--;
	out[n] = '\0';
	return ag_str_make(out, n);
}

static bool is_synonym(const ag_category *c, ag_str folded)
{
	ag_str rest = ag_str_c(c->synonyms);

	while (rest.ptr) {
		if (ag_str_eq(ag_str_split(&rest, ' '), folded))
			return true;
	}
	return false;
}

ag_str ag_category_canonical(ag_str name, ag_arena *arena)
{
	ag_str folded = fold(name, arena);

	if (!folded.len || ag_category_find(folded))
		return folded;
	for (size_t i = 0; i < AG_NELEM(table); i++) {
		if (is_synonym(&table[i], folded))
			return ag_str_c(table[i].id);
	}
	return folded;
}
