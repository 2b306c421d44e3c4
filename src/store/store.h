/* store -- where Argus remembers: runs, their events, what was derived from them.
 *
 * To add a database that keeps it: store/driver.h.
 *
 * A handle serves one thread at a time; any number of handles and processes may share one store.
 * Events are append-only; runs, findings and reports are derived from them and can be rebuilt. A
 * run has one writer at a time, by lease. Returned slices live in the caller's arena. */
#ifndef AG_STORE_STORE_H
#define AG_STORE_STORE_H

#include "base/arena.h"
#include "base/err.h"
#include "run/event.h"
#include "run/owner.h"

typedef struct ag_store ag_store;

/* Limits of one commit, and of one ag_store_events(); more is AG_LIMIT. */
#define AG_STORE_MAX_PAYLOAD_BYTES (16u << 20) /* of an event, or a finding's body */
#define AG_STORE_MAX_REPORT_BYTES  (64u << 20)
#define AG_STORE_MAX_BATCH_BYTES   (128u << 20)
#define AG_STORE_MAX_TEXT_BYTES    (64u << 10) /* every other text */
#define AG_STORE_MAX_ROWS          100000u     /* events or findings of one batch */
#define AG_STORE_MAX_READ_BYTES    (1024u << 20)
#define AG_STORE_MAX_RUNS          1000u /* of one listing */
#define AG_STORE_MAX_LEASE_MS      (INT64_C(24) * 3600 * 1000)

/* What `argus runs` lists and history looks up. */
/* Figures of a run of the auditor that lists show without its report. All 0 until the run has ended. */
typedef struct ag_run_figures {
	uint64_t nulls;   /* null values of the fields in its report */
	uint64_t values;  /* null ones and others; 0 = not counted */
	bool is_compared; /* with the run before of the same source; false = there was no such run */
	uint32_t added, resolved; /* findings that are new, and that are checked and gone */
	uint32_t regressed;       /* fields that are worse */
} ag_run_figures;

typedef struct ag_run_row {
	ag_id id;
	ag_str agent;      /* "audit" */
	ag_str source_uri; /* as given, without secrets */
	ag_str source_key; /* stable identity of the place: path, or host/database/collection */
	ag_str collection;
	ag_str status;  /* running, ok, partial, failed, cancelled */
	ag_str verdict; /* pass, warn, fail, "" */
	ag_str summary;
	int64_t started_ms, finished_ms; /* finished 0 = not yet */
	uint64_t documents;
	uint32_t critical, high, medium, low; /* committed findings */
	uint64_t input_tokens, output_tokens; /* of all models, all sittings */
	double usd;
	double request_units; /* that a server of documents charged */
	ag_str replaces; /* id of the run of the same source_key that this one replaces; "" = none */
	ag_run_figures figures;
} ag_run_row;

typedef struct ag_finding_row {
	ag_id id, run;
	ag_str key; /* stable: source identity, canonical path, category */
	ag_str field, category, severity;
	ag_str status; /* committed, pending_review; dismissed, dropped (a person said it is none) */
	uint64_t affected;
	double share;
	ag_str label;        /* a person's word: tp, fp, "" */
	int64_t labelled_ms; /* when it was given or taken back; 0 = never */
	ag_str body;         /* the finding as JSON */
} ag_finding_row;

/* A run with findings of it, for those who look back. */
typedef struct ag_past_run {
	ag_run_row run;
	const ag_finding_row *findings; /* in the order in which they were first stored */
	size_t nfinding;
} ag_past_run;

/* Which runs to look back on. */
typedef struct ag_past_query {
	ag_str source_key;   /* "" = every source */
	ag_str agent;        /* "" = every agent */
	const ag_id *before; /* only runs whose id is smaller: they began earlier; NULL = all */
	size_t max_runs;     /* the newest; at most AG_STORE_MAX_RUNS */
} ag_past_query;

/* A label as it stands. */
typedef struct ag_label_row {
	ag_id run, finding;
	ag_str key, field, category;
	ag_str label; /* tp, fp */
	int64_t labelled_ms;
	ag_str body; /* the finding as JSON */
} ag_label_row;

