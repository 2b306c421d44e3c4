/* fix -- which repairs a category knows. The first one that is sure counts. */
#include "repair/fix.h"

static const ag_fix_type fixes[] = {
	{ "padding", ag_fix_blanks, "stray white space taken away" },
	{ "mojibake", ag_fix_encoding, "encoding undone" },
	{ "html_entities", ag_fix_entities, "entities written as characters" },
	{ "control_characters", ag_fix_control, "control characters taken away" },
	{ "numeric_text", ag_fix_number, "number instead of text" },
	{ "text_in_number", ag_fix_number, "number instead of text" },
	{ "text_in_number", ag_fix_measure, "number without what was written around it" },
	{ "type_mismatch", ag_fix_number, "number instead of text" },
	{ "type_mismatch", ag_fix_measure, "number without what was written around it" },
	{ "type_mismatch", ag_fix_date_type, "date instead of text" },
	{ "date_as_text", ag_fix_date_type, "date instead of text" },
	{ "mixed_date_formats", ag_fix_date_form, "date in the form of the others" },
	{ "lost_leading_zero", ag_fix_zeros, "leading zeros put back" },
	{ "boolean_variants", ag_fix_boolean, "boolean as the others are written" },
	{ "precision_loss", ag_fix_noise, "without the noise of binary fractions" },
	{ "case_variants", ag_fix_case, "the usual case" },
	{ "name_case", ag_fix_case, "the usual case" },
	{ "spelling_variants", ag_fix_spelling, "the usual spelling" },
	{ "enum_violation", ag_fix_spelling, "the usual spelling" },
	{ "pattern_violation", ag_fix_digits, "digits instead of letters that look like them" },
	{ "pattern_violation", ag_fix_glued, "without the value of another field" },
	{ "invalid_format", ag_fix_email, "slip in the address" },
	{ "invalid_format", ag_fix_digits, "digits instead of letters that look like them" },
	{ "swapped_values", ag_fix_swap, AG_FIX_SWAPPED },
	{ "fd_violation", ag_fix_usual, "the value of the other documents with the same key" },
};

const ag_fix_type *ag_fix_next(ag_str category, const ag_fix_type *after)
{
	for (size_t i = after ? (size_t)(after - fixes) + 1 : 0; i < AG_NELEM(fixes); i++)
		if (ag_str_eqc(category, fixes[i].category))
			return &fixes[i];
	return NULL;
}
