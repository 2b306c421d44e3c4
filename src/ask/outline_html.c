/* outline_html -- the tokenizer. ag_html_next() gives text up to the next "<", or one tag.
 *
 * Linear on any input: whatever is searched for in vain (">" or a quote) is known to be missing from then on. */
#include "ask/outline_html.h"

/* GFM's tagfilter: GitHub writes "&lt;" for the "<" of these. */
static const char *const shown_tags[] = {
	"title", "textarea", "style", "xmp", "iframe", "noembed", "noframes", "script", "plaintext",
};

void ag_html_feed(ag_html_scan *s, ag_str raw)
{
	*s = (ag_html_scan){ .raw = raw, .is_comment = s->is_comment };
}

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_blank(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

/* Index of `c` from `at` on, or -1; *none remembers that there is none. */
static ptrdiff_t find(ag_str raw, size_t at, char c, bool *none)
{
	const char *p = NULL;

	if (!*none && at < raw.len)
		p = memchr(raw.ptr + at, c, raw.len - at);
	if (!p) {
		*none = true;
		return -1;
	}
	return p - raw.ptr;
}

/* Behind the value that begins at `at`; its text in *ret. */
static size_t take_value(ag_html_scan *s, size_t at, size_t gt, ag_str *ret)
{
	size_t from = at;
	char quote = at < s->raw.len ? s->raw.ptr[at] : 0;

	if (quote == '"' || quote == '\'') {
		ptrdiff_t end = find(s->raw, at + 1, quote,
		                     quote == '"' ? &s->no_quote : &s->no_apostrophe);

		if (end >= 0) {
			*ret = ag_str_make(s->raw.ptr + at + 1, (size_t)end - at - 1);
			return (size_t)end + 1;
		}
	}
	while (at < gt && !is_blank(s->raw.ptr[at]))
		at++;
	*ret = ag_str_make(s->raw.ptr + from, at - from);
	return at;
}

/* Attributes from `at` on, up to the ">" that ends the tag; behind it, or 0 when there is none. */
static size_t take_attributes(ag_html_scan *s, size_t at, bool is_a, ag_str *id)
{
	ptrdiff_t gt = -1;

	for (;;) {
		ag_str name, value = AG_S("");
		size_t from;

		if (gt < (ptrdiff_t)at) /* a quoted value may hold the one that was next */
			gt = find(s->raw, at, '>', &s->no_gt);
		if (gt < 0)
			return 0;
		while (is_blank(s->raw.ptr[at]) || s->raw.ptr[at] == '/')
			at++;
		if (s->raw.ptr[at] == '>')
			return at + 1;
		from = at++; /* a name has one character at least, even "=" */
		while (!is_blank(s->raw.ptr[at]) && !strchr("=>/", s->raw.ptr[at]))
			at++;
		name = ag_str_make(s->raw.ptr + from, at - from);
		while (is_blank(s->raw.ptr[at]))
			at++;
		if (s->raw.ptr[at] == '=') {
			at++;
			while (is_blank(s->raw.ptr[at]))
				at++;
			at = take_value(s, at, (size_t)gt, &value);
		}
		if (ag_str_ieq(name, AG_S("id")) || (is_a && ag_str_ieq(name, AG_S("name"))))
			*id = value;
	}
}

static bool is_shown_tag(ag_str name)
{
	for (size_t i = 0; i < AG_NELEM(shown_tags); i++)
		if (ag_str_ieq(name, ag_str_c(shown_tags[i])))
			return true;
	return false;
}

/* The tag at s->pos; false: it is none. */
static bool take_tag(ag_html_scan *s, ag_html_piece *ret)
{
	const char *p = s->raw.ptr;
	size_t at = s->pos + 1, from, end;
	ag_html_piece tag = { .is_tag = true };
	ag_str name;

	if (at < s->raw.len && p[at] == '/') {
		tag.is_end = true;
		at++;
	}
	for (from = at;
	     at < s->raw.len && (is_letter(p[at]) || (at > from && p[at] >= '0' && p[at] <= '9'));)
		at++;
	if (at == from)
		return false;
	name = ag_str_make(p + from, at - from);
	end = take_attributes(s, at, ag_str_ieq(name, AG_S("a")), &tag.id);
	if (!end)
		return false;
	if (name.len == 2 && (name.ptr[0] | 0x20) == 'h' && name.ptr[1] >= '1' &&
	    name.ptr[1] <= '6')
		tag.level = (unsigned)(name.ptr[1] - '0');
	tag.is_shown = is_shown_tag(name);
	if (tag.is_end)
		tag.id = AG_S("");
	tag.text = ag_str_make(p + s->pos, end - s->pos);
	s->pos = end;
	*ret = tag;
	return true;
}

/* Skip what is in a comment; false when it does not end here. */
static bool skip_comment(ag_html_scan *s)
{
	const char *end = NULL;

	if (!s->no_end)
		end = memmem(s->raw.ptr + s->pos, s->raw.len - s->pos, "-->", 3);
	s->is_comment = !end;
	s->no_end = !end;
	s->pos = end ? (size_t)(end - s->raw.ptr) + 3 : s->raw.len;
	return end;
}

/* <!-- …, <!DOCTYPE …>, <?…>, behind which text goes on; false: none of them. */
static bool skip_declaration(ag_html_scan *s)
{
	ag_str rest = ag_str_make(s->raw.ptr + s->pos, s->raw.len - s->pos);
	ptrdiff_t gt;

	if (ag_str_starts(rest, AG_S("<!--"))) {
		s->pos += 4;
		/* <!--> and <!---> are whole comments. */
		if (ag_str_starts(rest, AG_S("<!-->")))
			s->pos += 1;
		else if (ag_str_starts(rest, AG_S("<!--->")))
			s->pos += 2;
		else
			skip_comment(s);
		return true;
	}
	if (!ag_str_starts(rest, AG_S("<!")) && !ag_str_starts(rest, AG_S("<?")))
		return false;
	gt = find(s->raw, s->pos, '>', &s->no_gt);
	if (gt < 0)
		return false;
	s->pos = (size_t)gt + 1;
	return true;
}

bool ag_html_next(ag_html_scan *s, ag_html_piece *ret)
{
	size_t from;

	if (s->is_comment && s->pos < s->raw.len)
		skip_comment(s);
	while (s->pos < s->raw.len && s->raw.ptr[s->pos] == '<') {
		if (take_tag(s, ret))
			return true;
		if (!skip_declaration(s))
			break;
	}
	if (s->pos >= s->raw.len)
		return false;
	from = s->pos++; /* at least one byte, so that a "<" that opens nothing is text */
	while (s->pos < s->raw.len && s->raw.ptr[s->pos] != '<')
		s->pos++;
	*ret = (ag_html_piece){ .text = ag_str_make(s->raw.ptr + from, s->pos - from) };
	return true;
}
