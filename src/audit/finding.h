/* finding -- one data-quality problem with its evidence, and its JSON form.
 *
 * A finding's id is given once per (canonical field, category) of a run and never changes; its key is stable
 * across runs: XXH3-128 of source key, canonical field and category. Counts are what the data said when Argus
 * ran the evidence itself. */
#ifndef AG_AUDIT_FINDING_H
#define AG_AUDIT_FINDING_H

#include "audit/taxonomy.h"
#include "base/err.h"
#include "base/json.h"
#include "query/value.h"
#include "run/id.h"

typedef struct ag_part {
	ag_str category, description, evidence_query;
	uint64_t affected;
} ag_part;

#define AG_FINDING_MAX_PARTS   16
#define AG_FINDING_MAX_SAMPLES 5

typedef struct ag_finding {
	ag_id id;
	ag_str key;
	ag_str field;    /* path as written by the planner */
	ag_str category; /* canonical */
	ag_severity severity;
	ag_str description, hypothesis, detail, repair;
	ag_str evidence_query; /* relaxed extended JSON on one line; "" when the planner gave none */
	uint64_t affected, total;
	double share;       /* affected / total documents; 0 when there are none */
	int64_t counted_ms; /* when, by the clock of the server; 0 = unknown */
	const ag_val *
		samples; /* up to AG_FINDING_MAX_SAMPLES values of the field in affected documents */
	const ag_str *where; /* per sample: "orders.ndjson:17" */
	size_t nsample;
	const ag_part *parts; /* findings folded into this one */
	size_t npart;
	double confidence; /* 0..1 */
	double score; /* for ranking: severity weight x min(1, share / 0.05 + 0.2) x confidence */
	bool confirmed;
	ag_str query_call_id; /* the run_query or aggregate call that ran the same evidence; "" = none */
	unsigned iteration;

	/* what the planner claimed */
	bool has_claimed_count, has_claimed_share;
	int64_t claimed_count;
	double claimed_share;

	/* what audit/proof.h says of the evidence; each "" = nothing. Of a candidate only. */
	ag_str wrong, wrong_critique, correction;

	/* what became of it */
	ag_str status; /* committed, pending_review, dismissed; dropped: a reviewer rejected it */
	ag_str user_label; /* tp, fp, "" */
	ag_str label_reason, label_by;
	int64_t labelled_ms;
	ag_str evaluation_id; /* record of the finding gate; "" without a gate */
	ag_str evaluation_verdict, evaluation_reason, evaluation_critique, evaluated_by;
	double evaluation_score;

	/* what a person set aside: filled for a report by ag_aside_mark(), never stored */
	ag_str aside_by;                  /* label, ignore; "" = it counts */
	ag_str aside_reason, aside_until; /* until: "2026-12-31" or "" */
	ag_str note; /* belongs to the detail: an ignore that expired, a label that does not apply */
} ag_finding;

/* Does a finding that is proposed again with `status` take the place of a kept one? A committed one stays through a
 * rejection and through doubt, one that waits for a person through a rejection. */
bool ag_finding_replaces(ag_str kept_status, ag_str status);
double ag_finding_score(const ag_finding *f);
/* Rank order: score descending, then severity, field, category. For qsort over const ag_finding *. */
int ag_finding_rank(const void *a, const void *b);
/* The identity of a field: the query form of its path where it has one, else the path itself. */
ag_str ag_finding_canonical_field(ag_str field, ag_arena *arena);
ag_str ag_finding_key(ag_str source_key, ag_str canonical_field, ag_str category, ag_arena *arena);

/* Values are masked by audit/mask.h unless show_values. */
void ag_finding_write(const ag_finding *f, bool show_values, ag_jw *w);
/* Reads what ag_finding_write wrote; unknown members are ignored.
 * errors  AG_INVALID names the member. */
AG_CHECK ag_status ag_finding_read(const ag_val *v, ag_arena *arena, ag_finding *ret, ag_err *err);

#endif
