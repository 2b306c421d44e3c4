/* figures_check -- the state of one check of an answer, and the steps that a unit of the prose goes through:
 * claims and the rows that they are of (figures_pair.c), their columns (figures_columns.c), their proof (figures_proof.c). */
#ifndef AG_ANALYST_FIGURES_CHECK_H
#define AG_ANALYST_FIGURES_CHECK_H

#include "analyst/figures_parts.h"

#define AG_FIG_OWN_WEIGHT \
	0.7f /* least weight of a word of the figure's own segment; carried ones have less */
#define AG_FIG_MAX_DIMS     4u   /* kinds of rows that a figure is held to */
#define AG_FIG_MAX_TOPICS   4u   /* rows of one kind that are carried to the next sentence */
#define AG_FIG_MAX_MENTIONS 256u /* in one unit; more are not paired */

typedef struct ag_fig_claim {
	size_t number;
	uint32_t token, seg, seg_from, seg_to, unit_from;
	const ag_fig_mention *own[AG_FIG_MAX_DIMS];
	size_t nown;
	unsigned cues;  /* of its segment */
	unsigned key;   /* figures with the same key are of one column */
	bool is_loose;  /* a total of a segment that names no row */
	bool is_aside;  /* a row count or a number of the question: it has no row */
	bool of_rows;   /* counts what the rows are: "2 customers", "5 rows" */
	bool compares;  /* two rows: "12 more", "twice as many", "3 points" */
	bool names_row; /* its own segment does */
	int named;     /* -1 = "the former", 1 = "the latter" of an earlier sentence; 0 = neither */
	int direction; /* of a comparison: 1 = "12 more", "3 points above", -1 = less; 0 = not said */
} ag_fig_claim;

typedef struct ag_fig_topic {
	uint64_t dim;
	const ag_fig_mention *of[AG_FIG_MAX_TOPICS];
	size_t n;
} ag_fig_topic;

typedef struct ag_fig_check {
	const ag_figures_input *in;
	ag_arena *arena;
	const ag_fig_words *w;
	ag_fig_names *names;
	ag_fig_column *columns;
	size_t ncolumn;
	const ag_fig_vocab *vocab;
	size_t nvocab;
	ag_fig_doc doc, question;
	ag_fig_mention *mentions, *asked;
	size_t nmention, nasked;
	ag_fig_topic topics[AG_FIG_MAX_DIMS];
	size_t ntopic;
	bool *is_named; /* by word of the vocabulary: somewhere in the prose */
	float *weight, *asked_weight, *said_weight, *head_weight; /* by word of the vocabulary */
	ag_fig_reading *numbers; /* of the question and of statements */
	size_t nnumber;
	const ag_fig_computation *computed;
	size_t ncomputed;
	ag_figure *figures;
	/* of the unit under work */
	ag_fig_claim *claims;
	size_t nclaim;
	const ag_fig_mention *unit_mentions[AG_FIG_MAX_MENTIONS];
	size_t nunit_mention;
	uint32_t *seg;         /* by token of doc */
	bool is_row, is_range; /* of a table; "from 12 to 90" */
	size_t nmeasure;       /* of the table whose header said_weight comes from */
	/* Columns that have the figure before, when it was proven by a cell: those of one list are of one column. */
	uint16_t like[AG_FIGURES_MAX_COLUMNS];
	size_t nlike;
} ag_fig_check;

/* --- rows (figures_pair.c) --- */

/* Cuts the unit into segments at commas and words like "and". */
void ag_fig_segments(ag_fig_check *k, const ag_fig_unit *u);
/* The numbers of the unit that may be figures. */
void ag_fig_claims(ag_fig_check *k, const ag_fig_unit *u);
void ag_fig_unit_mentions(ag_fig_check *k, uint32_t from, uint32_t to);
/* Which row each claim is of: of a sentence; of the row of a table. */
void ag_fig_pair(ag_fig_check *k, const ag_fig_unit *u);
/* Pairs other claims, of dates, with what the sentence names but for dates. */
void ag_fig_pair_dates(ag_fig_check *k, const ag_fig_unit *u, ag_fig_claim *claims, size_t n);
void ag_fig_pair_row(ag_fig_check *k, const ag_fig_unit *u);
/* "5 regions", "all five rows": as many as a result has, of what its rows are. */
bool ag_fig_is_row_count(const ag_fig_check *k, const ag_fig_claim *c);
/* Is it a number of the question or of a statement? */
bool ag_fig_is_asked(const ag_fig_check *k, const ag_fig_number *n);
ag_fig_near ag_fig_near_of(const ag_fig_check *k, const ag_fig_claim *c);
bool ag_fig_is_hedged(const ag_fig_check *k, const ag_fig_claim *c);

/* --- columns (figures_columns.c) --- */

void ag_fig_weigh(float *weight, const ag_fig_token *t, float by);
/* Scores every column by the words that speak of the claim. */
void ag_fig_columns_weigh(ag_fig_check *k, const ag_fig_claim *c, const ag_fig_unit *u);
bool ag_fig_weigh_next(ag_fig_check *k, const ag_fig_claim *c, const ag_fig_unit *u);
/* May the column hold a number with this unit? As a fraction of one, as it is, or both. */
bool ag_fig_unit_fits(const ag_fig_column *c, const ag_fig_number *n, bool *as_fraction,
                      bool *as_it_is);
/* The columns that the claim may be of; to has AG_FIGURES_MAX_COLUMNS places. */
size_t ag_fig_eligible(const ag_fig_check *k, const ag_fig_claim *c, uint16_t *to);
/* Is the claim named by a word that nothing knows, and which column may it mean? */
bool ag_fig_has_unknown(const ag_fig_check *k, const ag_fig_claim *c);
size_t ag_fig_unnamed(const ag_fig_check *k, const ag_fig_claim *c, uint16_t *to);
bool ag_fig_counts_rows(const ag_fig_check *k, const ag_fig_claim *c);

/* --- proof (figures_proof.c) --- */

const ag_val *ag_fig_cell(const ag_figures_input *in, size_t result, size_t row, size_t column);
/* Does the sentence name this row of the result? *ret_named: it names some row of it at all. */
bool ag_fig_row_fits(const ag_fig_check *k, const ag_fig_claim *c, size_t result, size_t row,
                     bool *ret_named);

bool ag_fig_prove_cell(const ag_fig_check *k, const ag_fig_claim *c, const uint16_t *eligible,
                       size_t n, ag_figure *f);
bool ag_fig_date_fits(const ag_fig_claim *c, const ag_fig_mention *m, ag_fig_place *ret);
/* "Three of the five regions have more than 90 orders": is 90 a bound with as many rows beyond it as the sentence says? */
bool ag_fig_prove_bound(const ag_fig_check *k, const ag_fig_claim *c, const uint16_t *eligible,
                        size_t n, ag_figure *f);
/* Which of the columns prove the claim. */
size_t ag_fig_proven_by(const ag_fig_check *k, const ag_fig_claim *c, const uint16_t *eligible,
                        size_t n, uint16_t *to);
bool ag_fig_prove_computed(const ag_fig_check *k, const ag_fig_claim *c, ag_figure *f);
bool ag_fig_is_exempt(const ag_fig_check *k, const ag_fig_claim *c, ag_figure *f);
bool ag_fig_exempt(ag_figure *f, const char *why); /* true */

/* --- what is near (figures_critique.c) --- */

void ag_fig_nearest(const ag_fig_check *k, const ag_fig_claim *c, const uint16_t *eligible,
                    size_t n, ag_figure *f);
void ag_fig_criticize(const ag_fig_check *k, ag_figure *f);

#endif
