/* sql_cache -- verdicts of statements that were judged before: parsing costs 30 to 600 microseconds, this less than one.
 *
 * A verdict depends on the text, on the policy (its generation stands for it), on the catalog (its epoch), on the purpose
 * and on this program's own rules, which cannot change while it runs. All of that is compared, not only hashed. Entries
 * are spread over shards with a lock each; a shard forgets what was not asked for the longest when its bytes run out. */
#include <pthread.h>
#include <stdlib.h>
#include <xxhash.h>

#include "guard/sql.h"

#define NSHARD       8u
#define MAX_SQL      4096u /* of a statement that is kept */
#define VIEWS_MS     60000 /* what a view reads can change without a new snapshot */
#define BUCKET_BYTES 1024u /* a usual entry: as many buckets as entries */

/* Everything but the text that a verdict hangs on. */
typedef struct key {
	uint64_t generation, epoch, max_rows;
	uint32_t has_catalog, server, purpose, dialect;
	uint64_t version;
} key;

typedef struct entry {
	struct entry *next;          /* in the bucket */
	struct entry *newer, *older; /* by use */
	uint64_t hash;
	key key;
	int64_t expires_ms; /* 0 = never */
	size_t bytes;       /* of all this */
	ag_str sql;
	ag_sql_verdict v; /* its texts and lists stand in block */
	size_t nblock;
	_Alignas(ag_str) char block[];
} entry;

typedef struct shard {
	pthread_mutex_t lock;
	entry **buckets;
	size_t nbucket; /* a power of two */
	entry *newest, *oldest;
	size_t bytes;
	char apart[64]; /* two locks never share a cache line */
} shard;

struct ag_sql_cache {
	size_t max_bytes; /* of a shard */
	shard shards[NSHARD];
};

ag_sql_cache *ag_sql_cache_new(size_t max_bytes)
{
	ag_sql_cache *c = ag_xcalloc(1, sizeof(*c));
	size_t nbucket = 16;

	c->max_bytes = max_bytes / NSHARD;
	while (nbucket < c->max_bytes / BUCKET_BYTES && nbucket < 65536)
		nbucket *= 2;
	for (size_t i = 0; i < NSHARD; i++) {
		pthread_mutex_init(&c->shards[i].lock, NULL);
		c->shards[i].nbucket = nbucket;
		c->shards[i].buckets = ag_xcalloc(nbucket, sizeof(entry *));
	}
	return c;
}

/* --- one shard, under its lock --- */

static void unlink_use(shard *s, entry *e)
{
	*(e->newer ? &e->newer->older : &s->newest) = e->older;
	*(e->older ? &e->older->newer : &s->oldest) = e->newer;
}

static void link_newest(shard *s, entry *e)
{
	e->newer = NULL;
	e->older = s->newest;
	*(s->newest ? &s->newest->newer : &s->oldest) = e;
	s->newest = e;
}

static entry **bucket_of(shard *s, uint64_t hash)
{
	return &s->buckets[(hash / NSHARD) & (s->nbucket - 1)];
}

static void drop(shard *s, entry *e)
{
	entry **at = bucket_of(s, e->hash);

	while (*at != e)
		at = &(*at)->next;
	*at = e->next;
	unlink_use(s, e);
	s->bytes -= e->bytes;
	free(e);
}

static entry *find(shard *s, uint64_t hash, const key *k, ag_str sql)
{
	for (entry *e = *bucket_of(s, hash); e; e = e->next)
		if (e->hash == hash && ag_str_eq(e->sql, sql) &&
		    memcmp(&e->key, k, sizeof(*k)) == 0)
			return e;
	return NULL;
}

ag_sql_cache *ag_sql_cache_free(ag_sql_cache *c)
{
	for (size_t i = 0; c && i < NSHARD; i++) {
		while (c->shards[i].oldest)
			drop(&c->shards[i], c->shards[i].oldest);
		free(c->shards[i].buckets);
		pthread_mutex_destroy(&c->shards[i].lock);
	}
	free(c);
	return NULL;
}

/* --- a verdict in one block: the two lists, the relations, then all texts, each with a NUL after it --- */

static size_t block_size(const ag_sql_verdict *v)
{
	size_t n = (v->ntable + v->nfunction) * sizeof(ag_str) + v->nrelation * sizeof(uint32_t);

	for (size_t i = 0; i < v->ntable; i++)
		n += v->tables[i].len + 1;
	for (size_t i = 0; i < v->nfunction; i++)
		n += v->functions[i].len + 1;
	return n + v->message.len + 1 + v->hint.len + 1 + v->sql.len + 1;
}

static ag_str put(char **at, ag_str s)
{
	const ag_str ret = ag_str_make(*at, s.len);

	if (s.len)
		memcpy(*at, s.ptr, s.len);
	(*at)[s.len] = '\0';
	*at += s.len + 1;
	return ret;
}

