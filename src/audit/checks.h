/* checks -- what the checks of the catalogue share: how to state a suspicion, and questions that several of
 * them ask of a path. Internal to audit/. */
#ifndef AG_AUDIT_CHECKS_H
#define AG_AUDIT_CHECKS_H

#include "audit/evidence_build.h"
#include "audit/hypothesis.h"

/* Shorthand inside check_*.c */
#define KV  AG_EV_KV
#define OBJ AG_EV_OBJ
#define ARR AG_EV_ARR

#define AG_CHECK_ARGS                                                              \
	const ag_profile *p, const ag_path_profile *f, const ag_catalogue_opts *o, \
		ag_hypotheses *out

/* A new hypothesis on f, or NULL when there is no evidence for it (a path that no filter can name). */
ag_hypothesis *ag_suspect(ag_hypotheses *out, const ag_path_profile *f, const char *category,
                          ag_severity severity, double confidence, ag_str evidence);
/* The three sentences; literals. */
void ag_suspect_say(ag_hypothesis *h, const char *what, const char *cause, const char *repair);
/* Severity is what the check says, whatever the share. */
void ag_suspect_fix(ag_hypothesis *h);

uint64_t ag_path_numbers(const ag_path_profile *f); /* occurrences of any number type */
uint64_t ag_path_filled(const ag_path_profile *f);  /* occurrences that are not null */
double ag_share(uint64_t part, uint64_t whole);     /* 0 when whole is 0 */
/* No arrays among the values and the path can be asked for: scalar checks make sense. */
bool ag_path_is_plain(ag_arena *a, const ag_path_profile *f);

/* How much a gap says: the one policy for null, absent and empty. share: of the parent objects. */
typedef enum ag_lack { AG_LACK_NONE, AG_LACK_LOW, AG_LACK_MEDIUM, AG_LACK_HIGH } ag_lack;
ag_lack ag_lack_severity(const ag_path_profile *f, const ag_field_name *n, double share,
                         const ag_catalogue_opts *o);
ag_severity ag_lack_as_severity(ag_lack v);
bool ag_path_may_have_gaps(const ag_path_profile *f);
uint64_t ag_path_nulls(const ag_profile *p, const ag_path_profile *f); /* CSV: and empty cells */
uint64_t ag_path_absent(const ag_path_profile *f); /* objects that lack the field */
/* Another field has values in exactly the same documents: row 46 speaks for both. */
bool ag_path_is_grouped(const ag_profile *p, const ag_path_profile *f);
/* "" where the values of another field say which objects have none of f (check_rules.c). Where that is not known:
 * evidence, made to count nothing in that case. ngap: objects that have none. */
ag_str ag_unless_kind(const ag_hypotheses *out, const ag_profile *p, const ag_path_profile *f,
                      uint64_t ngap, ag_str evidence);

/* The same for another thing that n objects show, as an empty array: evidence, made to count nothing where it is in all
 * objects of some kinds and in none of the others. */
ag_str ag_unless_kind_has(const ag_hypotheses *out, const ag_profile *p, const ag_path_profile *f,
                          uint64_t n, ag_str evidence);

bool ag_name_is_identifier(const ag_field_name *n);
bool ag_name_is_person(const ag_field_name *n);
/* Long or written for people: wording and white space are style there. */
bool ag_path_is_prose(const ag_path_profile *f, const ag_field_name *n);
bool ag_path_is_categorical(const ag_path_profile *f); /* few values, often repeated, all known */

/* The words of a text value; empty for any other type. */
ag_str ag_value_text(const ag_value_count *v);
/* Does another field say what kind of document this is, with a value that explains a minus sign? */
bool ag_profile_has_refunds(const ag_profile *p);
bool ag_name_is_country(ag_str name);             /* in eight languages */
bool ag_name_is_password(const ag_field_name *n); /* the same; not one of a hash */
/* Does another field hold several countries? Their codes have several lengths. */
bool ag_profile_has_countries(const ag_profile *p, const ag_path_profile *f);

/* Numbers that stand for "nothing known" in this field (row 10), found in the profile. Returns how many. */
#define AG_MAX_SENTINELS 8
size_t ag_path_sentinels(const ag_path_profile *f, const ag_field_name *n,
                         double ret[AG_MAX_SENTINELS]);
