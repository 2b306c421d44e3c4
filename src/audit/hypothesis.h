/* hypothesis -- what the builtin planner suspects, and the checks that suspect it.
 *
 * A check is one row of ag_checks[] (catalogue.c): it looks at the profile and adds hypotheses. It decides
 * nothing: each hypothesis carries evidence (a filter or pipeline as extended JSON) that the loop runs over the
 * whole collection, and a guard that the true count must meet. To add a check: 1. a function in
 * audit/check_<topic>.c; 2. its row in catalogue.c; 3. its category in categories.c; 4. lines in
 * tests/cases/audit/checks.cases: data that it must find, and a near miss that it must not. */
#ifndef AG_AUDIT_HYPOTHESIS_H
#define AG_AUDIT_HYPOTHESIS_H

#include "audit/field_name.h"
#include "audit/taxonomy.h"
#include "columns/frame.h"
#include "columns/profile.h"
#include "documents/source.h"

/* Thresholds of the catalogue, from settings. */
typedef struct ag_catalogue_opts {
	int64_t as_of_ms;                    /* what "today" means */
	double null_rate_warning_threshold;  /* 0.05: medium from here */
	double null_rate_critical_threshold; /* 0.20: high from here */
	double type_consistency_threshold;   /* 0.98: mixed types below it are high */
} ag_catalogue_opts;

typedef struct ag_hypothesis {
	ag_str field;         /* path grammar */
	const char *category; /* canonical id */
	ag_severity severity; /* before steps by share; see ag_hypothesis_severity() */
	double confidence;    /* of the rule, 0..1 */
	ag_str evidence;      /* relaxed extended JSON: filter {…} or pipeline […] */
	ag_str what;          /* one sentence without counts: "text stands among the numbers" */
	ag_str cause;         /* a suspected cause, one sentence */
	ag_str repair;        /* a suggested repair, one sentence */
	ag_str detail; /* what belongs beside it: "3 spellings: Berlin, berlin, BERLIN"; "" = none */
	uint64_t min_count; /* reported only from this many affected documents, at least 1 */
	double min_share,
		max_share;   /* and only within these shares of all documents; max 0 = no limit */
	bool fixed_severity; /* no steps by share */
	bool is_far;         /* the suspected values are the numbers below low or above high */
	double low, high;
	const double *listed; /* [nlisted] the suspected values are these numbers */
	size_t nlisted;
	bool is_minus; /* the suspected values are those with a minus sign */
	bool is_type;  /* the suspected values are those of another type than most */
	bool is_gap;   /* the suspected documents have no value */
	bool is_copy;  /* the suspected values are in more than one document */
	bool is_guess; /* where it does not hold, the next one of this field and category is tried */
} ag_hypothesis;

typedef struct ag_hypotheses {
	ag_arena *arena;
	ag_hypothesis *items;
	size_t n, cap;
	size_t left_out;    /* beyond AG_MAX_HYPOTHESES */
	ag_field_name name; /* of the path under check, for the checks */
	/* [npath of the profile] 1: the values of another field explain each gap; -1: they do not; 0: not known.
	 * NULL: of none. */
	const int8_t *explained;
} ag_hypotheses;

typedef struct ag_check {
	const char *name; /* "mixed_types" */
	unsigned row;     /* row of the catalogue */
	const char *why;  /* one line for docs */
	/* Called once per path, in path order. */
	void (*path)(const ag_profile *p, const ag_path_profile *f, const ag_catalogue_opts *o,
	             ag_hypotheses *out);
} ag_check;

/* What a check between fields looks at. */
typedef struct ag_across {
	const ag_profile *p;
	const ag_frames *frames; /* none where the source has no frames */
	const ag_catalogue_opts *o;
	const ag_ctx *ctx;                /* long work looks here: ag_ctx_check() */
	struct ag_neighbours *neighbours; /* beside it; NULL = the collection is alone */
	ag_str own;                       /* ag_source_info.key */
	ag_source
		*source; /* the collection, where frames are of a sample; NULL = they are of all */
	ag_source_opts limits; /* of neighbours */
} ag_across;

typedef struct ag_across_check {
	const char *name;
	unsigned row;
	const char *why;
	bool is_first; /* runs before the checks of single paths: its finding replaces theirs */
	/* Called once per collection; hypotheses on any path, in any order.
	 * errors  AG_CANCELLED, AG_TIMEOUT */
	ag_status (*run)(const ag_across *x, ag_hypotheses *out, ag_err *err);
} ag_across_check;

const ag_check *ag_check_table(size_t *ret_n);
const ag_across_check *ag_across_check_table(size_t *ret_n);
/* Run every check on every path, then every check between fields; the order is by path, then by catalogue row:
 * deterministic. At most AG_MAX_HYPOTHESES; ret->left_out is how many more there were. Everything in arena.
 * errors  AG_CANCELLED, AG_TIMEOUT */
#define AG_MAX_HYPOTHESES 5000
AG_CHECK ag_status ag_catalogue_run(const ag_across *x, ag_arena *arena, ag_hypotheses *ret,
                                    ag_err *err);
/* Zeroed; fields point into h->arena. Valid until the next add. */
ag_hypothesis *ag_hypotheses_add(ag_hypotheses *h);

/* Severity for a confirmed count: one step up from 5% (not to critical), one step down under 0.01% and fewer
 * than 3 documents; critical only by ag_hypothesis.severity itself and 1%. */
ag_severity ag_hypothesis_severity(const ag_hypothesis *h, uint64_t affected, uint64_t total);

/* Does the true count meet the guard? */
bool ag_hypothesis_holds(const ag_hypothesis *h, uint64_t affected, uint64_t total);

#endif
