/* limiter -- limits of calls, counted in the store for all processes.
 *
 * A small limit is counted call by call in the store. Of a large one, hundredths are taken in advance: credit, which is good
 * until its window ends and is lost with the process, so that never more than the limit goes through. Full
 * windows are cached, so that repeated calls over the limit do not query the store.
 *
 * Two locks: `lock` guards the credit and is held for nanoseconds, `store_lock` the handle and is held while others may keep
 * the store locked. A call with credit at hand takes the first only and makes no system call. Read ag_limiter_take(). */
#include "project/access.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/num.h"

#define ORIGIN "project.limiter"

#define SMALL_LIMIT 1024u /* up to here every call is counted by itself */
#define MAX_ENTRIES 4096u /* users of projects; beyond it all credit is given up */
#define NBUCKET     1024u

enum { USER_MINUTE, USER_HOUR, USER_DAY, PROJECT_DAY, NKIND };

static const struct {
	const char *unit;
	int64_t window_ms;
} kinds[NKIND] = {
	[USER_MINUTE] = { "minute", INT64_C(60000) },
	[USER_HOUR] = { "hour", INT64_C(3600000) },
	[USER_DAY] = { "day", INT64_C(86400000) },
	[PROJECT_DAY] = { "day", INT64_C(86400000) },
};

/* What is known of one window. */
typedef struct credit {
	int64_t ends_ms;
	uint64_t limit; /* another one than now: what is known does not hold */
	uint64_t left;
	bool is_full;
} credit;

/* Of a user in a project, or of a project (user ""). */
typedef struct entry {
	struct entry *next;
	uint64_t hash;
	size_t nproject, nuser;
	credit of[NKIND];
	char name[]; /* project, then user */
} entry;

struct ag_limiter {
	const ag_clock *clock;
	pthread_mutex_t lock;
	entry *bucket[NBUCKET];
	size_t nentry;
	pthread_mutex_t store_lock;
	ag_store *store;
};

/* One call: what it counts against. */
typedef struct claim {
	ag_limiter *l;
	ag_str project, user;
	uint64_t limit[NKIND]; /* 0 = none */
	int64_t now_ms;
	int64_t ends_ms[NKIND]; /* of the windows whose credit was used */
	int refused;            /* the kind that is full; -1 = none */
	int64_t wait_ms;
} claim;

ag_status ag_limiter_open(ag_str store_uri, const ag_clock *clock, ag_limiter **ret, ag_err *err)
{
	ag_store *store = NULL;
	ag_status st = ag_store_open(store_uri, &store, err);
	ag_limiter *l;

	if (st)
		return st;
	l = ag_xcalloc(1, sizeof(*l));
	l->clock = clock;
	l->store = store;
	pthread_mutex_init(&l->lock, NULL);
	pthread_mutex_init(&l->store_lock, NULL);
	*ret = l;
	return AG_OK;
}

void ag_limiter_join(ag_limiter *l, ag_store_group *group)
{
	ag_store_join(l->store, group);
}

static void forget_all(ag_limiter *l)
{
	for (size_t i = 0; i < NBUCKET; i++) {
		while (l->bucket[i]) {
			entry *e = l->bucket[i];

			l->bucket[i] = e->next;
			free(e);
		}
	}
	l->nentry = 0;
}

ag_limiter *ag_limiter_close(ag_limiter *l)
{
	if (!l)
		return NULL;
	forget_all(l);
	ag_store_close(l->store);
	pthread_mutex_destroy(&l->lock);
	pthread_mutex_destroy(&l->store_lock);
	free(l);
	return NULL;
}

/* --- entries; under `lock` --- */

/* FNV-1a; names are made by admins, nobody chooses them to collide. */
static uint64_t hash_more(uint64_t h, ag_str s)
{
	for (size_t i = 0; i < s.len; i++)
		h = (h ^ (unsigned char)s.ptr[i]) * UINT64_C(1099511628211);
	return (h ^ 0xFF) * UINT64_C(1099511628211); /* in no UTF-8 text: where a name ends */
}

static bool is_entry(const entry *e, uint64_t hash, ag_str project, ag_str user)
{
	return e->hash == hash && ag_str_eq(ag_str_make(e->name, e->nproject), project) &&
	       ag_str_eq(ag_str_make(e->name + e->nproject, e->nuser), user);
}