/* When a committed batch is on disk, also against power loss. A crash of the process loses none of them, and an earlier
 * batch is never lost without the later ones. */
typedef enum ag_store_when {
	AG_STORE_BY_TYPE, /* before the call returns if an event of a durable type is in it, else soon */
	AG_STORE_NOW,  /* before the call returns */
	AG_STORE_SOON, /* with the next batch that is NOW */
	AG_STORE_LAZY, /* soon; and closing the store does not wait for the disk either */
} ag_store_when;

/* A lease that changes with a batch: of a run that is new, so that nobody else can have it, or one that is given back (ttl_ms 0).
 * One that another owner holds stays as it is. */
typedef struct ag_store_leased {
	ag_id run;
	ag_str owner;
	int64_t now_ms, ttl_ms;
} ag_store_leased;

/* One atomic step: everything in it is committed, or nothing. */
typedef struct ag_store_batch {
	const ag_event *events; /* seq must continue the run's log without a hole */
	size_t nevent;
	const ag_run_row *run; /* inserted or replaced; NULL = unchanged */
	/* Inserted or replaced by id. A row whose labelled_ms is older than the stored one's leaves the label as it
	 * is: what a person said outlives a run that writes its finding again. */
	const ag_finding_row *findings;
	size_t nfinding;
	ag_str report; /* the finished report's JSON; "" = none; needs run */
	bool is_quiet; /* who waits (ag_store_wait) does not learn of the run's row: nobody waits for such runs */
	const ag_store_leased *leases; /* they alone make no batch */
	size_t nlease;
	ag_store_when on_disk;
} ag_store_batch;

/* uri: "sqlite:/path/file.db", a plain path (sqlite), "memory:" (SQLite in memory, gone at
 * close), or "postgresql://user@host:5432/database" as libpq reads it. Folders are made (0700), the file is made 0600; in
 * PostgreSQL the schema "argus" is made. */
AG_CHECK ag_status ag_store_open(ag_str uri, ag_store **ret, ag_err *err);
/* The same, but a store that is not there is not made: AG_NOT_FOUND. */
AG_CHECK ag_status ag_store_open_existing(ag_str uri, ag_store **ret, ag_err *err);
/* An address without user and password, for messages. */
ag_str ag_store_shown(ag_str uri, ag_arena *arena);
/* Does an error of this module mean that the store's file is damaged? */
bool ag_store_is_damaged(const ag_err *err);
ag_store *ag_store_close(ag_store *s); /* accepts NULL, returns NULL */
void ag_store_closep(ag_store **s);    /* for AG_AUTO */
/* How long an operation of this handle waits while others keep the store locked; AG_STORE_PATIENCE_MS unless set. */
#define AG_STORE_PATIENCE_MS \
	30000u /* a purge of a large store, or a slow disk of another process */
void ag_store_set_patience(ag_store *s, unsigned ms);
/* Handles of one process that work together. What their threads want to commit at the same time becomes one transaction, where
 * the database has one writer at a time; each call still returns after its own commit, with its own error, and waits for locks
 * of other processes as long as its handle has patience. Handles of ag_store_of_group() share its few connections, too. */
typedef struct ag_store_group ag_store_group;
AG_CHECK ag_status ag_store_group_open(ag_str uri, ag_store_group **ret, ag_err *err);
void ag_store_group_close(ag_store_group *g); /* after its handles; accepts NULL */
/* A handle that costs nothing while it is not used. It neither purges nor waits for others (ag_store_wait). */
ag_store *ag_store_of_group(ag_store_group *g);
/* A handle with a connection of its own writes in the group; before it is used. NULL = none */
void ag_store_join(ag_store *s, ag_store_group *g);
bool ag_store_is_kept(const ag_store *s); /* beyond the end of the process */
/* $XDG_STATE_HOME/argus, else ~/.local/state/argus. */
AG_CHECK ag_status ag_store_state_folder(ag_arena *arena, ag_str *ret, ag_err *err);
/* ARGUS_STORE, else $XDG_STATE_HOME/argus/argus.db, else ~/.local/state/argus/argus.db. */
AG_CHECK ag_status ag_store_default_uri(ag_arena *arena, ag_str *ret, ag_err *err);

