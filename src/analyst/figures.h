/* figures -- proves each figure of an answer against the results that the answer speaks about.
 *
 * Pure: no clock, no network, no database. The caller gives the question, the prose (Markdown), the results of the thread and
 * the computations that the model states. Each number of the prose gets a verdict: proven by a cell, proven by a
 * computation, exempt with a reason, or without source, with a critique that names the nearest cell.
 *
 * A figure is proven by a cell when three things agree: the value, rounded to the digits that the prose shows (units,
 * percentages, k and M, thousands separators, sign); the row, which the sentence names by a text, date or number of that
 * row; the column, which the sentence names by words of its name or by synonyms. What a sentence leaves out comes from the
 * one before it, from the head of its table or list, then from the question.
 *
 * Not figures (AG_FIGURE_EXEMPT): numbers of the question, code, list markers, ordinals, digits inside identifiers and
 * addresses, names of rows ("2025", "May 3"), dates and bounds of a statement that ran, row counts. Everything else is one,
 * number words ("three"), ratios in words ("twice as", "a third of"), ranks ("third by revenue") and dates of cells too.
 * "More" and "less" of a difference must agree with its sign and with the row that the sentence is about; "three of the five
 * regions have more than 90 orders" is proven by the rows beyond the bound; brackets are a minus where no name is before them.
 * "One" and a half that is no ratio ("the first half") are not read as numbers. Figures of a list that nothing names are of
 * one column; a sentence with "ranges from" names the ends of a column.
 *
 * Time: linear in the prose; each figure looks at the rows of the columns that it may be of. A usual answer takes less than a
 * millisecond, the largest over the most cells a few seconds. Memory in the caller's arena. Threads: any. */
#ifndef AG_ANALYST_FIGURES_H
#define AG_ANALYST_FIGURES_H

#include "base/err.h"
#include "base/json.h"
#include "query/value.h"

#define AG_FIGURES_MAX_PROSE        (128u << 10) /* bytes; an answer has at most 4,096 tokens */
#define AG_FIGURES_MAX_QUESTION     (64u << 10)  /* bytes; more is not read */
#define AG_FIGURES_MAX_FIGURES      2000u
#define AG_FIGURES_MAX_RESULTS      64u     /* the newest; older ones prove nothing */
#define AG_FIGURES_MAX_CELLS        200000u /* of all results together, newest first */
#define AG_FIGURES_MAX_COLUMNS      512u    /* of all results together, newest first */
#define AG_FIGURES_MAX_COMPUTATIONS 100u
#define AG_FIGURES_MAX_OPERANDS     20000u /* cells of one computation */
#define AG_FIGURES_MAX_DEPTH        4u     /* computations inside a computation */

/* One result of the thread. All borrowed. */
typedef struct ag_figures_result {
	ag_str name; /* what computations and critiques call it: "r1" */
	ag_str sql;  /* the statement that ran; "" = not known */
	const ag_str *columns;
	size_t ncolumn;
	const ag_val *rows; /* each an ARRAY of ncolumn values; numbers may be text ("12.50") */
	size_t nrow;
	uint64_t row_count; /* as Argus reported it */
	bool is_cut;        /* there are more rows */
	ag_str metric;      /* whose SQL it is, as it was verified; "" = of none */
} ag_figures_result;

/* From the object that `execute_sql` gives, or the envelope of `query` (its "data"). False: it is no result (a failure, or
 * another shape). Shares the values of json. */
bool ag_figures_result_read(const ag_val *json, ag_str name, ag_arena *arena,
                            ag_figures_result *ret);

/* Computations: an array of objects, as a model states them.
 *
 *   {"op": "sum", "of": ["r1[*].revenue"]}
 *   {"op": "share", "of": ["r1[North].revenue"], "in": ["r1[*].revenue"]}
 *   {"op": "difference", "of": ["r1[North].revenue", "r1[South].revenue"]}
 *   {"op": "ratio", "of": [{"op": "sum", "of": ["r1[*].revenue"]}, "r1[1].orders"]}
 *
 * op   sum, average, min, max, count: of all cells; difference: first minus second; ratio: first by second; change: first
 *      minus second, by second; share: sum of "of" by sum of "in"
 * of   a cell or an array. A cell is RESULT[ROW].COLUMN: RESULT as above; ROW a number from 1, a range "1-5", "*" for all
 *      rows, or the text of a cell of the row (in quotes when it is a number); several with "|" or ", and" with "&" a row
 *      that has both: "r1[North & May].revenue". COLUMN is exact; case does not matter. Or a computation instead of a cell.
 * as   optional: a word for people
 *
 * A computation over all rows of a result that was cut proves nothing. */
#define AG_FIGURES_COMPUTATION_SCHEMA                                                          \
	"{\"type\":\"object\",\"properties\":{"                                                \
	"\"op\":{\"type\":\"string\",\"enum\":[\"sum\",\"average\",\"min\",\"max\",\"count\"," \
	"\"difference\",\"ratio\",\"change\",\"share\"]},"                                     \
	"\"of\":{\"type\":\"array\",\"items\":{\"type\":\"string\"}},"                         \
	"\"in\":{\"type\":\"array\",\"items\":{\"type\":\"string\"}},"                         \
	"\"as\":{\"type\":\"string\"}},\"required\":[\"op\",\"of\"],\"additionalProperties\":false}"

typedef struct ag_figures_input {
	ag_str question;
	ag_str prose;                     /* Markdown, UTF-8; broken bytes are text */
	const ag_figures_result *results; /* oldest first */
	size_t nresult;
	const ag_str *sql; /* further statements that ran in this thread */
	size_t nsql;
	const ag_val *computations; /* NULL or an ARRAY */
} ag_figures_input;

typedef enum ag_figure_verdict {
	AG_FIGURE_CELL,
	AG_FIGURE_COMPUTED,
	AG_FIGURE_EXEMPT,
	AG_FIGURE_UNPROVEN
} ag_figure_verdict;

const char *ag_figure_verdict_name(
	ag_figure_verdict v); /* "cell", "computed", "exempt", "unproven" */

/* One number of the prose. Texts in the arena of the check. */
typedef struct ag_figure {
	size_t at, len; /* bytes of the prose */
	ag_figure_verdict verdict;
	const char *why; /* EXEMPT: the reason, a constant; else "" */
	bool has_cell;   /* CELL: the proof; UNPROVEN: the nearest cell */
	size_t result, row, column;
	size_t computation; /* COMPUTED: its index */
	ag_str value;       /* of the cell or the computation, as text */
	ag_str critique;    /* UNPROVEN: one sentence for the model; else "" */
} ag_figure;

/* What a computation gave. */
typedef struct ag_figures_computed {
	ag_str op;
	ag_str value; /* "" when it failed */
	ag_str error; /* what is wrong with it, for the model; "" = nothing */
} ag_figures_computed;

typedef struct ag_figures {
	const ag_figure *figures; /* in the order of the prose */
	size_t nfigure;
	size_t nunproven;
	const ag_figures_computed *computed;
	size_t ncomputed;
	ag_str critique; /* all of it for the model: figures without source, computations that failed; "" = nothing to mend */
} ag_figures;

/* errors  AG_LIMIT: prose or figures beyond the limits above */
AG_CHECK ag_status ag_figures_check(const ag_figures_input *in, ag_arena *arena, ag_figures *ret,
                                    ag_err *err);

/* For the log and clients: an array of {at,len,text,verdict,why?,result?,row?,column?,metric?,value?,computation?,critique?}; rows
 * count from 1. */
void ag_figures_json(const ag_figures_input *in, const ag_figures *f, ag_jw *w);

#endif
