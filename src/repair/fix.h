/* fix -- the right value of a flagged cell. Internal to repair/.
 *
 * To add a repair: 1. a function in fix_text.c, fix_type.c or fix_known.c that says false whenever it is not sure; 2. its row
 * in fixes[] (fix.c); 3. cases in tests/cases/repair/. `./run bench detect --repairs` measures how many are right. */
#ifndef AG_REPAIR_FIX_H
#define AG_REPAIR_FIX_H

#include "audit/field_name.h"
#include "base/num.h"
#include "columns/textclass.h"
#include "columns/valmap.h"
#include "query/path.h"
#include "repair/cells.h"

#define AG_FIX_MAX_VALUES \
	200000            /* different texts of a field; with more, nothing is learnt from them */
#define AG_FIX_MAX_LEN 64 /* bytes of a text that is compared with others */

/* What the documents say of a field that the finding does not flag. CSV: types are those of the views. */
typedef struct ag_tally {
	ag_text_map texts; /* how often each text occurs; of numbers in CSV, too */
	bool is_full;
	uint64_t n, ntype[AG_NTYPE];
	uint64_t nsentence;                          /* texts that end like one */
	uint64_t ndigits, nlen[AG_FIX_MAX_LEN + 1];  /* texts of digits only, by length */
	uint64_t ndate[AG_DATE_NFORMAT], ndate_long; /* ndate_long: those that have not 10 bytes */
	uint64_t nmark_day_first,
		nmark_month_first; /* dates with "/": those that can be read in one way only */
	uint64_t nnumber;
	double min, max;   /* of numbers */
	unsigned decimals; /* the most that a number has */
} ag_tally;

/* The value that goes with each value of another field. */
typedef struct ag_usual ag_usual;

/* A text that others may be a slip of. */
typedef struct ag_known {
	ag_str text, folded;
	uint64_t n;
} ag_known;

/* One category of a finding with its evidence: the finding's own, or a part of it. */
typedef struct ag_fix {
	ag_arena *arena; /* of the finding */
	ag_str category;
	const ag_filter *filter; /* NULL: the evidence is a pipeline */
	ag_str evidence;
	const ag_path *path;
	ag_field_name name;
	bool is_csv;
	ag_bits rows;      /* documents that it flags */
	ag_tally *others;  /* of the finding: all documents that it does not flag */
	ag_tally *flagged; /* and those that it does */
	ag_usual *usual;   /* of a dependency */
	ag_str partner;    /* of swapped values: the other field, "" = not known */
	ag_text_map asked; /* texts whose nearest one was looked for */
	ag_str *answer;    /* [asked.n] it; "" = none */
	size_t capanswer;
	ag_known *known; /* made when it is asked for */
	size_t nknown;
	uint64_t ncompared;
} ag_fix;

/* v: the value; row: the object that holds it, which is the innermost item of an array, or the document (CSV cells as
 * text). The result lives in arena. False: not certain. */
typedef bool ag_fix_fn(ag_fix *f, const ag_val *v, const ag_val *row, ag_arena *arena, ag_val *ret);

typedef struct ag_fix_type {
	const char *category;
	ag_fix_fn *fn;
	const char *how;
} ag_fix_type;

/* The rows of fixes[] with this category, in order; NULL after the last. */
const ag_fix_type *ag_fix_next(ag_str category, const ag_fix_type *after);

/* --- fix_text.c: the value says it --- */
ag_fix_fn ag_fix_blanks, ag_fix_encoding, ag_fix_entities, ag_fix_control, ag_fix_email;

/* --- fix_type.c: the other values say which form is right --- */
ag_fix_fn ag_fix_number, ag_fix_measure, ag_fix_date_type, ag_fix_date_form, ag_fix_zeros,
	ag_fix_digits, ag_fix_boolean, ag_fix_noise;

/* --- fix_known.c: another document has the right value --- */
ag_fix_fn ag_fix_case, ag_fix_spelling, ag_fix_glued, ag_fix_swap, ag_fix_usual;

/* --- tally.c --- */
void ag_tally_add(ag_tally *t, const ag_val *v, const ag_val *view);
void ag_tally_release(ag_tally *t);
bool ag_tally_is_sentence(ag_str s);
uint64_t ag_tally_count(const ag_tally *t, ag_str text);
/* The occurrences of a path: fn for each value. */
void ag_tally_walk(const ag_val *v, const ag_step *steps, size_t n,
                   void (*fn)(void *arg, const ag_val *v), void *arg);

/* Reads the evidence of a dependency and counts the documents; NULL when it has another form. Lives in arena. */
AG_CHECK ag_status ag_usual_make(const ag_ctx *ctx, ag_source *s, const ag_fix *f, ag_usual **ret,
                                 ag_err *err);

/* The value at a dotted path of objects, or NULL. A name that holds the dots itself (CSV) comes first. */
const ag_val *ag_row_at(const ag_val *row, ag_str dotted);
/* The value that nearly all rows have where this one's other field has the same value; false: they do not agree. */
bool ag_usual_find(ag_usual *u, const ag_val *row, ag_val *ret);

#endif