/* A finding or a report needs the row of its run, in this batch or before it.
 *
 * errors  AG_CONFLICT when seq does not continue the log (another writer), or a finding's id
 *         belongs to another run; AG_INVALID for rows that contradict this header; AG_LIMIT;
 *         AG_UNAVAILABLE when others kept the store locked for 30 s; AG_IO when the disk is
 *         full or the file cannot be written, AG_DENIED when it may not be. On every error
 *         nothing of the batch is kept. */
AG_CHECK ag_status ag_store_commit(ag_store *s, const ag_id *run, const ag_store_batch *b,
                                   ag_err *err);
/* Events with seq > after_seq, ascending. */
AG_CHECK ag_status ag_store_events(ag_store *s, const ag_id *run, uint64_t after_seq,
                                   ag_arena *arena, ag_event **ret, size_t *nret, ag_err *err);
/* The same, at most `limit` of them (0 = all): for those who follow a log piece by piece. */
typedef struct ag_log_place {
	uint64_t after_seq;
	size_t limit;
} ag_log_place;
AG_CHECK ag_status ag_store_events_at(ag_store *s, const ag_id *run, const ag_log_place *at,
                                      ag_arena *arena, ag_event **ret, size_t *nret, ag_err *err);
/* Newest first; source_key "" = all. limit at most 1000. */
AG_CHECK ag_status ag_store_runs(ag_store *s, ag_str source_key, size_t limit, size_t offset,
                                 ag_arena *arena, ag_run_row **ret, size_t *nret, ag_err *err);
/* The runs of one source_key as a conversation. A run that replaces another hides it, and those between the two. */
typedef struct ag_turns_question {
	ag_str source_key;
	ag_str before; /* as it was before the run of that id began; "" = as it is now */
	size_t limit;  /* at most AG_STORE_MAX_RUNS */
} ag_turns_question;

/* Newest first, without what was replaced. */
AG_CHECK ag_status ag_store_turns(ag_store *s, const ag_turns_question *q, ag_arena *arena,
                                  ag_run_row **ret, size_t *nret, ag_err *err);
/* The runs of the source_key that replace another, oldest first; at most AG_STORE_MAX_RUNS. */
AG_CHECK ag_status ag_store_replacing(ag_store *s, ag_str source_key, ag_arena *arena,
                                      ag_run_row **ret, size_t *nret, ag_err *err);
/* Where data is: a source_key, or what several begin with. */
typedef struct ag_store_place {
	ag_str key;   /* up to a "/"; "" = none */
	bool is_flat; /* what is directly below it belongs to it, what is deeper does not: a folder */
	/* key is of a source_uri, whose options do not count. Below it is what goes on with "/" or "."; nothing, when it is flat. */
	bool is_uri;
} ag_store_place;

/* Runs of an agent on what is at one of these places or below it. */
typedef struct ag_runs_question {
	ag_str agent;
	ag_store_place places[2];
	size_t limit; /* at most AG_STORE_MAX_RUNS */
	size_t offset;
} ag_runs_question;

/* Newest first. */
AG_CHECK ag_status ag_store_runs_below(ag_store *s, const ag_runs_question *q, ag_arena *arena,
                                       ag_run_row **ret, size_t *nret, ag_err *err);
/* The newest run that has ended of each source at these places or below; newest first. At most AG_STORE_MAX_SOURCES at once. */
#define AG_STORE_MAX_SOURCES 10000u
AG_CHECK ag_status ag_store_newest_below(ag_store *s, const ag_runs_question *q, ag_arena *arena,
                                         ag_run_row **ret, size_t *nret, ag_err *err);
/* Is the run of that place, or of something below it? */
bool ag_store_is_below(const ag_run_row *run, const ag_store_place *place);
/* The runs of one source_key as one, without what was replaced: a conversation is such a group. */
typedef struct ag_run_group {
	ag_str source_key;
	ag_str summary;            /* of its first run */
	ag_id last;                /* its newest run */
	int64_t first_ms, last_ms; /* when its first and its newest run began */
	uint64_t nrun;
} ag_run_group;

/* Groups of an agent at that address whose key begins with `prefix`. */
typedef struct ag_group_question {
	ag_str agent, source_uri, prefix;
	size_t limit; /* of groups */
} ag_group_question;

