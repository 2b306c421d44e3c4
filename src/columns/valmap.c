/* valmap -- the counting tables, and the radix sort that orders what they counted.
 *
 * Linear probing, at most half full: with 8 bytes a slot the next slots are in the same cache line. */
#include "columns/valmap.h"

#include <stdlib.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#define MIN_SLOTS 64
#define MIN_SORT  64   /* shorter lists are sorted by insertion */
#define MIN_AHEAD 2000 /* values from which the tables outgrow the near caches */

static uint32_t tag_of(uint64_t slot)
{
	return (uint32_t)(slot >> 32);
}

static size_t number_of(uint64_t slot)
{
	return (size_t)(uint32_t)slot - 1;
}

static void *grown(void *v, size_t *cap, size_t size)
{
	*cap = *cap ? 2 * *cap : MIN_SLOTS / 2;
	AG_ASSERT(*cap <= UINT32_MAX);
	return ag_xrealloc(v, *cap * size);
}

/* Make the table at least half free with n values. */
static void slots_grow(ag_slots *s, size_t n)
{
	size_t old = s->slot ? s->mask + 1 : 0, size = old ? 2 * old : MIN_SLOTS;
	uint64_t *from = s->slot;

	while (2 * n > size)
		size *= 2;
	s->slot = (uint64_t *)ag_xcalloc(size, sizeof(*s->slot));
	s->mask = size - 1;
	for (size_t i = 0; i < old; i++) {
		size_t at = tag_of(from[i]) & s->mask;

		if (!from[i])
			continue;
		while (s->slot[at])
			at = (at + 1) & s->mask;
		s->slot[at] = from[i];
	}
	free(from);
}

/* Room for `more` values beside n. */
static inline void slots_fit(ag_slots *s, size_t n, size_t more)
{
	if (!s->slot || 2 * (n + more) > s->mask + 1)
		slots_grow(s, n + more);
}

/* memcmp() == 0 without a call: most texts are short. */
static inline bool same_bytes(const char *a, const char *b, uint32_t n)
{
	uint64_t x, y;

	if (n < 8) {
		for (uint32_t i = 0; i < n; i++)
			if (a[i] != b[i])
				return false;
		return true;
	}
	if (n > 32)
		return memcmp(a, b, n) == 0;
	for (uint32_t i = 0; i + 8 < n; i += 8) {
		memcpy(&x, a + i, 8);
		memcpy(&y, b + i, 8);
		if (x != y)
			return false;
	}
	memcpy(&x, a + n - 8, 8);
	memcpy(&y, b + n - 8, 8);
	return x == y;
}

static uint32_t hash_u64(uint64_t x)
{
	x *= 0x9e3779b97f4a7c15u;
	x ^= x >> 32;
	x *= 0xd6e8feb86659fd93u;
	return (uint32_t)(x >> 32);
}

void ag_u64_map_add_slow(ag_u64_map *m, uint64_t key, uint64_t n)
{
	uint32_t tag = hash_u64(key);
	size_t at;

	slots_fit(&m->s, m->n, 1);
	for (at = tag & m->s.mask; m->s.slot[at]; at = (at + 1) & m->s.mask) {
		size_t i = number_of(m->s.slot[at]);

		if (tag_of(m->s.slot[at]) == tag && m->v[i].key == key) {
			m->v[i].n += n;
			m->last = i;
			return;
		}
	}
	if (m->n == m->cap)
		m->v = (ag_u64_count *)grown(m->v, &m->cap, sizeof(*m->v));
	m->v[m->n] = (ag_u64_count){ key, n };
	m->last = m->n++;
	m->s.slot[at] = (uint64_t)tag << 32 | (uint32_t)m->n;
}

/* The text's number, or SIZE_MAX and *at = the free slot where it would go. */
static size_t find_text(const ag_text_map *m, const char *ptr, uint32_t len, uint32_t tag,
                        size_t *at)
{
	for (*at = tag & m->s.mask; m->s.slot[*at]; *at = (*at + 1) & m->s.mask) {
		size_t i = number_of(m->s.slot[*at]);
		const ag_text_count *v = &m->v[i];

		if (tag_of(m->s.slot[*at]) == tag && v->len == len && same_bytes(v->ptr, ptr, len))
			return i;
	}
	return SIZE_MAX;
}

size_t ag_text_map_find(const ag_text_map *m, const char *ptr, uint32_t len)
{
	size_t at;

	return m->n ? find_text(m, ptr, len, (uint32_t)XXH3_64bits(ptr, len), &at) : SIZE_MAX;
}

/* There is room for one value more. */
static size_t add_tagged(ag_text_map *m, const char *ptr, uint32_t len, uint32_t tag, uint64_t n)
{
	size_t at, i = find_text(m, ptr, len, tag, &at);

	if (i != SIZE_MAX) {
		m->v[i].n += n;
		return m->last = i;
	}
	if (m->n == m->cap)
		m->v = (ag_text_count *)grown(m->v, &m->cap, sizeof(*m->v));
	m->v[m->n] = (ag_text_count){ ptr, n, len };
	m->last = m->n++;
	m->s.slot[at] = (uint64_t)tag << 32 | (uint32_t)m->n;
	return m->last;
}

