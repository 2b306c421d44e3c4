/* kept -- answers of Azure that are still fresh. `kept` is a global because the calls that share it know nothing of each
 * other: an audit of a database asks for the same key several times, a server with each call of a tool. */
#include "azure/parts.h"

#include <pthread.h>
#include <stdlib.h>

#define PLACES 64 /* the oldest is replaced */

typedef struct answer {
	char *key, *value; /* NULL = free */
	size_t nkey, nvalue;
	int64_t at_ms;
} answer;

static struct {
	pthread_mutex_t lock; /* of everything below */
	answer all[PLACES];
} kept = { .lock = PTHREAD_MUTEX_INITIALIZER };

static int64_t now_ms(void)
{
	return ag_clock_mono(&ag_clock_system);
}

static char *copy(ag_str s)
{
	char *ret = ag_xmalloc(s.len + 1);

	if (s.len)
		memcpy(ret, s.ptr, s.len);
	ret[s.len] = '\0';
	return ret;
}

static answer *find(ag_str key)
{
	for (size_t i = 0; i < PLACES; i++)
		if (kept.all[i].key &&
		    ag_str_eq(ag_str_make(kept.all[i].key, kept.all[i].nkey), key))
			return &kept.all[i];
	return NULL;
}

bool ag_azure_kept(ag_str key, ag_arena *arena, ag_str *ret)
{
	const answer *a;
	bool is_there;

	pthread_mutex_lock(&kept.lock);
	a = find(key);
	is_there = a && now_ms() - a->at_ms < AG_AZURE_KEEP_MS;
	if (is_there)
		*ret = ag_str_dup(arena, ag_str_make(a->value, a->nvalue));
	pthread_mutex_unlock(&kept.lock);
	return is_there;
}

void ag_azure_keep(ag_str key, ag_str value)
{
	answer *a;

	pthread_mutex_lock(&kept.lock);
	a = find(key);
	if (!a) {
		a = &kept.all[0];
		for (size_t i = 1; i < PLACES && a->key; i++)
			if (!kept.all[i].key || kept.all[i].at_ms < a->at_ms)
				a = &kept.all[i];
	}
	if (a->value)
		explicit_bzero(a->value, a->nvalue);
	free(a->key);
	free(a->value);
	*a = (answer){ copy(key), copy(value), key.len, value.len, now_ms() };
	pthread_mutex_unlock(&kept.lock);
}