/* The lowest (highest) value that is no sentinel. */
double ag_path_low(const ag_path_profile *f, const double *sentinels, size_t n);
double ag_path_high(const ag_path_profile *f, const double *sentinels, size_t n);

/* The limits that the field's name sets, HUGE_VAL = no limit on that side; false when it sets none. */
bool ag_range_of_name(const ag_profile *p, const ag_path_profile *f, const ag_field_name *n,
                      double *ret_min, double *ret_max);
/* The filter of values that are not of the majority's type; "" when all are of one kind. */
ag_str ag_path_odd_types(ag_arena *a, const ag_profile *p, const ag_path_profile *f,
                         double *ret_majority);
/* true, "yes", 1 … as (truth, spelling); false when v is no boolean in any spelling. */
bool ag_value_is_boolean(const ag_val *v, bool *ret_truth);
/* "AB-1234" as ^\s*[A-Z]{2}\-[0-9]{4}\s*$; a shape of columns/textclass.h */
ag_val ag_shape_regex(ag_arena *a, ag_str shape);
/* userId, user_id, userid */
bool ag_names_differ_in_style(ag_str a, ag_str b);
/* Counts the documents whose value occurs in another document, too; "" inside arrays. */
ag_str ag_duplicates_pipeline(ag_arena *a, const ag_path_profile *f);

/* "Berlin", quoted and cut for a sentence. */
ag_str ag_quote_value(ag_arena *a, const ag_val *v);

/* ---- checks between fields ---- */

#define AG_ACROSS_ARGS const ag_across *x, ag_hypotheses *out, ag_err *err

/* Do the names say that two numbers measure the same thing? "width" and "height", "price" and "list_price"; not "horsepower"
 * and "displacement", of which one is lower in most rows and may be higher. */
bool ag_names_of_one_kind(const ag_path_profile *a, const ag_path_profile *b);

/* A condition on fields of one row of a frame, as members of an object: KV(ag_ev_key(a, f), cond). */
ag_str ag_ev_key(ag_arena *a, const ag_path_profile *f);
/* The filter "some row of this frame meets one of the clauses" (objects of ag_ev_key() members); "" when the frame's
 * paths have no place in a filter. f: any column of the frame. */
ag_str ag_ev_rows(ag_arena *a, const ag_path_profile *f, const ag_val *clauses, size_t n);

/* The rows of a frame in the order of one column's codes: those with code k are row[at[k]] .. row[at[k + 1] - 1]. */
typedef struct ag_grouped {
	uint32_t *row; /* [nrow] */
	uint32_t *at;  /* [nvalue + 2] */
} ag_grouped;
ag_grouped ag_frame_group(const ag_frame *fr, const ag_frame_col *c, ag_arena *a);
/* Does another field of few values tell which rows are odd? Then they are a kind of their own, and not damage.
 * mark: [nrow] AG_ROW_NONE, AG_ROW_USUAL or AG_ROW_ODD; c: the field itself. */
enum { AG_ROW_NONE, AG_ROW_USUAL, AG_ROW_ODD };
bool ag_frame_tells_odd(const ag_frame *fr, const ag_frame_col *c, const uint8_t *mark);

/* Does one value of another field, which few rows have, hold more than half of the odd rows? Then they are of one thing:
 * an article that is heavy for its price. c, d: fields that are not asked. */
bool ag_frame_odd_is_of_one(const ag_frame *fr, const ag_frame_col *c, const ag_frame_col *d,
                            const uint8_t *mark);

/* Hypotheses on numbers that are far from all others become low where another field of the same documents is far out
 * as well (witness.c).
 * errors  AG_CANCELLED, AG_TIMEOUT */
AG_CHECK ag_status ag_weigh_witnesses(const ag_across *x, ag_hypotheses *h, ag_err *err);

/* Where the value of b that goes with one of a (usual: by code of a, 0 = not judged; g: the rows by a) is another one, do the
 * odd rows come first or last, and hold one value that no other group has? Then it changed once, as the number of a meter
 * that was exchanged. Errors would lie anywhere. */
