/* cite_source -- the model's last words taken apart: the answer, and what it says its source is.
 *
 * Models were told to end with "Source: path", and write it in any dress: **Source:** `a.md#b`, a list below "Sources:", a
 * JSON object {"answer","source"} bare, in a fence, or behind some words. A whole line of that kind leaves the answer; one
 * inside of a sentence stays, save at the very end. What stands in a fenced block is an example and not looked at.
 * Invariant: words of the answer are never lost: what leaves is what names sources, and when nothing else is left, it stays.
 *
 * Read: unwrap_json(), then split_lines() with source_head(), then take_inner(). */
#include "ask/cite_parts.h"

#include "base/utf8.h"
#include "llm/wire.h"
#include "query/extjson.h"

#define MAX_OBJECTS     8    /* that are tried as {"answer","source"} */
#define MAX_SOURCE_LINE 2000 /* bytes: a longer line is no line of sources */
#define MAX_SOURCES     (64u * 1024)

/* --- a JSON object as the final text --- */

static void add_source(ag_buf *out, const ag_val *v, unsigned depth)
{
	static const char *const homes[] = { "path", "source", "file", "url" };

	if (!v || depth > 3)
		return;
	if (v->type == AG_T_STRING) {
		ag_buf_add(out, ag_val_text(v));
		ag_buf_addc(out, '\n');
	} else if (v->type == AG_T_ARRAY) {
		for (uint32_t i = 0; i < v->n; i++)
			add_source(out, &v->u.items[i], depth + 1);
	} else if (v->type == AG_T_OBJECT) {
		ag_str anchor = ag_val_member_str(v, "anchor");

		for (size_t i = 0; i < AG_NELEM(homes); i++) {
			ag_str path = ag_val_member_str(v, homes[i]);

			if (!path.len)
				continue;
			ag_buf_add(out, path);
			if (anchor.len && ag_str_find(path, '#') < 0) {
				ag_buf_addc(out, '#');
				ag_buf_add(out, anchor.ptr[0] == '#' ? ag_str_make(anchor.ptr + 1,
				                                                   anchor.len - 1)
				                                     : anchor);
			}
			ag_buf_addc(out, '\n');
			return;
		}
	}
}

static ag_str answer_of(const ag_val *v, ag_arena *arena)
{
	if (v->type == AG_T_STRING)
		return ag_val_text(v);
	if (v->type == AG_T_NULL)
		return AG_S("");
	return ag_extjson_str(arena, v, AG_EXTJSON_RELAXED);
}

/* Nothing but the end of a fence behind it? */
static bool is_last(ag_str text, ag_str object)
{
	const char *end = object.ptr + object.len;
	ag_str rest = ag_str_trim(ag_str_make(end, (size_t)(text.ptr + text.len - end)));

	return !rest.len || ag_str_eqc(rest, "```");
}

/* {"answer":…,"source":…}; "sources" and "citations" as well. false: the text holds none. */
static bool unwrap_json(ag_str text, ag_arena *arena, ag_str *ret_answer, ag_buf *sources)
{
	static const char *const names[] = { "source", "sources", "Source", "Sources",
		                             "citations" };
	const ag_extjson_opts read = { .repair_utf8 = true, .max_depth = 64, .max_values = 100000 };

	for (int i = 0; i < MAX_OBJECTS; i++) {
		ag_str object = ag_json_in_text(text);
		const ag_val *answer;
		bool has_source = false;
		ag_val v;

		if (!object.len || ag_extjson_parse(object, &read, arena, &v, NULL, NULL, NULL))
			return false;
		answer = ag_val_getc(&v, "answer");
		if (!answer)
			answer = ag_val_getc(&v, "Answer");
		for (size_t k = 0; answer && k < AG_NELEM(names); k++) {
			const ag_val *s = ag_val_getc(&v, names[k]);

			has_source |= s != NULL;
			add_source(sources, s, 0);
		}
		if (answer && (has_source || is_last(text, object))) {
			*ret_answer = answer_of(answer, arena);
			return true;
		}
		text.len -= (size_t)(object.ptr + object.len - text.ptr);
		text.ptr = object.ptr + object.len;
	}
	return false;
}

/* --- lines of sources --- */

