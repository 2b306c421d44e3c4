/* figures_parts -- what the files of figures.h share: words, the reader of prose, results, computations. */
#ifndef AG_ANALYST_FIGURES_PARTS_H
#define AG_ANALYST_FIGURES_PARTS_H

#include "analyst/figures.h"

/* --- words (figures_words.c) --- */

typedef enum ag_fig_cue {
	AG_FIG_BREAK = 1,         /* begins another part of a sentence: and, while, with */
	AG_FIG_TOTAL = 2,         /* in total, together, the rest */
	AG_FIG_HIGH = 4,          /* the highest, the lowest: a row by its value */
	AG_FIG_LOW = 8,           /* … */
	AG_FIG_ABOUT = 16,        /* a rounded figure may follow */
	AG_FIG_OVER = 32,         /* rounded down */
	AG_FIG_UNDER = 64,        /* rounded up */
	AG_FIG_DOWN = 128,        /* a loss without its sign */
	AG_FIG_UP = 256,          /* a gain */
	AG_FIG_OBJECT = 512,      /* than, behind: what follows is compared with */
	AG_FIG_AVERAGE = 1024,    /* of a mean */
	AG_FIG_YEAR = 2048,       /* in, since: a year may follow */
	AG_FIG_RANK = 4096,       /* place, rank, largest: makes an ordinal a claim */
	AG_FIG_ROWS = 8192,       /* rows, records */
	AG_FIG_STOP = 16384,      /* of no weight */
	AG_FIG_NUMBERED = 32768,  /* id, no.: the number after it is a name */
	AG_FIG_TOP = 65536,       /* top, first: of a row count */
	AG_FIG_SPREAD = 1 << 17,  /* each, the others: no row of an earlier sentence is meant */
	AG_FIG_PRONOUN = 1 << 18, /* the row of an earlier sentence is meant */
	AG_FIG_RANGE = 1 << 19,   /* from the lowest to the highest */
	AG_FIG_EN = 1 << 20,
	AG_FIG_DE = 1 << 21,
	AG_FIG_FR = 1 << 22,
	AG_FIG_ES = 1 << 23
} ag_fig_cue;

typedef enum ag_fig_what {
	AG_FIG_W_CUE,
	AG_FIG_W_NUMBER, /* value = the number */
	AG_FIG_W_ORDINAL,
	AG_FIG_W_MONTH,
	AG_FIG_W_SCALE, /* value = the exponent of ten */
	AG_FIG_W_UNIT,  /* value = ag_fig_unit_of() */
	AG_FIG_W_MONEY, /* value = index of a currency */
	AG_FIG_W_PERCENT,
	AG_FIG_W_POINTS,
	AG_FIG_W_TIMES,
	AG_FIG_W_GROUP, /* value = the group of synonyms */
	AG_FIG_NW
} ag_fig_what;

typedef struct ag_fig_words ag_fig_words;
const ag_fig_words *ag_fig_words_all(void);
/* By the folded word. Its cues; value of one meaning, or -1. */
unsigned ag_fig_cues(const ag_fig_words *w, ag_str fold);
int ag_fig_value(const ag_fig_words *w, ag_fig_what what, ag_str fold);
/* Of a group of synonyms: what a column with such a word is. */
typedef enum ag_fig_trait {
	AG_FIG_T_MONEY = 1,
	AG_FIG_T_COUNT = 2,
	AG_FIG_T_SHARE = 4,      /* may be a fraction or a percentage */
	AG_FIG_T_PERCENT = 8,    /* says that it is a percentage */
	AG_FIG_T_FREE = 16,      /* need not be named: total, sum, value */
	AG_FIG_T_QUALIFIER = 32, /* average, minimum, share: of another word */
	AG_FIG_T_AVERAGE = 64,
	AG_FIG_T_KEY = 128, /* its numbers name rows: id, year */
	AG_FIG_T_RANK = 256,
	AG_FIG_T_DONE = 512 /* sold, placed: says little */
} ag_fig_trait;
unsigned ag_fig_group_traits(int group);
/* Exact seconds of a unit of time (or grams, metres …); units of one family convert. 0 = none */
double ag_fig_unit_size(int unit, int *ret_family);
extern const char ag_fig_currency[][4]; /* by value of MONEY */

