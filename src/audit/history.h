/* history -- what earlier runs of the same source found, and whether it still holds.
 *
 * Loaded at bootstrap from the store and written to the log as one `history` event, so that report, resume and replay
 * need no other run. Argus itself runs the evidence of the previous run's findings again (the re-check): "resolved"
 * means re-checked and gone, never "not mentioned". Patterns are keyed by ag_finding.key: source identity, canonical
 * field, category. The rules are those of the reference (audit.md 12.5) with its gaps closed:
 *   persistent  committed in 2 or more of the window's runs (dismissals alone do not count); else one-off
 *   stable      2 or more shares, and (max - min) <= max(0.15 * mean, 0.005): relative, with a floor
 *   net tp, fp  majority of all labels ever given to the key; a tie counts as no label */
#ifndef AG_AUDIT_HISTORY_H
#define AG_AUDIT_HISTORY_H

#include "audit/finding.h"
#include "documents/source.h"
#include "store/store.h"

#define AG_HISTORY_RUNS     10   /* the window */
#define AG_HISTORY_RECHECKS 200  /* of the previous run's findings, the best ranked first */
#define AG_HISTORY_SAID     5000 /* labels */
#define AG_HISTORY_LISTED \
	2000 /* patterns, and findings of the previous run; what comes behind is left out */

typedef struct ag_pattern {
	ag_str key, field, category;
	unsigned runs_seen; /* committed or pending, of `runs` */
	unsigned runs_committed;
	unsigned runs_dismissed;
	bool is_persistent, is_stable;
	const double *shares; /* committed only, newest first */
	size_t nshare;
	ag_str last_severity; /* "" = never committed */
	int64_t last_seen_ms;
	bool is_dismissed;                       /* the newest word on it is a dismissal … */
	ag_str dismiss_reason, dismiss_critique; /* … and this is why */
	unsigned tp, fp;                         /* labels ever */
	ag_str net;                              /* "tp", "fp", "" */
	ag_str last_label;
	int64_t labelled_ms;
} ag_pattern;

/* One label, ever given to a finding of this source. */
typedef struct ag_said {
	ag_str key;
	ag_str meaning; /* ag_evidence_meaning() of the finding that got it; "" = unknown */
	ag_str label;   /* tp, fp */
	ag_str reason, by;
	int64_t at_ms;
} ag_said;

typedef enum ag_recheck_state {
	AG_RECHECK_PRESENT,
	AG_RECHECK_RESOLVED,   /* no document is affected any more */
	AG_RECHECK_NOT_CHECKED /* beyond the limit, or its evidence cannot be run: `why` */
} ag_recheck_state;

/* One finding of the previous run. */
typedef struct ag_recheck {
	ag_str id, key, field, category, severity, description, evidence_query;
	uint64_t was, now, total; /* total: documents of the collection now */
	double was_share, now_share;
	ag_recheck_state state;
	ag_str why;
} ag_recheck;

typedef struct ag_history {
	ag_str previous_run_id; /* "" = there is none */
	int64_t previous_at_ms;
	unsigned runs; /* in the window */
	const ag_pattern *
		patterns; /* runs_seen descending, then last seen descending, then field, category */
	size_t npattern;
	const ag_recheck *rechecks; /* in the rank order of the previous report */
	size_t nrecheck;
	const ag_said *said; /* labels, newest first within a key */
	size_t nsaid;
} ag_history;

/* Patterns of finished runs of this source before `before` (exclusive), without re-check; empty when there are none. */
AG_CHECK ag_status ag_history_load(ag_store *store, ag_str source_key, const ag_id *before,
                                   ag_arena *arena, ag_history *ret, ag_err *err);
/* Run the evidence of the previous run's findings on the open source. An evidence that fails is NOT_CHECKED; only a
 * store that cannot be read, a cancel, a deadline or a lost source is an error: behind the last three h is complete,
 * and what was not reached is NOT_CHECKED. */
AG_CHECK ag_status ag_history_recheck(const ag_ctx *ctx, ag_source *source, ag_store *store,
                                      ag_arena *arena, ag_history *h, ag_err *err);

/* The payload of the history event, and back. */
void ag_history_write(const ag_history *h, ag_jw *w);
AG_CHECK ag_status ag_history_read(const ag_val *v, ag_arena *arena, ag_history *ret, ag_err *err);

/* The block for a planner's prompt and for `argus history`: per line seen/considered, share range (3 digits), stable or
 * DRIFTING, last severity, re-check, labels; blocks persistent, one-off, dismissed, user verdicts on other patterns. At
 * most 40 lines a block, reasons cut to 240 bytes, critiques to 280. "" when there is no history. Field names and
 * texts are fenced as data by the caller. In arena. */
ag_str ag_history_text(const ag_history *h, ag_arena *arena);

#endif
