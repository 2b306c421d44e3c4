/* profile -- everything the hypothesis catalogue needs to know of each path, exact over the table.
 *
 * Unlike the survey it looks into arrays: "items[].price" is a path of its own, its occurrences are items.
 * An object whose keys are data is one path with is_map, and everything below it is profiled as "p.*".
 * CSV: a cell is counted as its view where it has one (an empty unquoted cell is null; see table.h).
 *
 * One path is profiled by one thread over all chunks in order, so results do not depend on threads. */
#ifndef AG_COLUMNS_PROFILE_H
#define AG_COLUMNS_PROFILE_H

#include "columns/bits.h"
#include "columns/histogram.h"
#include "columns/table.h"
#include "columns/textclass.h"

#define AG_PROFILE_MAX_PATHS  10000 /* paths beyond are counted in paths_left_out */
#define AG_PROFILE_MAX_VALUES 1000  /* distinct values kept with their counts */
#define AG_PROFILE_TOP        50    /* when there are more: the most frequent ones kept */
#define AG_PROFILE_SHAPES     20
#define AG_PROFILE_FORMS      60
#define AG_PROFILE_EXTREMES   16
#define AG_PROFILE_TEXT_DATES 0.9 /* texts of which so many are ISO dates have dates, too */

/* A path is a map when it is an object whose keys differ between documents: on average a key stands in at most
 * half of the objects; there are more than 100 distinct keys, or at least 20 and more than 5 per object that
 * has any; and 90% of them are alike in shape (hex of one length, UUIDs, or one pattern of letters and digits:
 * numbers, dates, "user_17"). Or, whatever they look like, when there are more than 1,000 and each stands in at
 * most a tenth of the objects on average; or more than AG_COL_MAX_NAMED, because a chunk keeps no more apart. */

typedef struct ag_value_count {
	ag_val v;
	uint64_t n; /* occurrences */
} ag_value_count;

typedef struct ag_shape_count {
	ag_str shape; /* "A" upper, "a" lower letters, "9" digits, runs kept by length, others as they are */
	uint64_t n;
	ag_str example;
} ag_shape_count;

/* A shape whose runs are one letter long: "A-9" for AB-1234. What is longer than AG_FORM_MAX bytes, and texts whose
 * shape is not known, have no form. */
#define AG_FORM_MAX 40
typedef struct ag_form_count {
	ag_str form;
	uint64_t n;
	ag_str example;
} ag_form_count;

typedef struct ag_num_profile {
	uint64_t n;                             /* numbers, without NaN and infinities */
	uint64_t nnan, ninf, nneg, nzero, nint; /* nint: integral values */
	ag_quantiles q;
	double mad;                       /* median of absolute deviations from the median */
	double mean;                      /* compensated */
	double low[AG_PROFILE_EXTREMES];  /* the lowest distinct values, ascending */
	double high[AG_PROFILE_EXTREMES]; /* the highest distinct values, descending */
	unsigned nlow, nhigh;
	const ag_histogram *histogram;
	uint64_t nbeyond53; /* integers beyond 2^53 held as double */
	uint64_t nmoney4;   /* doubles with more than 4 decimals in shortest form */
} ag_num_profile;

typedef struct ag_date_profile {
	uint64_t n;
	int64_t min_ms, max_ms;
	int64_t p01_ms, p50_ms, p99_ms;
	uint64_t nmidnight; /* exactly 00:00:00 UTC */
	/* CSV: how the cells are written whose views these are. DOT, SLASH, DASH; else ISO. */
	ag_date_format written;
	ag_quantiles q; /* ms; exact within 2^53 ms of 1970 */
	const ag_histogram *histogram;
} ag_date_profile;