static bool is_one_of(char c, const char *set)
{
	return c && strchr(set, c) != NULL;
}

static bool is_dress(char c)
{
	return is_one_of(c, " \t*_`>#-+|~\r");
}

/* Length of "source", "sources", "source(s)" at the beginning, any case; 0 = none. */
static size_t source_word(ag_str s)
{
	static const char *const words[] = { "source files", "source file", "source(s)", "sources",
		                             "source" };

	for (size_t i = 0; i < AG_NELEM(words); i++) {
		size_t n = strlen(words[i]);

		if (s.len >= n && ag_str_ieq(ag_str_make(s.ptr, n), ag_str_c(words[i])))
			return n;
	}
	return 0;
}

/* "Source:" with Markdown around and within: bytes up to what it names, 0 = none. A heading needs no colon. */
static size_t source_head(ag_str s, bool is_heading)
{
	size_t n = source_word(s), i = n;
	bool has_colon = false;

	if (!n)
		return 0;
	for (; i < s.len; i++) {
		if (s.ptr[i] == ':' && !has_colon) {
			has_colon = true;
		} else if (!has_colon && s.len - i >= 3 && !memcmp(s.ptr + i, "\xEF\xBC\x9A", 3)) {
			has_colon = true; /* the wide colon of Chinese and Japanese texts */
			i += 2;
		} else if (!is_one_of(s.ptr[i], has_colon ? " \t*_" : "*_ ")) {
			break;
		}
	}
	if (has_colon)
		return i;
	return is_heading && ag_str_trim(ag_str_make(s.ptr + n, s.len - n)).len == 0 ? s.len : 0;
}

/* The line of sources: *ret is what stands behind the colon. */
static bool is_source_line(ag_str line, ag_str *ret)
{
	size_t i = 0, n;
	bool is_heading = false, is_slanted = false;

	if (line.len > MAX_SOURCE_LINE)
		return false;
	while (i < line.len && (is_dress(line.ptr[i]) || is_one_of(line.ptr[i], "(["))) {
		is_heading |= line.ptr[i] == '#';
		is_slanted |= line.ptr[i++] == '_';
	}
	line = ag_str_make(line.ptr + i, line.len - i);
	n = source_head(line, is_heading);
	if (!n)
		return false;
	*ret = ag_str_trim(ag_str_make(line.ptr + n, line.len - n));
	if (is_slanted && ret->len && ret->ptr[ret->len - 1] == '_')
		ret->len--;
	return true;
}

/* Words of the line that are no paths: many of them make it a sentence, which belongs to the answer. */
static size_t plain_words(ag_str s)
{
	size_t n = 0;

	while (s.len) {
		ag_str word = ag_str_split(&s, ' ');
		bool plain = word.len > 0;

		for (size_t i = 0; i < word.len && plain; i++)
			plain = (word.ptr[i] | 0x20) >= 'a' && (word.ptr[i] | 0x20) <= 'z';
		n += plain && word.len > 1;
	}
	return n;
}

/* "- a.md", "* a.md", "1. a.md", "`a.md`", "[a](a.md)" below "Sources:". */
static bool is_item(ag_str line)
{
	line = ag_str_trim(line);
	if (!line.len || line.len > MAX_SOURCE_LINE || plain_words(line) > 12)
		return false;
	if (is_one_of(line.ptr[0], "-*+`[<"))
		return true;
	if (line.ptr[0] >= '0' && line.ptr[0] <= '9') {
		size_t i = 0;

		while (i < line.len && line.ptr[i] >= '0' && line.ptr[i] <= '9')
			i++;
		return i < line.len && (line.ptr[i] == '.' || line.ptr[i] == ')');
	}
	/* A line of one word: a path without a mark. */
	return ag_str_find(line, ' ') < 0 &&
	       (ag_str_find(line, '.') >= 0 || ag_str_find(line, '/') >= 0);
}

static bool is_fence(ag_str line)
{
	line = ag_str_trim(line);
	return ag_str_starts(line, AG_S("```")) || ag_str_starts(line, AG_S("~~~"));
}

