/* scan_json -- one JSON text into the builder: simdjson reads it, its tape is walked.
 *
 * The tape is simdjson's documented result (doc/tape.md): a word a value, type in the top byte. Walking it
 * directly costs less than the iterators above it. What simdjson refuses (integers beyond 64 bits, 1e400,
 * lone surrogates, real errors) goes to the exact reader, which keeps it or says where it is broken.
 *
 * Objects whose first key begins with "$" may be extended JSON: the frequent forms are read here, all others
 * by ag_extjson_typed(). Both must give the same values as the exact reader; test_columns_scan.c compares. */
#include "columns/scan.h"

#include <cinttypes>
#include <cstdio>
#include <new>
#include <simdjson.h>

#include "base/time.h"

struct ag_json_parser {
	simdjson::dom::parser dom;
};

namespace
{

/* Members of an object up to which it is tried as extended JSON: no form has more than two. */
constexpr uint32_t MAX_TYPED_MEMBERS = 8;
constexpr size_t FIRST_CAPACITY = 64 * 1024;

/* Functions take the index of a word of the tape and return that of the next value. */
struct walker {
	ag_builder *b;
	const uint64_t *tape;
	const uint8_t *strings;
	ag_arena *scratch;
	ag_extjson_notes notes;

	size_t value(size_t at, ag_bcol *c, uint32_t up, unsigned depth);
	size_t object(size_t at, ag_bcol *c, uint32_t up, unsigned depth);
	size_t array(size_t at, ag_bcol *c, uint32_t up, unsigned depth);
	bool typed(size_t at, ag_bcol *c, uint32_t up, unsigned depth);
	bool typed_fast(size_t at, ag_bcol *c, uint32_t up);
	ag_val to_val(size_t *at, unsigned depth);
	ag_val to_object(size_t *at, unsigned depth);
	ag_dec128 decimal_of(uint64_t u);
};

inline ag_str text_of(const uint8_t *strings, uint64_t word)
{
	const uint8_t *p = strings + (word & 0xffffffffffffffu);
	uint32_t n;

	memcpy(&n, p, sizeof(n));
	return ag_str_make((const char *)p + sizeof(n), n);
}

/* Behind the bracket that closes the one at `at`. */
inline size_t behind(const uint64_t *tape, size_t at)
{
	return (size_t)(uint32_t)tape[at];
}

size_t skip(const uint64_t *tape, size_t at)
{
	switch (tape[at] >> 56) {
	case '{':
	case '[': return behind(tape, at);
	case 'l':
	case 'u':
	case 'd': return at + 2;
	default: return at + 1;
	}
}

AG_ALWAYS_INLINE size_t walker::value(size_t at, ag_bcol *c, uint32_t up, unsigned depth)
{
	uint64_t word = tape[at];

	switch (word >> 56) {
	case '"': {
		ag_str s = text_of(strings, word);

		ag_build_row(b, c, up, AG_T_STRING, ag_build_heap_padded(b, s.ptr, s.len));
		return at + 1;
	}
	case 'l': {
		int64_t i = (int64_t)tape[at + 1];

		ag_build_row(b, c, up, i == (int32_t)i ? AG_T_INT32 : AG_T_INT64, (uint64_t)i);
		return at + 2;
	}
	case 'd': ag_build_row(b, c, up, AG_T_DOUBLE, tape[at + 1]); return at + 2;
	case 't':
	case 'f': ag_build_row(b, c, up, AG_T_BOOL, word >> 56 == 't'); return at + 1;
	case '{': return object(at, c, up, depth);
	case '[': return array(at, c, up, depth);
	case 'u':
		ag_build_row(b, c, up, AG_T_DECIMAL, ag_build_dec128(b, decimal_of(tape[at + 1])));
		return at + 2;
	default: ag_build_row(b, c, up, AG_T_NULL, 0); return at + 1;
	}
}

/* Between 2^63 and 2^64: what the exact reader makes of an integer beyond 64 bits. */
ag_dec128 walker::decimal_of(uint64_t u)
{
	char digits[24];
	int n = snprintf(digits, sizeof(digits), "%" PRIu64, u);
	ag_dec128 d = { 0, 0 };

	AG_ASSERT(ag_dec128_parse(ag_str_make(digits, (size_t)n), &d));
	notes.big_numbers++;
	return d;
}

size_t walker::object(size_t at, ag_bcol *c, uint32_t up, unsigned depth)
{
	const uint64_t *words = tape;
	const uint8_t *texts = strings;
	size_t end = behind(words, at) - 1;
	ag_build_obj o;

	if (AG_UNLIKELY(depth > AG_COL_MAX_DEPTH)) {
		b->failed = "nested deeper than 200 levels";
		return end + 1;
	}
	if (AG_UNLIKELY(at + 1 < end && text_of(texts, words[at + 1]).ptr[0] == '$') && depth > 1 &&
	    typed(at, c, up, depth))
		return end + 1;
	ag_build_object(b, &o, c, up);
	for (at++; at < end;) {
		ag_str key = text_of(texts, words[at]);
		ag_bcol *k = ag_build_key_padded(b, &o, key.ptr, key.len);

		if (AG_LIKELY(k != nullptr))
			at = value(at + 1, k, o.row, depth + 1);
		else
			at = skip(words, at + 1);
	}
	ag_build_object_end(b, &o);
	return end + 1;
}

size_t walker::array(size_t at, ag_bcol *c, uint32_t up, unsigned depth)
{
	size_t end = behind(tape, at) - 1;
	uint32_t n = 0, row;

	if (AG_UNLIKELY(depth > AG_COL_MAX_DEPTH)) {
		b->failed = "nested deeper than 200 levels";
		return end + 1;
	}
	row = ag_build_row(b, c, up, AG_T_ARRAY, 0);
	if (++at < end) {
		ag_bcol *elem = ag_build_elem(b, c);

		for (; at < end; n++)
			at = value(at, elem, row, depth + 1);
	}
	ag_build_array_end(c, row, n);
	return end + 1;
}

int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c = (char)(c | 32);
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

bool read_oid(ag_str s, char oid[12])
{
	int bad = 0;

	if (s.len != 24)
		return false;
	for (size_t i = 0; i < 12; i++) {
		int hi = hex_digit(s.ptr[2 * i]), lo = hex_digit(s.ptr[2 * i + 1]);

		bad |= hi | lo;
		oid[i] = (char)((unsigned)hi << 4 | (unsigned)lo);
	}
	return bad >= 0;
}

/* {"$x": "text"} and {"$date": {"$numberLong": "…"}}; false: not one of them, nothing was built. */
bool walker::typed_fast(size_t at, ag_bcol *c, uint32_t up)
{
	uint64_t word = tape[at + 2];
	ag_str key = text_of(strings, tape[at + 1]);
	int64_t i;
	ag_str s;

	if (ag_str_eqc(key, "$date") && word >> 56 == '{' && (word >> 32 & 0xffffff) == 1 &&
	    ag_str_eqc(text_of(strings, tape[at + 3]), "$numberLong") &&
	    tape[at + 4] >> 56 == '"') {
		if (!ag_str_to_i64(text_of(strings, tape[at + 4]), &i))
			return false;
		ag_build_row(b, c, up, AG_T_DATE, (uint64_t)i);
		return true;
	}
	if (word >> 56 != '"')
		return false;
	s = text_of(strings, word);
	if (ag_str_eqc(key, "$oid")) {
		char oid[12];

		if (!read_oid(s, oid))
			return false;
		ag_build_row(b, c, up, AG_T_OID, ag_build_heap(b, oid, sizeof(oid)));
		return true;
	}
	if (ag_str_eqc(key, "$date")) {
		if (!ag_time_parse_iso(s, &i))
			return false;
		ag_build_row(b, c, up, AG_T_DATE, (uint64_t)i);
		return true;
	}
	if (ag_str_eqc(key, "$numberLong")) {
		if (!ag_str_to_i64(s, &i))
			return false;
		ag_build_row(b, c, up, AG_T_INT64, (uint64_t)i);
		return true;
	}
	return false;
}

bool walker::typed(size_t at, ag_bcol *c, uint32_t up, unsigned depth)
{
	uint32_t count = (uint32_t)(tape[at] >> 32) & 0xffffff;
	ag_extjson_notes notes_were = notes;
	ag_val v, t;

	if (count > MAX_TYPED_MEMBERS)
		return false;
	if (count == 1 && typed_fast(at, c, up))
		return true;
	v = to_object(&at, depth);
	if (b->failed || !ag_extjson_typed(scratch, &v, false, &t)) {
		notes = notes_were; /* the object is read again as what it is */
		return false;
	}
	ag_build_val(b, c, up, &t, scratch, depth);
	return true;
}

/* Members as the exact reader gives them: the first of the same name only, children typed. */
ag_val walker::to_object(size_t *at, unsigned depth)
{
	uint32_t count = (uint32_t)(tape[*at] >> 32) & 0xffffff;
	size_t end = behind(tape, *at) - 1;
	ag_member *m;
	size_t n = 0;

	/* The count of the tape stops at 2^24 - 1; such an object is none of ours. */
	if (count == 0xffffff || depth > AG_COL_MAX_DEPTH) {
		b->failed = "too large or too deep for extended JSON";
		*at = end + 1;
		return ag_val_missing();
	}
	m = ag_new_n(scratch, ag_member, count);
	for (++*at; *at < end;) {
		ag_str key = text_of(strings, tape[(*at)++]);
		bool twice = false;

		for (size_t i = 0; i < n && count <= MAX_TYPED_MEMBERS; i++)
			twice = twice || ag_str_eq(m[i].key, key);
		if (twice) {
			*at = skip(tape, *at);
			continue;
		}
		m[n].key = key;
		m[n].val = to_val(at, depth + 1);
		n++;
	}
	*at = end + 1;
	return ag_val_object(m, n);
}

ag_val walker::to_val(size_t *at, unsigned depth)
{
	uint64_t word = tape[*at], next = tape[*at + 1];
	ag_val v = ag_val_missing();

	switch (word >> 56) {
	case '{': {
		ag_val t;

		v = to_object(at, depth);
		return ag_extjson_typed(scratch, &v, false, &t) ? t : v;
	}
	case '[': {
		size_t end = behind(tape, *at) - 1, n = 0;
		ag_val *items = ag_new_n(scratch, ag_val, end - *at);

		if (depth > AG_COL_MAX_DEPTH)
			b->failed = "nested deeper than 200 levels";
		for (++*at; *at < end && !b->failed;)
			items[n++] = to_val(at, depth + 1);
		*at = end + 1;
		return ag_val_array(items, n);
	}
	default: *at = skip(tape, *at);
	}
	switch (word >> 56) {
	case '"': return ag_val_str(text_of(strings, word));
	case 'l': return ag_val_int((int64_t)next);
	case 'u':
		v.type = AG_T_DECIMAL;
		v.u.dec = decimal_of(next);
		return v;
	case 'd': {
		double f;

		memcpy(&f, &next, sizeof(f));
		return ag_val_double(f);
	}
	case 't':
	case 'f': return ag_val_bool(word >> 56 == 't');
	default: return ag_val_null();
	}
}

void add_notes(ag_extjson_notes *to, const ag_extjson_notes *n)
{
	to->lone_surrogates += n->lone_surrogates;
	to->big_numbers += n->big_numbers;
	to->overflows += n->overflows;
}

/* Also for simdjson: without it a failing `new` ends in abort(). */
const std::new_handler installed = std::set_new_handler(ag_oom);

/* What simdjson refused. */
void exact(ag_scan *s, size_t at, size_t n, uint32_t line)
{
	ag_str text = ag_str_make(s->p + at, n);
	ptrdiff_t bad = ag_scan_bad_utf8(text.ptr, n);
	ag_extjson_opts opts = ag_extjson_opts();
	ag_extjson_notes notes = ag_extjson_notes();
	const char *why = nullptr;
	size_t where = 0;
	ag_err err;
	ag_val v;

	if (bad >= 0) {
		ag_scan_issue_add(s, line, at, "invalid UTF-8 at byte %td of the document", bad);
		return;
	}
	opts.typed = true;
	opts.max_depth = AG_COL_MAX_DEPTH;
	if (ag_extjson_parse(text, &opts, s->scratch, &v, &where, &notes, &err)) {
		ag_scan_issue_add(s, line, at, "%s", err.msg);
		return;
	}
	if (!ag_build_doc_val(&s->b, s->at + at, line, &v, s->scratch, &why)) {
		ag_scan_issue_add(s, line, at, "%s", why);
		return;
	}
	s->b.duplicate_keys += notes.duplicate_keys;
	add_notes(&s->notes, &notes);
}

} // namespace