size_t ag_text_map_add(ag_text_map *m, const char *ptr, uint32_t len, uint64_t n)
{
	ag_text_count *last = m->n ? &m->v[m->last] : NULL;

	if (last && last->len == len && same_bytes(last->ptr, ptr, len)) {
		last->n += n;
		return m->last;
	}
	slots_fit(&m->s, m->n, 1);
	return add_tagged(m, ptr, len, (uint32_t)XXH3_64bits(ptr, len), n);
}

/* Ask for the slots, then for the values they name, then for the bytes of those. */
static void look_ahead(const ag_text_map *m, const uint32_t *tags, size_t n)
{
	for (size_t i = 0; i < n; i++)
		AG_PREFETCH(&m->s.slot[tags[i] & m->s.mask]);
	for (size_t i = 0; i < n; i++) {
		uint64_t slot = m->s.slot[tags[i] & m->s.mask];

		if (slot && tag_of(slot) == tags[i])
			AG_PREFETCH(&m->v[number_of(slot)]);
	}
	for (size_t i = 0; i < n; i++) {
		uint64_t slot = m->s.slot[tags[i] & m->s.mask];

		if (slot && tag_of(slot) == tags[i])
			AG_PREFETCH(m->v[number_of(slot)].ptr);
	}
}

void ag_text_map_add_many(ag_text_map *m, const ag_text_count *texts, size_t n)
{
	uint32_t tags[AG_TEXT_BATCH];

	AG_ASSERT(n <= AG_TEXT_BATCH);
	for (size_t i = 0; i < n; i++)
		tags[i] = (uint32_t)XXH3_64bits(texts[i].ptr, texts[i].len);
	slots_fit(&m->s, m->n, n);
	if (m->n >= MIN_AHEAD)
		look_ahead(m, tags, n);
	for (size_t i = 0; i < n; i++)
		(void)add_tagged(m, texts[i].ptr, texts[i].len, tags[i], 1);
}

void ag_any_map_add(ag_any_map *m, const ag_val *v, uint64_t n)
{
	uint64_t hash = ag_val_hash(v);
	uint32_t tag = (uint32_t)(hash ^ hash >> 32);
	size_t at;

	slots_fit(&m->s, m->n, 1);
	for (at = tag & m->s.mask; m->s.slot[at]; at = (at + 1) & m->s.mask) {
		size_t i = number_of(m->s.slot[at]);

		if (tag_of(m->s.slot[at]) == tag && ag_val_eq(&m->v[i].val, v)) {
			m->v[i].n += n;
			return;
		}
	}
	if (m->n == m->cap)
		m->v = (ag_any_count *)grown(m->v, &m->cap, sizeof(*m->v));
	m->v[m->n++] = (ag_any_count){ *v, n };
	m->s.slot[at] = (uint64_t)tag << 32 | (uint32_t)m->n;
}

void ag_u64_map_release(ag_u64_map *m)
{
	free(m->s.slot);
	free(m->v);
	memset(m, 0, sizeof(*m));
}

void ag_text_map_release(ag_text_map *m)
{
	free(m->s.slot);
	free(m->v);
	memset(m, 0, sizeof(*m));
}

void ag_any_map_release(ag_any_map *m)
{
	free(m->s.slot);
	free(m->v);
	memset(m, 0, sizeof(*m));
}

static void sort_short(ag_u64_count *v, size_t n)
{
	for (size_t i = 1; i < n; i++) {
		ag_u64_count x = v[i];
		size_t k = i;

		for (; k > 0 && v[k - 1].key > x.key; k--)
			v[k] = v[k - 1];
		v[k] = x;
	}
}

/* One pass by the byte at `shift`; first[] counts its values. */
static void scatter(const ag_u64_count *from, ag_u64_count *to, size_t n, unsigned shift,
                    const size_t count[256])
{
	size_t at[256], sum = 0;

	for (unsigned b = 0; b < 256; b++) {
		at[b] = sum;
		sum += count[b];
	}
	for (size_t i = 0; i < n; i++)
		to[at[from[i].key >> shift & 255]++] = from[i];
}

void ag_u64_sort(ag_u64_count *v, size_t n)
{
	size_t(*count)[256];
	ag_u64_count *from = v, *to, *other;
	bool is_sorted = true;

	for (size_t i = 1; i < n && is_sorted; i++)
		is_sorted = v[i - 1].key <= v[i].key;
	if (is_sorted)
		return;
	if (n < MIN_SORT) {
		sort_short(v, n);
		return;
	}
	count = (size_t(*)[256])ag_xcalloc(8, sizeof(*count));
	other = to = (ag_u64_count *)ag_xmalloc(n * sizeof(*to));
	for (size_t i = 0; i < n; i++)
		for (unsigned b = 0; b < 8; b++)
			count[b][v[i].key >> 8 * b & 255]++;
	for (unsigned b = 0; b < 8; b++) {
		ag_u64_count *t = from;

		if (count[b][v[0].key >> 8 * b & 255] == n)
			continue; /* all alike in this byte */
		scatter(from, to, n, 8 * b, count[b]);
		from = to;
		to = t;
	}
	if (from != v)
		memcpy(v, from, n * sizeof(*v));
	free(other);
	free(count);
}