static entry *entry_of(ag_limiter *l, ag_str project, ag_str user)
{
	uint64_t hash = hash_more(hash_more(UINT64_C(14695981039346656037), project), user);
	entry **at = &l->bucket[(hash ^ hash >> 32) % NBUCKET];
	entry *e;

	for (e = *at; e; e = e->next) {
		if (is_entry(e, hash, project, user))
			return e;
	}
	if (l->nentry == MAX_ENTRIES)
		forget_all(l);
	e = ag_xcalloc(1, sizeof(*e) + project.len + user.len);
	e->hash = hash;
	e->nproject = project.len;
	e->nuser = user.len;
	if (project.len)
		memcpy(e->name, project.ptr, project.len);
	if (user.len)
		memcpy(e->name + project.len, user.ptr, user.len);
	e->next = *at;
	*at = e;
	l->nentry++;
	return e;
}

/* What is known of a kind's window now; empty when that window is over. */
static credit *credit_of(const claim *c, entry *user, entry *project, int kind)
{
	entry *e = kind == PROJECT_DAY ? project : user;
	credit *k;

	AG_ASSERT(e);
	k = &e->of[kind];
	/* An end that lies too far away is of a clock that was set back; a little too far, of who looked at his clock before
	 * he waited. */
	if (k->limit != c->limit[kind] || k->ends_ms <= c->now_ms ||
	    k->ends_ms - c->now_ms > 2 * kinds[kind].window_ms)
		*k = (credit){ .limit = c->limit[kind] };
	return k;
}

/* --- the two steps of a claim --- */

static bool is_large(const claim *c, int kind)
{
	return c->limit[kind] > SMALL_LIMIT;
}

static void refuse(claim *c, int kind, int64_t wait_ms)
{
	if (c->refused < 0 || wait_ms > c->wait_ms) {
		c->refused = kind;
		c->wait_ms = wait_ms > 1 ? wait_ms : 1;
	}
}

/* Both entries of the claim; the first stays when the second is made. */
static void find_entries(const claim *c, entry **user, entry **project)
{
	ag_limiter *l = c->l;

	if (l->nentry + 2 > MAX_ENTRIES)
		forget_all(l);
	*user = c->limit[USER_MINUTE] || c->limit[USER_HOUR] || c->limit[USER_DAY]
	                ? entry_of(l, c->project, c->user)
	                : NULL;
	*project = c->limit[PROJECT_DAY] ? entry_of(l, c->project, AG_S("")) : NULL;
}

/* Takes one call from the credit of every large limit, or nothing: then *lacking is one without credit, or a window is full
 * and the claim refused. */
static bool use_credit(claim *c, int *lacking)
{
	entry *user, *project;
	credit *of[NKIND] = { NULL };

	*lacking = -1;
	pthread_mutex_lock(&c->l->lock);
	find_entries(c, &user, &project);
	for (int kind = 0; kind < NKIND; kind++) {
		if (!c->limit[kind])
			continue;
		of[kind] = credit_of(c, user, project, kind);
		if (of[kind]->is_full)
			refuse(c, kind, of[kind]->ends_ms - c->now_ms);
		else if (is_large(c, kind) && !of[kind]->left)
			*lacking = kind;
	}
	for (int kind = 0; kind < NKIND && c->refused < 0 && *lacking < 0; kind++) {
		if (of[kind] && is_large(c, kind)) {
			of[kind]->left--;
			c->ends_ms[kind] = of[kind]->ends_ms;
		}
	}
	pthread_mutex_unlock(&c->l->lock);
	return c->refused < 0 && *lacking < 0;
}

/* The call was refused by another limit after all. */
static void give_back(claim *c)
{
	entry *user, *project;

	pthread_mutex_lock(&c->l->lock);
	find_entries(c, &user, &project);
	for (int kind = 0; kind < NKIND; kind++) {
		credit *k;

		if (!is_large(c, kind))
			continue;
		k = credit_of(c, user, project, kind);
		/* To a window that was forgotten meanwhile, or followed by a new one, nothing comes back. */
		if (k->ends_ms == c->ends_ms[kind]) {
			k->left++;
			k->is_full = false;
		}
	}
	pthread_mutex_unlock(&c->l->lock);
}

/* --- the store; under `store_lock` --- */

static ag_rate_key key_of(const claim *c, int kind, ag_arena *arena)
{
	ag_rate_key key = { .window_ms = kinds[kind].window_ms, .limit = c->limit[kind] };

	if (kind == PROJECT_DAY)
		key.name = ag_str_printf(arena, "project:%.*s/day", AG_FMT(c->project));
	else
		key.name = ag_str_printf(arena, "project:%.*s/user:%.*s/%s", AG_FMT(c->project),
		                         AG_FMT(c->user), kinds[kind].unit);
	return key;
}