void ag_json_parser_free(ag_json_parser *p)
{
	delete p;
}

void ag_scan_json_doc(ag_scan *s, size_t at, size_t n, uint32_t line)
{
	ag_builder *b = &s->b;
	const char *why = nullptr;

	if (!s->json) {
		s->json = new (std::nothrow) ag_json_parser();
		if (!s->json)
			ag_oom();
	}
	simdjson::dom::parser &dom = s->json->dom;
	if (dom.capacity() < n && dom.allocate(n < FIRST_CAPACITY ? FIRST_CAPACITY : n + n / 2))
		ag_oom();
	ag_arena_reset(s->scratch);
	if (dom.parse((const uint8_t *)s->p + at, n, false).error()) {
		exact(s, at, n, line);
		return;
	}
	walker w = walker();
	w.b = b;
	w.tape = dom.doc.tape.get();
	w.strings = dom.doc.string_buf.get();
	w.scratch = s->scratch;
	if (w.tape[1] >> 56 != '{') {
		ag_scan_issue_add(s, line, at, "not an object");
		return;
	}
	ag_build_doc(b, s->at + at, line);
	w.object(1, b->root, b->chunk->ndoc, 1);
	if (ag_build_doc_end(b, &why))
		add_notes(&s->notes, &w.notes);
	else
		ag_scan_issue_add(s, line, at, "%s", why);
}
