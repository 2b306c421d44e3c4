/* keyset -- the different keys of an object, and whether they look like data.
 *
 * An open table of numbers over a list of borrowed names. A key's pattern writes each run of letters as "a"
 * and each run of digits as "9" ("user_17" is "a_9", "2026-03-01" is "9-9-9"); a pattern without digits says
 * nothing, for ordinary names look like that too. */
#include <stdlib.h>
#include <xxhash.h>

#include "columns/tree.h"

#define MAX_PATTERN  48 /* longer ones are cut: their beginnings tell enough */
#define MAX_PATTERNS 64 /* beyond, no pattern can hold 90% of the keys seen so far and be new */
#define MIN_HEX      8  /* shorter hex is too often a word */
#define MAX_HEX      64

struct ag_keyset {
	ag_str *keys;
	size_t n, cap;
	uint32_t *slots; /* number + 1, 0 = free */
	size_t nslot;    /* a power of two */
};

ag_keyset *ag_keyset_new(void)
{
	ag_keyset *k = (ag_keyset *)ag_xcalloc(1, sizeof(*k));

	k->nslot = 64;
	k->slots = (uint32_t *)ag_xcalloc(k->nslot, sizeof(*k->slots));
	return k;
}

ag_keyset *ag_keyset_free(ag_keyset *k)
{
	if (k) {
		free(k->keys);
		free(k->slots);
		free(k);
	}
	return NULL;
}

static size_t slot_of(const ag_keyset *k, ag_str key)
{
	size_t i = XXH3_64bits(key.ptr, key.len) & (k->nslot - 1);

	while (k->slots[i] && !ag_str_eq(k->keys[k->slots[i] - 1], key))
		i = (i + 1) & (k->nslot - 1);
	return i;
}

static void grow(ag_keyset *k)
{
	free(k->slots);
	k->nslot *= 2;
	k->slots = (uint32_t *)ag_xcalloc(k->nslot, sizeof(*k->slots));
	for (size_t i = 0; i < k->n; i++)
		k->slots[slot_of(k, k->keys[i])] = (uint32_t)i + 1;
}

size_t ag_keyset_add(ag_keyset *k, ag_str key)
{
	size_t at = slot_of(k, key);

	if (k->slots[at])
		return k->slots[at] - 1;
	if (k->n == AG_TREE_MAX_MAP_KEYS)
		return SIZE_MAX;
	if (k->n == k->cap) {
		k->cap = k->cap ? 2 * k->cap : 32;
		k->keys = (ag_str *)ag_xrealloc(k->keys, k->cap * sizeof(*k->keys));
	}
	k->keys[k->n++] = key;
	k->slots[at] = (uint32_t)k->n;
	if (2 * k->n > k->nslot)
		grow(k);
	return k->n - 1;
}

size_t ag_keyset_count(const ag_keyset *k)
{
	return k->n;
}

ag_str ag_keyset_get(const ag_keyset *k, size_t i)
{
	return k->keys[i];
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_hex(char c)
{
	return is_digit(c) || ((c | 0x20) >= 'a' && (c | 0x20) <= 'f');
}

static bool is_letter(char c)
{
	return ((c | 0x20) >= 'a' && (c | 0x20) <= 'z') || (unsigned char)c >= 0x80;
}

static bool is_all_hex(ag_str s)
{
	for (size_t i = 0; i < s.len; i++)
		if (!is_hex(s.ptr[i]))
			return false;
	return s.len >= MIN_HEX && s.len <= MAX_HEX;
}

static bool is_uuid(ag_str s)
{
	if (s.len != 36)
		return false;
	for (size_t i = 0; i < 36; i++) {
		bool is_dash = i == 8 || i == 13 || i == 18 || i == 23;

		if (is_dash ? s.ptr[i] != '-' : !is_hex(s.ptr[i]))
			return false;
	}
	return true;
}

/* The key's pattern into out; 0 when it has no digit. */
static size_t pattern(ag_str key, char out[MAX_PATTERN])
{
	size_t n = 0;
	bool any_digit = false;

	for (size_t i = 0; i < key.len && n < MAX_PATTERN; i++) {
		char c = is_digit(key.ptr[i]) ? '9' : is_letter(key.ptr[i]) ? 'a' : key.ptr[i];

		any_digit = any_digit || c == '9';
		if (n == 0 || out[n - 1] != c || (c != '9' && c != 'a'))
			out[n++] = c;
	}
	return any_digit ? n : 0;
}

typedef struct patterns {
	char text[MAX_PATTERNS][MAX_PATTERN];
	size_t len[MAX_PATTERNS], count[MAX_PATTERNS];
	size_t n;
} patterns;

static void count_pattern(patterns *p, ag_str key)
{
	char buf[MAX_PATTERN];
	ag_str s = ag_str_make(buf, pattern(key, buf));
	size_t i = 0;

	if (s.len == 0)
		return;
	while (i < p->n && !ag_str_eq(ag_str_make(p->text[i], p->len[i]), s))
		i++;
	if (i == MAX_PATTERNS)
		return;
	if (i == p->n) {
		memcpy(p->text[i], s.ptr, s.len);
		p->len[i] = s.len;
		p->n++;
	}
	p->count[i]++;
}

bool ag_keyset_is_alike(const ag_keyset *k)
{
	size_t hex[MAX_HEX + 1] = { 0 }, nuuid = 0, best = 0;
	patterns *p = (patterns *)ag_xcalloc(1, sizeof(*p));

	for (size_t i = 0; i < k->n; i++) {
		ag_str key = k->keys[i];

		if (is_uuid(key))
			nuuid++;
		else if (is_all_hex(key))
			hex[key.len]++;
		count_pattern(p, key);
	}
	best = nuuid;
	for (size_t i = 0; i < AG_NELEM(hex); i++)
		best = hex[i] > best ? hex[i] : best;
	for (size_t i = 0; i < p->n; i++)
		best = p->count[i] > best ? p->count[i] : best;
	free(p);
	return k->n > 0 && best * 10 >= k->n * 9;
}