static void pack(const ag_sql_verdict *v, char *block, ag_sql_verdict *ret)
{
	ag_str *tables = (ag_str *)(void *)block, *functions = tables + v->ntable;
	uint32_t *relations = (uint32_t *)(void *)(functions + v->nfunction);
	char *at = (char *)(relations + v->nrelation);

	*ret = *v;
	if (v->nrelation)
		memcpy(relations, v->relations, v->nrelation * sizeof(*relations));
	ret->relations = relations;
	for (size_t i = 0; i < v->ntable; i++)
		tables[i] = put(&at, v->tables[i]);
	for (size_t i = 0; i < v->nfunction; i++)
		functions[i] = put(&at, v->functions[i]);
	ret->tables = tables;
	ret->functions = functions;
	ret->message = put(&at, v->message);
	ret->hint = put(&at, v->hint);
	ret->sql = put(&at, v->sql);
}

static ag_str moved(ag_str s, const char *from, const char *to)
{
	return ag_str_make(to + (s.ptr - from), s.len);
}

static void copy_out(const entry *e, ag_arena *arena, ag_sql_verdict *ret)
{
	char *block = ag_arena_alloc(arena, e->nblock);
	ag_str *list = (ag_str *)(void *)block;

	memcpy(block, e->block, e->nblock);
	*ret = e->v;
	for (size_t i = 0; i < e->v.ntable + e->v.nfunction; i++)
		list[i] = moved(list[i], e->block, block);
	ret->tables = list;
	ret->functions = list + e->v.ntable;
	ret->relations = (const uint32_t *)(const void *)(list + e->v.ntable + e->v.nfunction);
	ret->message = moved(e->v.message, e->block, block);
	ret->hint = moved(e->v.hint, e->block, block);
	ret->sql = moved(e->v.sql, e->block, block);
}

/* --- asking --- */

static bool look_up(shard *s, uint64_t hash, const key *k, ag_str sql, int64_t now_ms,
                    ag_arena *arena, ag_sql_verdict *ret)
{
	entry *e;
	bool found = false;

	pthread_mutex_lock(&s->lock);
	e = find(s, hash, k, sql);
	if (e && e->expires_ms && now_ms >= e->expires_ms) {
		drop(s, e);
	} else if (e) {
		if (e != s->newest) {
			unlink_use(s, e);
			link_newest(s, e);
		}
		copy_out(e, arena, ret);
		found = true;
	}
	pthread_mutex_unlock(&s->lock);
	return found;
}

static void keep(ag_sql_cache *c, shard *s, uint64_t hash, const key *k, ag_str sql, int64_t now_ms,
                 const ag_sql_verdict *v)
{
	const size_t nblock = block_size(v), bytes = sizeof(entry) + nblock + sql.len + 1;
	entry *e;
	char *at;

	if (bytes > c->max_bytes)
		return;
	e = ag_xcalloc(1, bytes);
	*e = (entry){ .hash = hash, .key = *k, .bytes = bytes, .nblock = nblock };
	e->expires_ms = v->reads_views ? now_ms + VIEWS_MS : 0;
	pack(v, e->block, &e->v);
	at = e->block + nblock;
	e->sql = put(&at, sql);
	pthread_mutex_lock(&s->lock);
	if (find(s, hash, k, sql)) { /* another thread was faster */
		free(e);
	} else {
		while (s->bytes + bytes > c->max_bytes)
			drop(s, s->oldest);
		e->next = *bucket_of(s, hash);
		*bucket_of(s, hash) = e;
		link_newest(s, e);
		s->bytes += bytes;
	}
	pthread_mutex_unlock(&s->lock);
}

/* What nobody sends twice is not kept. */
static bool is_kept(const ag_sql_verdict *v)
{
	return v->rule != AG_SQLRULE_PARSE_ERROR && v->rule != AG_SQLRULE_NEWER_SYNTAX &&
	       v->rule != AG_SQLRULE_BAD_TEXT && v->rule != AG_SQLRULE_TOO_LARGE;
}

ag_status ag_sql_cache_guard(ag_sql_cache *cache, int64_t now_ms, const ag_sql_asked *q,
                             ag_arena *arena, ag_sql_verdict *ret, ag_err *err)
{
	const ag_sql_policy *policy = q->policy;
	const ag_sql_catalog *catalog = q->catalog;
	const ag_str sql = q->sql;
	key k;
	uint64_t hash;
	shard *s;
	ag_status st;

	if (!cache || sql.len > MAX_SQL)
		return ag_sql_guard(sql, policy, catalog, q->purpose, arena, ret, err);
	memset(&k, 0, sizeof(k)); /* padding is compared too */
	k.generation = policy->generation;
	k.max_rows = policy->max_rows;
	k.epoch = catalog ? catalog->epoch : 0;
	k.has_catalog = catalog != NULL;
	k.server = catalog ? catalog->server : 0;
	k.purpose = (uint32_t)q->purpose;
	k.dialect = (uint32_t)policy->dialect;
	k.version = AG_SQL_GUARD_VERSION;
	hash = XXH3_64bits_withSeed(sql.ptr, sql.len, XXH3_64bits(&k, sizeof(k)));
	s = &cache->shards[hash % NSHARD];
	if (look_up(s, hash, &k, sql, now_ms, arena, ret))
		return AG_OK;
	st = ag_sql_guard(sql, policy, catalog, q->purpose, arena, ret, err);
	if (st == AG_OK && is_kept(ret))
		keep(cache, s, hash, &k, sql, now_ms, ret);
	return st;
}
