/* json_text -- finding JSON objects in what models write.
 *
 * Models put words around an object, fence it, think before it. So: skip what is thinking, look into fences first (a
 * fence begins a line, and no valid JSON string holds a line break, so a fence is never inside of an object), then
 * anywhere. A candidate begins like an object, its braces balance outside of strings, and the exact reader accepts it;
 * nothing is repaired, because a guess at what the model meant would be believed as what it said.
 *
 * An object that never ends was cut, and its inner objects are not the answer: the search ends there. So each byte is
 * looked at a fixed number of times, whatever the text. Read from the end upwards. */
#include "llm/json_text.h"

#include "llm/wire.h"
#include "query/extjson.h"

static bool is_space(char c)
{
	return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

static size_t skip_space(ag_str s, size_t i)
{
	while (i < s.len && is_space(s.ptr[i]))
		i++;
	return i;
}

static ag_str from(ag_str s, size_t i)
{
	return ag_str_make(s.ptr + i, s.len - i);
}

size_t ag_json_scan_feed(ag_json_scan *s, ag_str text)
{
	for (size_t i = 0; i < text.len; i++) {
		char c = text.ptr[i];

		if (s->done || s->other)
			return i;
		if (s->in_string) {
			if (s->escaped)
				s->escaped = false;
			else if (c == '\\')
				s->escaped = true;
			else if (c == '"')
				s->in_string = false;
		} else if (!s->started) {
			s->started = !is_space(c);
			s->other = s->started && c != '{';
			s->depth = c == '{';
		} else if (c == '"') {
			s->in_string = true;
		} else if (c == '{' || c == '[') {
			s->depth++;
		} else if (c == '}' || c == ']') {
			s->done = --s->depth == 0;
		}
	}
	return text.len;
}

/* End of the value that begins at i. */
static size_t value_end(ag_str s, size_t i)
{
	unsigned depth = 0;
	bool in_string = false;

	for (; i < s.len; i++) {
		char c = s.ptr[i];

		if (in_string) {
			if (c == '\\')
				i++;
			else if (c == '"')
				in_string = false;
		} else if (c == '"') {
			in_string = true;
		} else if (c == '{' || c == '[') {
			depth++;
		} else if (c == '}' || c == ']') {
			if (depth == 0)
				break;
			depth--;
		} else if (c == ',' && depth == 0) {
			break;
		}
	}
	return i < s.len ? i : s.len;
}

static ag_str value_at(ag_str s, size_t i, size_t *end)
{
	*end = value_end(s, i);
	return ag_str_trim(ag_str_make(s.ptr + i, *end - i));
}

bool ag_json_next_member(ag_str object, size_t *pos, ag_str *key, ag_str *value)
{
	size_t i = skip_space(object, *pos), end;

	if (i >= object.len || object.ptr[i] != (*pos ? ',' : '{'))
		return false;
	i = skip_space(object, i + 1);
	if (i >= object.len || object.ptr[i] != '"')
		return false;
	for (end = i + 1; end < object.len && object.ptr[end] != '"';)
		end += object.ptr[end] == '\\' ? 2 : 1;
	if (end >= object.len)
		return false;
	*key = ag_str_make(object.ptr + i, end + 1 - i);
	i = skip_space(object, end + 1);
	if (i >= object.len || object.ptr[i] != ':')
		return false;
	*value = value_at(object, skip_space(object, i + 1), pos);
	return true;
}

ag_str ag_json_raw_member(ag_str object, const char *key)
{
	const size_t n = strlen(key);
	ag_str k, value;
	size_t pos = 0;

	while (ag_json_next_member(object, &pos, &k, &value))
		if (k.len == n + 2 && !memcmp(k.ptr + 1, key, n))
			return value;
	return AG_S("");
}

ag_str ag_json_raw_next(ag_str array, size_t *pos)
{
	size_t i = *pos, end;
	ag_str value;

	if (i == 0) {
		i = skip_space(array, 0);
		if (i >= array.len || array.ptr[i] != '[')
			return AG_S("");
		i++;
	} else if (i >= array.len || array.ptr[i] != ',') {
		return AG_S("");
	} else {
		i++;
	}
	value = value_at(array, skip_space(array, i), &end);
	*pos = end;
	return value;
}

bool ag_json_is_object(ag_str text, ag_arena *scratch)
{
	const ag_extjson_opts plain = { .max_values = AG_WIRE_MAX_VALUES };
	ag_extjson_notes notes = { 0 };
	ag_val v = ag_val_missing();

	return !ag_extjson_parse(text, &plain, scratch, &v, NULL, &notes, NULL) &&
	       v.type == AG_T_OBJECT && notes.lone_surrogates == 0;
}

static bool is_json(ag_str text)
{
	const ag_extjson_opts plain = { .max_values = AG_WIRE_MAX_VALUES };
	ag_arena *arena = ag_arena_new();
	ag_val v = ag_val_missing();
	bool ok = !ag_extjson_parse(text, &plain, arena, &v, NULL, NULL, NULL);

	ag_arena_free(arena);
	return ok;
}

/* "{" and then a key or the end: what is written like an object. `{x}` of prose and the outer brace of `{{"a":1}}`
 * are none. */
static bool looks_like_object(ag_str s, size_t i)
{
	i = skip_space(s, i + 1);
	return i < s.len && (s.ptr[i] == '"' || s.ptr[i] == '}');
}

static ag_str first_object(ag_str s)
{
	for (size_t i = 0; i < s.len; i++) {
		ag_json_scan scan = { 0 };
		ag_str found;

		if (s.ptr[i] != '{' || !looks_like_object(s, i))
			continue;
		found = ag_str_make(s.ptr + i, ag_json_scan_feed(&scan, from(s, i)));
		if (!scan.done)
			break;
		if (is_json(found))
			return found;
		/* Meant as an object but broken: its inner objects are not the answer. */
		i += found.len - 1;
	}
	return AG_S("");
}

/* The text of the first fence from *pos on; *pos moves behind it. A fence that never ends goes to the end. */
static bool next_fence(ag_str s, size_t *pos, ag_str *ret)
{
	bool inside = false;
	size_t begin = 0;

	while (*pos < s.len) {
		ag_str rest = from(s, *pos), line = ag_str_split(&rest, '\n');
		size_t next = *pos + line.len + 1;

		if (ag_str_starts(ag_str_trim(line), AG_S("```"))) {
			if (inside) {
				*ret = ag_str_make(s.ptr + begin, *pos - begin);
				*pos = next;
				return true;
			}
			inside = true;
			begin = next < s.len ? next : s.len;
		}
		*pos = next;
	}
	*pos = s.len;
	*ret = from(s, begin);
	return inside;
}

static ag_str in_fences(ag_str s)
{
	size_t pos = 0;
	ag_str inner;

	while (next_fence(s, &pos, &inner)) {
		ag_str found = first_object(inner);

		if (found.len)
			return found;
	}
	return AG_S("");
}

/* Behind the last tag that ends thinking, when thinking is what the text begins with. Some templates open the tag
 * in the prompt, so that only its end is written. */
static ag_str behind_thinking(ag_str s)
{
	static const char *const ends[] = { "</think>", "</thinking>", "</thought>" };

	s = ag_str_trim(s);
	for (size_t i = 0; i < AG_NELEM(ends) && s.len && s.ptr[0] != '{' && s.ptr[0] != '`'; i++) {
		const char *p = memmem(s.ptr, s.len, ends[i], strlen(ends[i]));

		if (p)
			return from(s, (size_t)(p - s.ptr) + strlen(ends[i]));
	}
	if (ag_str_starts(s, AG_S("<think>")) || ag_str_starts(s, AG_S("<thinking>")) ||
	    ag_str_starts(s, AG_S("<thought>")))
		return AG_S(""); /* never finished thinking */
	return s;
}

ag_str ag_json_in_text(ag_str text)
{
	ag_str s = ag_str_trim(behind_thinking(text)), found = AG_S("");

	if (s.len && s.ptr[0] != '{')
		found = in_fences(s);
	return found.len ? found : first_object(s);
}