typedef struct ag_str_profile {
	uint64_t n;                        /* strings */
	uint64_t nempty, nblank;           /* "" ; only white space (not empty) */
	uint64_t by_class[AG_TEXT_NCLASS]; /* ag_text_classify() bits, over all strings */
	uint64_t by_date[AG_DATE_NFORMAT]; /* ag_text_date_format() */
	/* d/m/y texts, and such cells with the view of a date, with a first (second) part above 12 */
	uint64_t day_first, month_first;
	uint64_t numeric_min_len, numeric_max_len; /* bytes of numeric texts */
	uint64_t nleading_zero; /* numeric texts that begin with 0 and another digit */
	ag_quantiles length;    /* code points */
	double mean_length;
	const ag_histogram *histogram; /* over the length */
	ag_date_profile
		dates; /* n > 0: AG_PROFILE_TEXT_DATES of the texts that are not blank are these dates */
	double words;                 /* median number of blank-separated words */
	const ag_shape_count *shapes; /* most frequent first */
	size_t nshape;
	uint64_t nshape_all;        /* distinct shapes (counting stops at 10,000) */
	const ag_form_count *forms; /* most frequent first, at most AG_PROFILE_FORMS */
	size_t nform;
	uint64_t nform_all, in_forms; /* distinct forms; texts that have one, listed or not */
} ag_str_profile;

typedef struct ag_array_profile {
	uint64_t n, nempty;
	uint64_t nitem;
	ag_quantiles size;
	const ag_histogram *histogram; /* over the size */
} ag_array_profile;

typedef struct ag_path_profile {
	ag_str path;       /* grammar of query/path.h */
	ag_str query;      /* query form, "" when it has none */
	ag_str name;       /* last name, unquoted ("" for the items of an array: see owner) */
	ag_str owner;      /* nearest name at or above: "tags" for "tags[]" */
	uint32_t parent;   /* index of the parent path, UINT32_MAX at top level */
	bool in_array;     /* a "[]" stands above or at it */
	bool in_map;       /* a "*" stands above or at it */
	bool is_elem;      /* the path ends in "[]" */
	bool is_map;       /* object whose keys are data */
	uint64_t map_keys; /* is_map: distinct keys (counting stops at 1,000,000) */
	ag_str map_key_example;

	uint64_t nparent; /* parent objects (documents at top level; items' arrays for is_elem) */
	uint64_t n;    /* occurrences; parent objects without it: nparent - n (not for is_elem) */
	uint64_t ndoc; /* documents with at least one occurrence */
	uint64_t by_type[AG_NTYPE]; /* occurrences by type (CSV: of the view, else STRING) */
	uint64_t ndoc_null;         /* documents with at least one null */

	/* Not within arrays or maps: documents with a value that is not null (CSV: nor an empty cell), and a mark of which
	 * documents these are. Two paths with the same count and mark have values in the same documents. */
	uint64_t nfilled, filled_mark;

	/* scalars that are not null, counted as values (1 and 1.0 are one) */
	uint64_t nscalar;
	uint64_t ndistinct; /* exact */
	uint64_t nrepeated; /* occurrences whose value occurs more than once */
	const ag_value_count
		*values; /* all when ndistinct <= MAX_VALUES, else the TOP; most frequent first,
	                               * ties by value */
	size_t nvalue;
	bool values_complete;

	ag_num_profile num; /* each valid when its n > 0 */
	ag_str_profile str;
	ag_date_profile date;
	ag_array_profile arr;
} ag_path_profile;

typedef struct ag_profile {
	uint64_t ndoc;
	bool has_views;               /* CSV: evidence must not rest on $type string */
	const ag_path_profile *paths; /* by path, bytewise; parents before children */
	size_t npath;
	uint64_t paths_left_out;
} ag_profile;

AG_CHECK ag_status ag_table_profile(const ag_table *t, const ag_ctx *ctx, ag_arena *arena,
                                    ag_profile *ret, ag_err *err);
/* The same of these documents only; NULL = of all. ndoc counts them; paths that none of them has are left out. What is a
 * map is decided by all documents. */
AG_CHECK ag_status ag_table_profile_of(const ag_table *t, const ag_ctx *ctx, const ag_bits *docs,
                                       ag_arena *arena, ag_profile *ret, ag_err *err);
/* By path, or NULL. */
const ag_path_profile *ag_profile_find(const ag_profile *p, ag_str path);
/* By path or else by query form ("items.price" for "items[].price"), or NULL. */
const ag_path_profile *ag_profile_find_named(const ag_profile *p, ag_str name);

#endif