/* Lower case without accents, in arena. */
ag_str ag_fig_fold(ag_str word, ag_arena *arena);
/* The folded word without the endings of a plural and a genitive; a part of fold. */
ag_str ag_fig_stem(ag_str fold);
/* How surely are two stems the same word in another form? 1 = equal; less by a long common beginning; 0 = not. */
float ag_fig_same(ag_str a, ag_str b);
bool ag_fig_is_letter(uint32_t cp);

/* --- the reader of prose (figures_read.c) --- */

typedef enum ag_fig_kind {
	AG_FIG_WORD,
	AG_FIG_NUMBER,
	AG_FIG_IDENT, /* a word with digits */
	AG_FIG_PUNCT,
	AG_FIG_NEXT_CELL /* of a table */
} ag_fig_kind;

typedef struct ag_fig_token {
	uint32_t at, len;
	uint8_t kind;
	char punct;      /* ',' ';' ':' '(' ')' '-' of a dash, '/' */
	bool is_of_name; /* "year" of "year 2023", which names a row */
	bool is_code, is_upper, begins /* its unit */;
	uint8_t nvocab;
	uint16_t vocab[4]; /* words of columns that it means (figures.c) */
	float weight[4];
	unsigned cues;
	ag_str fold, stem;
	int number;  /* NUMBER: its index; else -1 */
	int mention; /* the row that it names; -1 = none */
} ag_fig_token;

typedef struct ag_fig_reading {
	ag_dec128 v;
	int places;          /* digits behind the point */
	double approx, unit; /* with the scale: the value, and one of its last digit */
} ag_fig_reading;

typedef struct ag_fig_number {
	size_t at, len;
	uint32_t token, ntoken; /* with its unit words */
	ag_fig_reading read[2]; /* "1.234" of an unknown language has two */
	uint8_t nread;
	bool is_percent, is_points, is_times, is_word, is_ordinal, is_code, is_marker, in_parens;
	bool is_date;      /* y, m, d; 0 = not given */
	bool is_plain;     /* digits only: may be a year or a day */
	bool is_taken;     /* part of a row's name or a date: not a figure */
	bool is_ratio;     /* "twice", "a third of" */
	bool is_prefixed;  /* "#12": a name */
	bool is_bracketed; /* ": (12)", "of (12)": brackets for a minus */
	int sign, exp;     /* of the scale: 3 for k */
	int currency;      /* -1 = none */
	int unit;          /* 0 = none */
	int y, m, d;
	const char *why; /* taken: the reason */
} ag_fig_number;

typedef enum ag_fig_block {
	AG_FIG_PROSE,
	AG_FIG_ITEM,
	AG_FIG_HEADING,
	AG_FIG_ROW,
	AG_FIG_HEADER
} ag_fig_block;

typedef struct ag_fig_unit {
	uint32_t from, to; /* tokens */
	ag_fig_block block;
	uint32_t header;  /* ROW: the unit of the table's header */
	uint32_t row;     /* ROW: from 0 */
	bool after_break; /* first of its paragraph, list item or table */
} ag_fig_unit;

typedef struct ag_fig_doc {
	ag_fig_token *tokens;
	size_t ntoken, token_cap;
	ag_fig_number *numbers;
	size_t nnumber, number_cap;
	ag_fig_unit *units;
	size_t nunit, unit_cap;
	unsigned lang; /* AG_FIG_EN …; 0 = not clear */
	char point; /* '.' or ',': what numbers of the text show to be the decimal point; 0 = not clear */
	bool is_full; /* more than max_numbers: the rest was not read */
} ag_fig_doc;

