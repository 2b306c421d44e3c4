/* The reader of plain requests (lane_read.h): POST PATH HTTP/1.1, headers without folding, Content-Length. */
#include "http/lane_read.h"

#include "base/word.h"

#define METHOD  AG_S("POST ")
#define VERSION AG_S(" HTTP/1.1")

/* RFC 9110, section 5.6.2: what a name may consist of. */
static bool is_token(unsigned char c)
{
	static const char others[] = "!#$%&'*+-.^_`|~";

	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       (c && memchr(others, c, sizeof(others) - 1));
}

/* Marks control characters, a tab among them, and what is not ASCII. */
static uint64_t marks(uint64_t x)
{
	return (x | (x - AG_WORD_ONES * ' ') | (x + AG_WORD_ONES)) & AG_WORD_HIGHS;
}

/* A line without its CRLF; false: there is none, or it has a control character in it, or what is not ASCII. */
static bool take_line(ag_str *text, ag_str *ret)
{
	size_t i = 0;

	for (;;) {
		char c;

		while (i + 8 <= text->len && !marks(ag_word_at(text->ptr + i)))
			i += 8;
		while (i < text->len && text->ptr[i] >= ' ' && text->ptr[i] < 0x7f)
			i++;
		if (i == text->len)
			return false;
		c = text->ptr[i];
		if (c == '\r')
			break;
		if (c != '\t')
			return false;
		i++;
	}
	if (i + 1 == text->len || text->ptr[i + 1] != '\n')
		return false;
	*ret = ag_str_make(text->ptr, i);
	*text = ag_str_make(text->ptr + i + 2, text->len - i - 2);
	return true;
}

static bool read_first_line(ag_str line, ag_lane_request *ret)
{
	ag_str target;

	if (line.len <= METHOD.len + VERSION.len || !ag_str_starts(line, METHOD) ||
	    !ag_str_ends(line, VERSION))
		return false;
	target = ag_str_make(line.ptr + METHOD.len, line.len - METHOD.len - VERSION.len);
	if (target.ptr[0] != '/')
		return false;
	for (size_t i = 0; i < target.len; i++)
		if (target.ptr[i] <= ' ' || target.ptr[i] == '#')
			return false;
	ret->query = target;
	ret->path = ag_str_split(&ret->query, '?');
	if (!ret->query.ptr)
		ret->query = AG_S("");
	return true;
}

static bool read_header(ag_str line, ag_httpd_header *ret)
{
	size_t n = 0;

	while (n < line.len && is_token((unsigned char)line.ptr[n]))
		n++;
	if (n == 0 || n == line.len || line.ptr[n] != ':')
		return false;
	/* HTTP allows blanks at the end of a line, libmicrohttpd not behind each value. */
	if (line.ptr[line.len - 1] == ' ' || line.ptr[line.len - 1] == '\t')
		return false;
	ret->name = ag_str_make(line.ptr, n);
	ret->value = ag_str_trim(ag_str_make(line.ptr + n + 1, line.len - n - 1));
	return true;
}

/* Digits only: no sign, no list. */
static bool read_length(ag_str text, size_t *ret)
{
	size_t n = 0;

	if (text.len == 0 || text.len > 7)
		return false;
	for (size_t i = 0; i < text.len; i++) {
		if (text.ptr[i] < '0' || text.ptr[i] > '9')
			return false;
		n = n * 10 + (size_t)(text.ptr[i] - '0');
	}
	*ret = n;
	return n <= AG_LANE_BODY;
}

/* What says how the message is to be read; each at most once. */
typedef struct framing {
	bool has_host, has_length;
	size_t length;
} framing;

static bool is_plain(const ag_httpd_header *h, framing *f)
{
	static const ag_str others[] = { AG_S_INIT("transfer-encoding"), AG_S_INIT("expect"),
		                         AG_S_INIT("upgrade"), AG_S_INIT("trailer"),
		                         AG_S_INIT("te") };

	switch (h->name.ptr[0] | 0x20) {
	case 'c':
		if (ag_str_ieq(h->name, AG_S("connection")))
			return ag_str_ieq(h->value, AG_S("keep-alive"));
		if (!ag_str_ieq(h->name, AG_S("content-length")))
			return true;
		if (f->has_length)
			return false;
		f->has_length = true;
		return read_length(h->value, &f->length);
	case 'h':
		if (!ag_str_ieq(h->name, AG_S("host")))
			return true;
		if (f->has_host)
			return false;
		f->has_host = true;
		return true;
	case 'e':
	case 't':
	case 'u':
		for (size_t i = 0; i < AG_NELEM(others); i++)
			if (ag_str_ieq(h->name, others[i]))
				return false;
		return true;
	default: return true;
	}
}

ag_lane_kind ag_lane_read(ag_str text, ag_lane_request *ret,
                          ag_httpd_header headers[AG_LANE_HEADERS])
{
	ag_str head = ag_str_make(text.ptr, text.len < AG_LANE_HEAD ? text.len : AG_LANE_HEAD);
	framing f = { 0 };
	ag_str line;
	size_t nhead;

	ret->nheader = 0;
	if (!take_line(&head, &line) || !read_first_line(line, ret))
		return AG_LANE_OTHER;
	for (;;) {
		ag_httpd_header h;

		if (!take_line(&head, &line))
			return AG_LANE_OTHER;
		if (line.len == 0)
			break;
		if (ret->nheader == AG_LANE_HEADERS || !read_header(line, &h) || !is_plain(&h, &f))
			return AG_LANE_OTHER;
		headers[ret->nheader++] = h;
	}
	if (!f.has_host || !f.has_length)
		return AG_LANE_OTHER;
	nhead = (size_t)(head.ptr - text.ptr);
	ret->size = nhead + f.length;
	ret->nbody = f.length;
	if (text.len < ret->size)
		return AG_LANE_PART;
	ret->body = ag_str_make(text.ptr + nhead, f.length);
	return AG_LANE_PLAIN;
}
