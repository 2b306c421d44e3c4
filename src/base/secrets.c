/* secrets -- the list, and one pass over a text however long the list is.
 *
 * `list` is what the process must not show: global as the log's sink is, for there is one process that could. Every form
 * is found by a hash of its first four bytes; at nearly every place of a text that leads to an empty chain, and the
 * pass costs about a nanosecond a byte. Forms that overlap or touch are hidden as one.
 *
 * Read ag_secrets_hide first, then longest_at. */
#include "base/secrets.h"

#include <pthread.h>
#include <stdlib.h>

#define NCHAIN    (1u << 14) /* 32 KB of heads: they stay in the first cache */
#define HASH_BITS 14
#define MIN_PIECE 4 /* bytes of a secret that a cut may leave */

typedef struct form {
	ag_str text;
	uint16_t next;  /* in its chain; index + 1, 0 = the end */
	bool is_secret; /* itself, not only a form of one */
} form;

static struct {
	pthread_rwlock_t lock;
	size_t nsecret, nform, longest;
	bool is_full; /* something did not fit */
	form forms[AG_SECRETS_MAX_FORMS];
	uint16_t chain[NCHAIN]; /* index + 1 of the first, 0 = none */
} list = { .lock = PTHREAD_RWLOCK_INITIALIZER };

/* Of four bytes; every form has at least six. */
static size_t hash_of(const char *p)
{
	uint32_t four;

	memcpy(&four, p, sizeof(four));
	return (four * 2654435761u) >>
	       (32 - HASH_BITS); /* Knuth's multiplier, 2^32 by the golden ratio */
}

static form *find(ag_str text)
{
	for (size_t i = list.chain[hash_of(text.ptr)]; i; i = list.forms[i - 1].next) {
		if (ag_str_eq(list.forms[i - 1].text, text))
			return &list.forms[i - 1];
	}
	return NULL;
}

static void add_form(void *unused, ag_str text)
{
	size_t hash;
	char *copy;

	(void)unused;
	if (text.len < AG_SECRET_MIN_BYTES || find(text))
		return;
	if (list.nform == AG_SECRETS_MAX_FORMS) {
		list.is_full = true;
		return;
	}
	copy = (char *)ag_xmalloc(text.len);
	memcpy(copy, text.ptr, text.len);
	hash = hash_of(copy);
	list.forms[list.nform++] = (form){ ag_str_make(copy, text.len), list.chain[hash], false };
	list.chain[hash] = (uint16_t)list.nform;
	if (text.len > list.longest)
		list.longest = text.len;
}

static void add_secret(ag_str secret)
{
	form *known = find(secret);

	if (known && known->is_secret)
		return;
	if (list.nsecret == AG_SECRETS_MAX || secret.len > AG_SECRET_MAX_BYTES) {
		list.is_full = true;
		return;
	}
	list.nsecret++;
	ag_secret_forms(secret, add_form, NULL);
	known = find(secret);
	if (known)
		known->is_secret = true;
}

void ag_secrets_add(ag_str secret)
{
	if (secret.len < AG_SECRET_MIN_BYTES)
		return;
	pthread_rwlock_wrlock(&list.lock);
	add_secret(secret);
	pthread_rwlock_unlock(&list.lock);
}

/* Bytes of the longest form that begins here, 0 = none. */
static size_t longest_at(ag_str text, size_t at)
{
	size_t longest = 0;

	for (size_t i = list.chain[hash_of(text.ptr + at)]; i; i = list.forms[i - 1].next) {
		ag_str f = list.forms[i - 1].text;

		if (f.len > longest && f.len <= text.len - at &&
		    memcmp(text.ptr + at, f.ptr, f.len) == 0)
			longest = f.len;
	}
	return longest;
}

static void hide(ag_str text, size_t safe, ag_buf *out)
{
	size_t behind = 0; /* the end of the last stretch; all before it is in out */
	bool is_first = true;

	for (size_t i = 0; i < safe && i + AG_SECRET_MIN_BYTES <= text.len; i++) {
		size_t n = longest_at(text, i);

		if (!n)
			continue;
		if (is_first || i > behind) {
			ag_buf_add(out, ag_str_make(text.ptr + behind, i - behind));
			ag_buf_add(out, AG_S("[redacted]"));
		}
		is_first = false;
		if (i + n > behind)
			behind = i + n;
	}
	if (behind < safe)
		ag_buf_add(out, ag_str_make(text.ptr + behind, safe - behind));
}

bool ag_secrets_hide(ag_str text, size_t safe, ag_buf *out)
{
	bool ok;

	pthread_rwlock_rdlock(&list.lock);
	ok = !list.is_full;
	if (ok && list.nform)
		hide(text, safe, out);
	else if (ok)
		ag_buf_add(out, ag_str_make(text.ptr, safe));
	pthread_rwlock_unlock(&list.lock);
	return ok;
}

/* Bytes of the form at the end of the text, 0 = fewer than `least`; a whole form is not meant. */
static size_t piece_at_end(ag_str text, ag_str f, size_t least)
{
	size_t n = f.len - 1 < text.len ? f.len - 1 : text.len;

	for (; n >= least; n--) {
		const char *from = text.ptr + text.len - n;

		if (*from == *f.ptr && memcmp(from, f.ptr, n) == 0)
			return n;
	}
	return 0;
}

static size_t without_piece(ag_str text, size_t least)
{
	size_t most = 0;

	pthread_rwlock_rdlock(&list.lock);
	for (size_t i = 0; i < list.nform; i++) {
		size_t n = piece_at_end(text, list.forms[i].text, least);

		most = n > most ? n : most;
	}
	pthread_rwlock_unlock(&list.lock);
	return text.len - most;
}

size_t ag_secrets_whole(ag_str text)
{
	return without_piece(text, MIN_PIECE);
}

size_t ag_secrets_settled(ag_str text)
{
	return without_piece(text, 1);
}

size_t ag_secrets_longest(void)
{
	size_t longest;

	pthread_rwlock_rdlock(&list.lock);
	longest = list.longest;
	pthread_rwlock_unlock(&list.lock);
	return longest;
}

void ag_secrets_forget(void)
{
	pthread_rwlock_wrlock(&list.lock);
	for (size_t i = 0; i < list.nform; i++)
		free((void *)(uintptr_t)list.forms[i].text.ptr);
	memset(list.chain, 0, sizeof(list.chain));
	list.nsecret = list.nform = list.longest = 0;
	list.is_full = false;
	pthread_rwlock_unlock(&list.lock);
}