/* The language of a text, by its small words; 0 = not clear. */
unsigned ag_fig_language(ag_str text, const ag_fig_words *w, ag_arena *arena);
/* lang is taken when that of the prose is not clear. */
void ag_fig_read(ag_str prose, const ag_fig_words *w, size_t max_numbers, unsigned lang,
                 ag_arena *arena, ag_fig_doc *ret);
/* A text of a cell, a name of a column, a question: no blocks, one unit. */
void ag_fig_read_line(ag_str text, const ag_fig_words *w, ag_arena *arena, ag_fig_doc *ret);
/* --- numbers of several words (figures_phrases.c) --- */

/* "twice as", "a third of" at i, where a word begins; *ret_len bytes are the number's. */
bool ag_fig_ratio_at(ag_str text, size_t i, const ag_fig_words *w, ag_arena *arena, size_t *ret_len,
                     ag_dec128 *ret);
/* An ordinal in words at i that says a rank; 0 = none. is_first: it begins the sentence. */
int ag_fig_rank_at(ag_str text, size_t i, bool is_first, const ag_fig_words *w, ag_arena *arena);
/* The words after the number n of d that say its unit, scale or currency. */
void ag_fig_units_read(ag_str text, const ag_fig_words *w, ag_fig_doc *d, ag_fig_number *n);

/* --- numbers (figures_value.c) --- */

/* 2026-05-01, 2026-05, 01.05.2026, 2026-05-01T10:00:00Z at the front; *ret_len bytes. */
bool ag_fig_date(ag_str s, int *y, int *m, int *d, size_t *ret_len);

typedef enum ag_fig_near {
	AG_FIG_EXACT,
	AG_FIG_NEAR_ABOUT,
	AG_FIG_NEAR_OVER,
	AG_FIG_NEAR_UNDER,
	AG_FIG_NEAR_FLOOR,  /* over, of a row that is named: a bound of two digits is near enough */
	AG_FIG_NEAR_CEILING /* under, so */
} ag_fig_near;

/* The digits at `at`, with separators as the language has them; *ret_len bytes of them. False: they are no number (a version,
 * an address, too many digits). */
bool ag_fig_digits(ag_str text, size_t at, unsigned lang, char point, ag_fig_number *n,
                   size_t *ret_len);
/* The decimal point of the numbers of a text, where one of them shows it: 1,234,567 or 1,234.5 or 12.5 against 1.234,5. */
char ag_fig_point(ag_str text);
/* A number, or a text that is one. */
bool ag_fig_number_of(const ag_val *v, ag_dec128 *ret);
/* Is `shown`, with its scale, what `v` is when rounded to the digits shown? `by` shifts v by powers of ten first (2: a fraction
 * as a percentage). The sign of v is ignored when any_sign. */
bool ag_fig_shows(const ag_fig_number *n, ag_dec128 v, int by, ag_fig_near near, bool any_sign);
ag_dec128 ag_fig_scaled(ag_dec128 v, int exp);
bool ag_fig_is_whole(ag_dec128 v);
ag_str ag_fig_text(ag_dec128 v, ag_arena *arena);

/* --- what results name (figures_names.c) --- */

#define AG_FIG_MAX_VOCAB 2048u /* different words of all columns */
#define AG_FIG_MAX_ATOMS 12u   /* words of a text that names a row; longer ones name none */

typedef struct ag_fig_vocab {
	ag_str stem;
	int group; /* of synonyms; -1 = none */
	unsigned traits;
} ag_fig_vocab;