/* Lines of sources leave the text and go to `sources`. */
static void split_lines(ag_str text, ag_buf *kept, ag_buf *sources)
{
	bool fenced = false, listing = false, blank = false;

	while (text.ptr) {
		ag_str line = ag_str_split(&text, '\n'), what;

		if (is_fence(line))
			fenced = !fenced;
		if (listing && !fenced && is_item(line)) {
			ag_buf_add(sources, line);
			ag_buf_addc(sources, '\n');
			continue;
		}
		/* One empty line may stand between the head and its list. */
		if (listing && !blank && !ag_str_trim(line).len) {
			blank = true;
			continue;
		}
		listing = false;
		if (!fenced && is_source_line(line, &what) && plain_words(what) <= 12) {
			ag_buf_add(sources, what);
			ag_buf_addc(sources, '\n');
			listing = !what.len || ag_str_ieq(what, AG_S("**"));
			blank = false;
			continue;
		}
		/* Where lines were taken out, their empty neighbours are not left as two. */
		if (!ag_str_trim(line).len && ag_str_ends(ag_buf_view(kept), AG_S("\n\n")) &&
		    sources->len)
			continue;
		ag_buf_add(kept, line);
		if (text.ptr)
			ag_buf_addc(kept, '\n');
	}
}

/* --- inside of a sentence --- */

/* May "Source:" begin at byte i of a line: behind the end of a sentence, a bracket, a dash. Not "the data source: x". */
static bool is_start(ag_str line, size_t i)
{
	while (i && is_dress(line.ptr[i - 1]))
		i--;
	return !i || is_one_of(line.ptr[i - 1], ".!?()[];,:") || (line.ptr[i - 1] & 0x80);
}

/* Where the last "Source:" of a line begins, with brackets and dress around it; -1 = there is none. */
static ptrdiff_t find_inside(ag_str line, ag_str *ret_what)
{
	ptrdiff_t at = -1;

	for (size_t i = 0; i < line.len; i++) {
		ag_str rest = ag_str_make(line.ptr + i, line.len - i);
		size_t n = (rest.ptr[0] | 0x20) == 's' ? source_head(rest, false) : 0;

		if (!n || !is_start(line, i))
			continue;
		*ret_what = ag_str_make(rest.ptr + n, rest.len - n);
		at = (ptrdiff_t)i;
		i += n - 1;
	}
	while (at > 0 && (is_dress(line.ptr[at - 1]) || is_one_of(line.ptr[at - 1], "([")))
		at--;
	return at;
}

/* "… is protected. Source: wiki/github.md#x" and "(Source: …)". At the end of the text it leaves the answer. */
static ag_str take_inner(ag_str text, ag_buf *sources)
{
	ag_str rest = text;
	bool fenced = false;

	while (rest.ptr) {
		ag_str line = ag_str_split(&rest, '\n'), what;
		ptrdiff_t at;

		fenced ^= is_fence(line);
		if (fenced)
			continue;
		at = find_inside(line, &what);
		if (at < 0)
			continue;
		if (what.len > MAX_SOURCE_LINE)
			what.len = MAX_SOURCE_LINE;
		ag_buf_add(sources, what);
		ag_buf_addc(sources, '\n');
		if (!rest.ptr && plain_words(what) == 0)
			return ag_str_make(text.ptr, (size_t)(line.ptr + at - text.ptr));
	}
	return text;
}

ag_final_words ag_cite_split(ag_str final_text, ag_arena *arena)
{
	ag_final_words ret = { .answer = ag_str_trim(final_text) };
	ag_buf kept, sources = AG_BUF_INIT(MAX_SOURCES);
	ag_str answer;

	if (!unwrap_json(ret.answer, arena, &answer, &sources)) {
		ag_buf_clear(&sources);
		answer = ret.answer;
	}
	ret.answer = ag_str_trim(answer);
	ag_buf_init(&kept, ret.answer.len + 1);
	if (ret.answer.len)
		split_lines(ret.answer, &kept, &sources);
	answer = ag_str_trim(take_inner(ag_str_trim(ag_buf_view(&kept)), &sources));
	if (answer.len)
		ret.answer = ag_str_dup(arena, answer);
	ret.sources = ag_buf_dup(arena, &sources);
	ag_buf_release(&kept);
	ag_buf_release(&sources);
	return ret;
}