static void note(const claim *c, int kind, uint64_t got, int64_t left_ms)
{
	entry *user, *project;
	credit *k;

	pthread_mutex_lock(&c->l->lock);
	find_entries(c, &user, &project);
	k = credit_of(c, user, project, kind);
	k->left = k->ends_ms == c->now_ms + left_ms ? k->left + got : got;
	k->ends_ms = c->now_ms + left_ms;
	k->is_full = !got;
	pthread_mutex_unlock(&c->l->lock);
}

static bool has_credit(const claim *c, int kind)
{
	entry *user, *project;
	const credit *k;
	bool ret;

	pthread_mutex_lock(&c->l->lock);
	find_entries(c, &user, &project);
	k = credit_of(c, user, project, kind);
	ret = k->left || k->is_full;
	pthread_mutex_unlock(&c->l->lock);
	return ret;
}

/* A hundredth of a large limit in advance, unless another thread was quicker. */
static ag_status refill(claim *c, int kind, ag_arena *arena, ag_err *err)
{
	ag_rate_key key = key_of(c, kind, arena);
	ag_rate_taken taken;
	ag_status st = AG_OK;

	pthread_mutex_lock(&c->l->store_lock);
	c->now_ms = ag_clock_wall(c->l->clock);
	if (!has_credit(c, kind)) {
		st = ag_store_rate_take(c->l->store, &key, 1, c->limit[kind] / 100, c->now_ms,
		                        &taken, err);
		if (!st)
			note(c, kind, taken.got, taken.wait_ms);
	}
	pthread_mutex_unlock(&c->l->store_lock);
	return st;
}

/* One call of every small limit at once. */
static ag_status count_small(claim *c, ag_arena *arena, ag_err *err)
{
	ag_rate_key keys[NKIND];
	int kind_of[NKIND] = { 0 };
	ag_rate_taken taken;
	size_t n = 0;
	ag_status st;

	for (int kind = 0; kind < NKIND; kind++) {
		if (c->limit[kind] && !is_large(c, kind)) {
			kind_of[n] = kind;
			keys[n++] = key_of(c, kind, arena);
		}
	}
	if (!n)
		return AG_OK;
	pthread_mutex_lock(&c->l->store_lock);
	c->now_ms = ag_clock_wall(c->l->clock);
	st = ag_store_rate_take(c->l->store, keys, n, 1, c->now_ms, &taken, err);
	if (!st && !taken.got) {
		refuse(c, kind_of[taken.which], taken.wait_ms);
		note(c, kind_of[taken.which], 0, taken.wait_ms);
	}
	pthread_mutex_unlock(&c->l->store_lock);
	return st;
}

/* --- the call --- */

static ag_str describe(const claim *c, ag_arena *arena)
{
	char limit[AG_NUM_MAX];

	ag_num_grouped(limit, c->limit[c->refused]);
	if (c->refused == PROJECT_DAY)
		return ag_str_printf(arena, "%s queries a day of project %.*s", limit,
		                     AG_FMT(c->project));
	return ag_str_printf(arena, "%s queries a%s %s of %.*s", limit,
	                     c->refused == USER_HOUR ? "n" : "", kinds[c->refused].unit,
	                     AG_FMT(c->user));
}

static ag_status claim_all(claim *c, ag_arena *arena, ag_err *err)
{
	int lacking = -1;
	ag_status st = AG_OK;

	while (!use_credit(c, &lacking)) {
		if (c->refused >= 0)
			return AG_OK;
		st = refill(c, lacking, arena, err);
		if (st)
			return st;
	}
	st = count_small(c, arena, err);
	if (st || c->refused >= 0)
		give_back(c);
	return st;
}

ag_status ag_limiter_take(ag_limiter *l, const ag_limited *who, ag_arena *arena,
                          ag_limiter_answer *ret, ag_err *err)
{
	const ag_limits *limits = who->limits;
	claim c = { .l = l,
		    .project = who->project,
		    .user = who->user,
		    .limit = { limits->user_minute, limits->user_hour, limits->user_day,
		               limits->project_day },
		    .now_ms = ag_clock_wall(l->clock),
		    .refused = -1 };
	ag_status st = claim_all(&c, arena, err);

	if (st)
		return st;
	*ret = (ag_limiter_answer){ .ok = c.refused < 0 };
	if (c.refused >= 0) {
		ret->wait_ms = c.wait_ms;
		ret->what = describe(&c, arena);
	}
	return AG_OK;
}