bool ag_frame_changes_once(const ag_frame_col *a, const ag_frame_col *b, const ag_grouped *g,
                           const uint32_t *usual);

/* The number in b is another one than usual for a (usual, g: as above): do other numbers of the same rows say that it is
 * right? They are other ones as well, or the number is their sum, difference or product. */
bool ag_frame_is_vouched(const ag_frame *fr, const ag_frame_col *a, const ag_frame_col *b,
                         const ag_grouped *g, const uint32_t *usual);

ag_status ag_check_mirror(AG_ACROSS_ARGS);
ag_status ag_check_kind_range(AG_ACROSS_ARGS);
ag_status ag_check_references(AG_ACROSS_ARGS);
ag_status ag_check_dependency(AG_ACROSS_ARGS);
ag_status ag_check_swap(AG_ACROSS_ARGS);
ag_status ag_check_rules(AG_ACROSS_ARGS);
ag_status ag_check_serial(AG_ACROSS_ARGS);
ag_status ag_check_copies(AG_ACROSS_ARGS);
ag_status ag_check_date_order(AG_ACROSS_ARGS);
ag_status ag_check_typo(AG_ACROSS_ARGS);
ag_status ag_check_arithmetic(AG_ACROSS_ARGS);
ag_status ag_check_repeats(AG_ACROSS_ARGS);
ag_status ag_check_glued(AG_ACROSS_ARGS);
ag_status ag_check_code(AG_ACROSS_ARGS);
ag_status ag_check_zeros(AG_ACROSS_ARGS);
ag_status ag_check_cut(AG_ACROSS_ARGS);

/* One function per row of the catalogue; see catalogue.c. */
void ag_check_nulls(AG_CHECK_ARGS);
void ag_check_missing(AG_CHECK_ARGS);
void ag_check_stray(AG_CHECK_ARGS);
void ag_check_empty_kinds(AG_CHECK_ARGS);
void ag_check_mixed_types(AG_CHECK_ARGS);
void ag_check_co_missing(AG_CHECK_ARGS);
void ag_check_numeric_text(AG_CHECK_ARGS);
void ag_check_text_in_number(AG_CHECK_ARGS);
void ag_check_date_text(AG_CHECK_ARGS);
void ag_check_date_formats(AG_CHECK_ARGS);
void ag_check_time_formats(AG_CHECK_ARGS);
void ag_check_ambiguous_date(AG_CHECK_ARGS);
void ag_check_sentinel_number(AG_CHECK_ARGS);
void ag_check_sentinel_date(AG_CHECK_ARGS);
void ag_check_null_word(AG_CHECK_ARGS);
void ag_check_empty_string(AG_CHECK_ARGS);
void ag_check_padding(AG_CHECK_ARGS);
void ag_check_case_variants(AG_CHECK_ARGS);
void ag_check_rare_value(AG_CHECK_ARGS);
void ag_check_outlier(AG_CHECK_ARGS);
void ag_check_range(AG_CHECK_ARGS);
void ag_check_unit(AG_CHECK_ARGS);
void ag_check_date_range(AG_CHECK_ARGS);
void ag_check_pattern(AG_CHECK_ARGS);
void ag_check_measures(AG_CHECK_ARGS);
void ag_check_marks(AG_CHECK_ARGS);
void ag_check_lost_zero(AG_CHECK_ARGS);
void ag_check_email(AG_CHECK_ARGS);
void ag_check_cut_off(AG_CHECK_ARGS);
void ag_check_duplicate_key(AG_CHECK_ARGS);
void ag_check_constant(AG_CHECK_ARGS);
void ag_check_map_keys(AG_CHECK_ARGS);
void ag_check_mojibake(AG_CHECK_ARGS);
void ag_check_control(AG_CHECK_ARGS);
void ag_check_entities(AG_CHECK_ARGS);
void ag_check_big_integers(AG_CHECK_ARGS);
void ag_check_float_noise(AG_CHECK_ARGS);
void ag_check_field_names(AG_CHECK_ARGS);
void ag_check_array_size(AG_CHECK_ARGS);
void ag_check_array_content(AG_CHECK_ARGS);
void ag_check_booleans(AG_CHECK_ARGS);
void ag_check_secrets(AG_CHECK_ARGS);

#endif
