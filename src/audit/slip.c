/* slip -- see the header. A hash of a text without one byte is made of the hashes of what stands before and after it. */
#include "audit/slip.h"

#include "audit/words.h"

#define HASH_BASE UINT64_C(0x100000001b3)

uint64_t ag_slip_hash(ag_str s)
{
	uint64_t h = 0;

	for (size_t i = 0; i < s.len; i++)
		h = h * HASH_BASE + (unsigned char)s.ptr[i] + 1;
	return h;
}

void ag_slip_ways(ag_str s, ag_arena *arena, void (*fn)(void *arg, uint64_t h), void *arg)
{
	uint64_t *after = ag_new_n(arena, uint64_t, s.len + 1),
		 *power = ag_new_n(arena, uint64_t, s.len + 1);
	uint64_t before = 0, scale = 1;

	power[s.len] = 1;
	for (size_t i = s.len; i > 0; i--) {
		after[i - 1] = after[i] + ((unsigned char)s.ptr[i - 1] + 1) * scale;
		scale *= HASH_BASE;
		power[i - 1] = scale;
	}
	fn(arg, after[0]);
	for (size_t i = 0; i < s.len; i++) {
		if (!i || s.ptr[i] != s.ptr[i - 1])
			fn(arg, before * power[i + 1] + after[i + 1]);
		before = before * HASH_BASE + (unsigned char)s.ptr[i] + 1;
	}
}

bool ag_slip_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (unsigned char)c >= 0x80;
}

bool ag_slip_same_rest(ag_str a, size_t i, ag_str b, size_t k)
{
	return a.len - i == b.len - k && memcmp(a.ptr + i, b.ptr + k, a.len - i) == 0;
}

ag_slip ag_slip_of(ag_str wrong, ag_str right, size_t *ret_at)
{
	const size_t n = wrong.len < right.len ? wrong.len : right.len;
	size_t i = 0;

	while (i < n && wrong.ptr[i] == right.ptr[i])
		i++;
	*ret_at = i;
	if (wrong.len == right.len + 1)
		return ag_slip_letter(wrong.ptr[i]) && ag_slip_same_rest(wrong, i + 1, right, i)
		               ? AG_SLIP_EXTRA
		               : AG_SLIP_NONE;
	if (wrong.len + 1 == right.len)
		return ag_slip_letter(right.ptr[i]) && ag_slip_same_rest(wrong, i, right, i + 1)
		               ? AG_SLIP_DROP
		               : AG_SLIP_NONE;
	if (wrong.len != right.len || i == n || !ag_slip_letter(right.ptr[i]) ||
	    !ag_slip_letter(wrong.ptr[i]))
		return AG_SLIP_NONE;
	if (ag_slip_same_rest(wrong, i + 1, right, i + 1))
		return AG_SLIP_CHANGE;
	if (i + 1 < n && wrong.ptr[i] == right.ptr[i + 1] && wrong.ptr[i + 1] == right.ptr[i] &&
	    ag_slip_same_rest(wrong, i + 2, right, i + 2))
		return AG_SLIP_SWAP;
	return AG_SLIP_NONE;
}

ag_slip_place ag_slip_place_of(ag_str wrong, ag_str right, ag_slip kind, size_t at)
{
	size_t from = at, to = at;
	ag_slip_place p = { 0 };

	while (from > 0 && ag_slip_letter(right.ptr[from - 1]))
		from--;
	while (to < right.len && ag_slip_letter(right.ptr[to]))
		to++;
	p.len = to - from;
	p.is_initial = at == from && kind != AG_SLIP_SWAP;
	p.is_other_word = ag_word_is_known(
		ag_str_make(wrong.ptr + from, to + wrong.len - right.len - from));
	p.is_slip_of_word = !p.is_other_word &&
	                    ag_word_is_known(ag_str_make(right.ptr + from, to - from));
	if (kind == AG_SLIP_EXTRA)
		p.is_ending = at == to && !(at > from && wrong.ptr[at] == right.ptr[at - 1]);
	else if (kind == AG_SLIP_DROP)
		p.is_ending = at + 1 >= to;
	else if (kind == AG_SLIP_CHANGE)
		p.is_ending = at + 1 >= to;
	return p;
}