typedef struct ag_fig_column {
	uint32_t result, column;
	uint16_t words[8]; /* of the vocabulary */
	size_t nword, ncontent, nqualifier;
	unsigned traits; /* of all its words; AG_FIG_T_… */
	bool is_number, is_key, is_year;
	bool is_plural_count; /* whole numbers of a plural: parcels */
	bool is_no_money;     /* whole numbers, beside columns that say they are money */
	bool is_whole;
	bool is_change;   /* growth, difference: may be what a comparison says */
	bool is_wild;     /* no word of its own: "count", "share_pct" */
	bool is_fraction; /* a share between 0 and 1 */
	bool is_percent;  /* a share between 0 and 100 */
	int unit, exp, currency;
	double *approx; /* by row; NAN = no number */
	ag_dec128 low, high;
	float score, own; /* of the figure under work */
} ag_fig_column;

#define AG_FIG_DIM_DATE 11u /* the kind of all dates */

typedef struct ag_fig_place {
	uint32_t result, row;
} ag_fig_place;

/* What names rows: a text, or a date. */
typedef struct ag_fig_mention {
	uint32_t from, to;          /* tokens */
	const ag_fig_place *places; /* by result, then row */
	size_t nplace;
	uint64_t in_sql; /* bit of each result whose statement asks for it */
	uint64_t dim;    /* mentions of one kind have the same: regions, months */
	bool is_object;  /* compared with */
	bool is_day;     /* of a date: to the day */
	bool is_asked;   /* of a date: in the question or in a statement */
	bool is_total;   /* a row of totals */
} ag_fig_mention;

typedef struct ag_fig_names ag_fig_names;
typedef struct ag_fig_dates ag_fig_dates;

ag_fig_names *ag_fig_names_new(const ag_figures_input *in, const ag_fig_words *w, ag_arena *arena);
ag_fig_column *ag_fig_columns(ag_fig_names *names, size_t *ret_n);
const ag_fig_vocab *ag_fig_vocabulary(const ag_fig_names *names, size_t *ret_n);
/* Finds what names rows and what means a column in all tokens of doc, and takes numbers that are part of such a name. The
 * mentions in the order of the text, in arena. */
size_t ag_fig_names_find(ag_fig_names *names, ag_str text, ag_fig_doc *doc, ag_fig_mention **ret);
ag_fig_dates *ag_fig_names_dates(ag_fig_names *names);

/* --- dates (figures_dates.c) --- */

/* What the prose says of a date, the rows that it names, the results whose statements ask for it. */
typedef struct ag_fig_said {
	int y, q, m, d;    /* 0 = not said */
	uint32_t from, to; /* tokens */
	const ag_fig_place *places;
	size_t nplace;
	uint64_t in_sql;
	bool is_asked;
} ag_fig_said;

ag_fig_dates *ag_fig_dates_new(const ag_fig_words *w, ag_arena *arena);
/* The dates in the cells of a row; columns are those of its result. */
void ag_fig_dates_row(ag_fig_dates *f, ag_fig_place place, const ag_val *cells,
                      const ag_fig_column *columns, size_t n, const ag_fig_vocab *vocab);
/* The dates of a statement (result: its index) or of a question (-1). */
void ag_fig_dates_ask(ag_fig_dates *f, ag_str text, int result);
/* Is the date, or a part of it, in a statement or in the question? */
bool ag_fig_dates_are_asked(const ag_fig_dates *f, int y, int m, int d);
/* A date at token i that a row, a statement or the question has. */
bool ag_fig_dates_find(const ag_fig_dates *f, const ag_fig_doc *doc, size_t i, ag_fig_said *ret);

/* --- computations (figures_compute.c) --- */

typedef struct ag_fig_ref {
	uint32_t result, row, column;
} ag_fig_ref;

typedef struct ag_fig_computation {
	ag_str op, error;
	bool is_ok;
	bool is_fraction; /* share, ratio, change: a percentage is it times 100 */
	bool is_count, is_share;
	ag_dec128 value;
	const ag_fig_ref *of, *all; /* cells of "of" (all levels), and with "in" */
	size_t nof, nall;
} ag_fig_computation;

void ag_fig_compute(const ag_figures_input *in, ag_arena *arena, ag_fig_computation *ret, size_t n);

#endif
