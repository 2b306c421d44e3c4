/* slug -- a heading's anchor, as GitHub makes it.
 *
 * The rule is that of GitHub's filter: lower case (Unicode's, without the context of a final sigma), then everything is
 * deleted but Alphabetic, marks, decimal digits, connector punctuation, "-" and the blank; each blank becomes "-".
 * Nothing is trimmed and nothing is folded: two blanks are two hyphens. Other white space is deleted like a full stop.
 *
 * ASCII takes a table. Beyond it PCRE2 knows the classes and the case of letters; what its \L leaves alone, being no
 * letter by category, stands in lower_by_hand(). Together they agree with Unicode 14 on every code point. */
#define PCRE2_CODE_UNIT_WIDTH 8

#include <pcre2.h>
#include <stdlib.h>

#include "ask/outline_build.h"
#include "base/utf8.h"

/* Group 1 are capitals; what else is matched goes. */
#define DROP_OR_LOWER "[^\\p{Alphabetic}\\p{M}\\p{Nd}\\p{Pc}\\- ]+|([\\p{Lu}\\p{Lt}]+)"

struct slot {
	ag_str key; /* ptr NULL = free */
	unsigned count;
};

static uint32_t lower_by_hand(uint32_t cp)
{
	if (cp < 0x80)
		return cp >= 'A' && cp <= 'Z' ? cp + 32 : cp;
	if (cp >= 0x2160 && cp <= 0x216f) /* Roman numerals */
		return cp + 16;
	if (cp >= 0x24b6 && cp <= 0x24cf) /* letters in circles */
		return cp + 26;
	return cp;
}

/* Valid UTF-8 for PCRE2: bytes that are none are no letters, so they go here already. */
static size_t prepare(ag_str s, char *out)
{
	size_t n = 0;

	for (size_t i = 0; i < s.len;) {
		uint32_t cp = ag_utf8_next(s, &i);

		if (cp == 0xfffd)
			continue;
		if (cp == 0x130) { /* dotted I: an i and the dot, which is a mark */
			memcpy(out + n, "i\xcc\x87", 3);
			n += 3;
			continue;
		}
		n += ag_utf8_put(out + n, lower_by_hand(cp));
	}
	return n;
}

static pcre2_code *compile(void)
{
	int code;
	PCRE2_SIZE at;

	return pcre2_compile((PCRE2_SPTR)DROP_OR_LOWER, PCRE2_ZERO_TERMINATED, PCRE2_UTF, &code,
	                     &at, NULL);
}

static ag_str slug_unicode(pcre2_code *re, ag_str visible, ag_arena *arena)
{
	char *in = ag_xmalloc(visible.len * 3 / 2 + 4);
	size_t n = prepare(visible, in), room = n * 2 + 16; /* a lower case letter may be longer */
	char *out = ag_arena_alloc(arena, room);
	PCRE2_SIZE len = room;

	if (!re ||
	    pcre2_substitute(re, (PCRE2_SPTR)in, n, 0,
	                     PCRE2_SUBSTITUTE_GLOBAL | PCRE2_SUBSTITUTE_EXTENDED |
	                             PCRE2_SUBSTITUTE_UNSET_EMPTY,
	                     NULL, NULL, (PCRE2_SPTR) "\\L$1", 4, (PCRE2_UCHAR *)out, &len) < 0) {
		/* A PCRE2 that knows less than ours was built with: the letters as they stand. */
		memcpy(out, in, n);
		len = n;
	}
	free(in);
	for (size_t i = 0; i < len; i++)
		if (out[i] == ' ')
			out[i] = '-';
	return ag_str_make(out, len);
}

/* False: beyond ASCII. */
static bool slug_ascii(ag_str visible, ag_arena *arena, ag_str *ret)
{
	char *out;
	size_t n = 0;

	for (size_t i = 0; i < visible.len; i++)
		if ((unsigned char)visible.ptr[i] >= 0x80)
			return false;
	out = ag_arena_alloc(arena, visible.len + 1);
	for (size_t i = 0; i < visible.len; i++) {
		char c = visible.ptr[i];

		if (c >= 'A' && c <= 'Z')
			out[n++] = (char)(c + 32);
		else if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '-')
			out[n++] = c;
		else if (c == ' ')
			out[n++] = '-';
	}
	*ret = ag_str_make(out, n);
	return true;
}

ag_str ag_outline_slug(ag_str visible, ag_arena *arena)
{
	pcre2_code *re;
	ag_str ret;

	if (slug_ascii(visible, arena, &ret))
		return ret;
	re = compile();
	ret = slug_unicode(re, visible, arena);
	pcre2_code_free(re);
	return ret;
}

static uint64_t hash_of(ag_str s)
{
	uint64_t h = 0xcbf29ce484222325u;

	for (size_t i = 0; i < s.len; i++)
		h = (h ^ (unsigned char)s.ptr[i]) * 0x100000001b3u;
	return h ^ h >> 29;
}

/* The place of a key, or the free one where it would stand. */
static struct slot *place_of(struct slot *slots, size_t nslot, ag_str key)
{
	size_t i = (size_t)hash_of(key) & (nslot - 1);

	while (slots[i].key.ptr && !ag_str_eq(slots[i].key, key))
		i = (i + 1) & (nslot - 1);
	return &slots[i];
}

static void grow(ag_slugger *s)
{
	size_t n = s->nslot ? s->nslot * 2 : 64;
	struct slot *slots = ag_xcalloc(n, sizeof(*slots));

	for (size_t i = 0; i < s->nslot; i++)
		if (s->slots[i].key.ptr)
			*place_of(slots, n, s->slots[i].key) = s->slots[i];
	free(s->slots);
	s->slots = slots;
	s->nslot = n;
}

static void put(ag_slugger *s, ag_str key)
{
	if (s->nused * 2 >= s->nslot)
		grow(s);
	place_of(s->slots, s->nslot, key)->key = key;
	s->nused++;
}

void ag_slugger_init(ag_slugger *s, ag_arena *arena)
{
	*s = (ag_slugger){ .arena = arena };
	grow(s);
}

void ag_slugger_release(ag_slugger *s)
{
	free(s->slots);
	pcre2_code_free(s->re);
	*s = (ag_slugger){ 0 };
}

ag_str ag_slugger_next(ag_slugger *s, ag_str visible)
{
	ag_str slug, numbered;
	unsigned count;

	if (!slug_ascii(visible, s->arena, &slug)) {
		if (!s->re)
			s->re = compile();
		slug = slug_unicode(s->re, visible, s->arena);
	}
	if (!place_of(s->slots, s->nslot, slug)->key.ptr) {
		put(s, slug);
		return slug;
	}
	/* The counter belongs to the slug without a number, and goes on until the name is free: "a-1" may be a
	 * heading of its own. Each number that is tried was taken by one heading, so all tries together are few. */
	count = place_of(s->slots, s->nslot, slug)->count;
	do {
		numbered = ag_str_printf(s->arena, "%.*s-%u", AG_FMT(slug), ++count);
	} while (place_of(s->slots, s->nslot, numbered)->key.ptr);
	place_of(s->slots, s->nslot, slug)->count = count;
	put(s, numbered);
	return numbered;
}