/* The one with the newest run first. */
AG_CHECK ag_status ag_store_groups(ag_store *s, const ag_group_question *q, ag_arena *arena,
                                   ag_run_group **ret, size_t *nret, ag_err *err);
/* By id or a prefix of it of at least 4 characters (any case) that fits one run only; "last" is the
 * newest that has a log or a report.
 *
 * errors  AG_NOT_FOUND; AG_INVALID when the prefix fits several (the message names two). */
AG_CHECK ag_status ag_store_find_run(ag_store *s, ag_str prefix, ag_arena *arena, ag_run_row *ret,
                                     ag_err *err);
/* AG_NOT_FOUND when the run has no report (yet). */
AG_CHECK ag_status ag_store_report(ag_store *s, const ag_id *run, ag_arena *arena, ag_str *ret,
                                   ag_err *err);
/* In the order in which they were first stored. */
AG_CHECK ag_status ag_store_findings(ag_store *s, const ag_id *run, ag_arena *arena,
                                     ag_finding_row **ret, size_t *nret, ag_err *err);
/* Finished runs with their findings, newest first. One that did not come to its end (partial, failed, cancelled) counts
 * only when it found something: a model that never answered says nothing about the data. One that is written now does
 * not count. */
AG_CHECK ag_status ag_store_past(ag_store *s, const ag_past_query *q, ag_arena *arena,
                                 ag_past_run **ret, size_t *nret, ag_err *err);
/* At most `limit` findings that wait for a person, with their runs, newest run first; run NULL = of all runs. */
AG_CHECK ag_status ag_store_pending(ag_store *s, const ag_id *run, size_t limit, ag_arena *arena,
                                    ag_past_run **ret, size_t *nret, ag_err *err);
/* Every label of a source's findings, of all its runs, newest first; at most AG_STORE_MAX_ROWS. agent "" = all. */
AG_CHECK ag_status ag_store_labels(ag_store *s, ag_str source_key, ag_str agent, ag_arena *arena,
                                   ag_label_row **ret, size_t *nret, ag_err *err);
/* Take or renew the right to write a run for ttl_ms; 0 gives it back, and then whoever asks first has it. AG_CONFLICT while another
 * owner holds it. Owners that are names of processes (run/owner.h) are looked up: a dead one has lost
 * its right at once, a living one keeps it also beyond its time. The lease is a promise among writers:
 * ag_store_commit() does not ask for it. */
AG_CHECK ag_status ag_store_lease(ag_store *s, const ag_id *run, ag_str owner, int64_t now_ms,
                                  int64_t ttl_ms, ag_err *err);
/* Does the process live that last wrote the run? Unknown when it is on another machine, or there never was one. */
AG_CHECK ag_status ag_store_writer(ag_store *s, const ag_id *run, ag_owner_state *ret, ag_err *err);
/* Whoever holds the lease of the run loses it, save a process that is known to live (the next ag_store_lease() says so). For a caller
 * who has the run's job, and so knows that nobody else may write it. */
AG_CHECK ag_status ag_store_take_over(ag_store *s, const ag_id *run, int64_t now_ms, ag_err *err);
/* Reads the whole file and lists what is damaged, at most 8 faults; none = it is whole. A damage that stops the check is a
 * fault as well.
 * errors  the store is locked, or cannot be read for another reason */
AG_CHECK ag_status ag_store_check(ag_store *s, ag_arena *arena, ag_str **ret, size_t *nret,
                                  ag_err *err);
#define AG_STORE_PURGE_ALL INT64_MAX /* for older_than_ms: whatever the clock says */
/* Remove runs that finished before that wall time, with all that belongs to them; also interrupted runs and logs without
 * a run row whose newest event is older (a run whose writer lives stays), ended leases without a run, and the full text of projects that were not asked about since (to the
 * hour); jobs that ended before; the audit table's rows from the oldest up to the first that is younger, cached texts and rate windows of before.
 * What was removed cannot be read from the file any more. */
AG_CHECK ag_status ag_store_purge(ag_store *s, int64_t older_than_ms, uint64_t *ret_runs,
                                  ag_err *err);

#endif
