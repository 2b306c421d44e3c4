/* proof_category -- a category that the taxonomy does not know, by the words in its name. */
#include "audit/proof_parts.h"

/* Words of a free name, and the category that they mean; the first row that fits. "+": both words. */
static const struct {
	const char *words, *category;
} meanings[] = {
	{ "duplicate+document", "duplicate_document" },
	{ "duplicate+row", "duplicate_document" },
	{ "duplicate+record", "duplicate_document" },
	{ "duplicat", "duplicates" },
	{ "unique", "duplicates" },
	{ "sentinel+date", "sentinel_date" },
	{ "date+text", "date_as_text" },
	{ "date+string", "date_as_text" },
	{ "date+format", "mixed_date_formats" },
	{ "date+order", "date_order" },
	{ "future", "implausible_date" },
	{ "date", "implausible_date" },
	{ "number+text", "numeric_text" },
	{ "numeric+string", "numeric_text" },
	{ "number+string", "numeric_text" },
	{ "numeric+text", "numeric_text" },
	{ "sentinel", "sentinel_value" },
	{ "placeholder", "null_word" },
	{ "empty", "empty_string" },
	{ "blank", "empty_string" },
	{ "null", "null_rate" },
	{ "missing", "missing_field" },
	{ "absent", "missing_field" },
	{ "type", "type_mismatch" },
	{ "negative", "impossible_range" },
	{ "impossible", "impossible_range" },
	{ "range", "impossible_range" },
	{ "outlier", "outlier" },
	{ "extreme", "outlier" },
	{ "whitespace", "padding" },
	{ "space", "padding" },
	{ "spelling", "spelling_variants" },
	{ "typo", "spelling_variants" },
	{ "casing", "case_variants" },
	{ "case", "case_variants" },
	{ "encoding", "mojibake" },
	{ "html", "html_entities" },
	{ "orphan", "referential" },
	{ "reference", "referential" },
	{ "constant", "constant_field" },
	{ "precision", "precision_loss" },
	{ "format", "invalid_format" },
	{ "pattern", "pattern_violation" },
	{ "enum", "enum_violation" },
	{ "categor", "enum_violation" },
	{ "boolean", "boolean_variants" },
	{ "unit", "unit_mixup" },
	{ "trunc", "truncation" },
	{ "array", "array_content" },
	{ "drift", "drift" },
	{ "stale", "stale" },
};

/* Does a word of the name begin so? */
static bool has_word(ag_str name, ag_str begin)
{
	while (name.ptr)
		if (ag_str_starts(ag_str_split(&name, '_'), begin))
			return true;
	return false;
}

const char *ag_proof_meaning(ag_str name)
{
	for (size_t i = 0; i < AG_NELEM(meanings); i++) {
		ag_str rest = ag_str_c(meanings[i].words);
		bool all = true;

		while (rest.ptr)
			all = has_word(name, ag_str_split(&rest, '+')) && all;
		if (all)
			return meanings[i].category;
	}
	return NULL;
}

bool ag_proof_is_any_of(ag_str s, const char *const *list, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (ag_str_eqc(s, list[i]))
			return true;
	return false;
}

bool ag_proof_is_about_documents(ag_str category)
{
	return ag_str_eqc(category, "duplicate_document");
}

bool ag_proof_may_be_about_documents(ag_str category)
{
	static const char *const ids[] = { "fd_violation",  "arithmetic", "date_order",
		                           "redundant",     "drift",      "stale",
		                           "swapped_values" };

	return ag_proof_is_any_of(category, ids, AG_NELEM(ids));
}
