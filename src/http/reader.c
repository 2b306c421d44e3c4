/* The reader of requests (reader.h). First llhttp's part, then the lines of the head, then what they mean. */
#include "http/reader.h"

#include "base/word.h"

#define VERSION    AG_S(" HTTP/1.")
#define MAX_DIGITS 18 /* of a Content-Length: below 2^63 */

static ag_http_step bad(ag_http_reader *r, int status, const char *name, const char *why)
{
	r->status = status;
	r->name = name;
	r->why = why;
	return AG_HTTP_BAD;
}

static ag_http_step malformed(ag_http_reader *r, const char *why)
{
	return bad(r, 400, "malformed", why);
}

/* --- llhttp --- */

static int pause_parser(llhttp_t *p)
{
	(void)p;
	return HPE_PAUSED;
}

static const llhttp_settings_t head_settings = { .on_headers_complete = pause_parser };

void ag_http_reader_init(ag_http_reader *r)
{
	r->nfed = r->nhead = 0;
	r->nfield = 0;
	r->status = 0;
	llhttp_init(&r->parser, HTTP_REQUEST, &head_settings);
}

/* llhttp stops inside a method that it does not know, so the word may be longer than what it read. */
static bool begins_with_method(ag_str text)
{
	size_t n = 0;

	while (n < text.len && text.ptr[n] >= 'A' && text.ptr[n] <= 'Z')
		n++;
	return n > 0 && (n == text.len || text.ptr[n] == ' ');
}

static ag_http_step refuse_grammar(ag_http_reader *r, llhttp_errno_t rc, ag_str text)
{
	switch ((int)rc) {
	case HPE_INVALID_METHOD:
		if (begins_with_method(text))
			return bad(r, 501, "not_implemented",
			           "this server does not know the method");
		break;
	case HPE_INVALID_VERSION:
	case HPE_PAUSED_H2_UPGRADE:
		return bad(r, 505, "version_not_supported",
		           "this server speaks HTTP/1.1 and HTTP/1.0");
	default: break;
	}
	return malformed(r, "the request is not well-formed HTTP");
}

static ag_http_step refuse_size(ag_http_reader *r, ag_str text)
{
	if (!memmem(text.ptr, AG_HTTP_MAX_HEAD, "\r\n", 2))
		return bad(r, 414, "uri_too_long", "a request line may have 16,384 bytes");
	return bad(r, 431, "headers_too_large", "the headers of a request may have 16,384 bytes");
}

/* --- lines --- */

/* RFC 9110, section 5.6.2: characters of a method or of a header's name. */
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

/* A line without its CRLF. False: it has a control character other than a tab, or a byte that is not ASCII. */
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

static ag_http_span span_of(ag_str head, ag_str part)
{
	return (ag_http_span){ (uint16_t)(part.ptr - head.ptr), (uint16_t)part.len };
}

/* METHOD SP target SP HTTP/1.x, with one blank at each place. */
static ag_http_step cut_request_line(ag_http_reader *r, ag_str head, ag_str line,
                                     ag_str *ret_target)
{
	ag_str rest = line, method = ag_str_split(&rest, ' '), version;
	ptrdiff_t blank = rest.ptr ? ag_str_find(rest, ' ') : -1;

	for (size_t i = 0; i < method.len; i++)
		if (!is_token((unsigned char)method.ptr[i]))
			return malformed(r, "the request line has no method");
	if (method.len == 0 || blank <= 0)
		return malformed(r, "want METHOD TARGET HTTP/1.1 in the request line");
	*ret_target = ag_str_make(rest.ptr, (size_t)blank);
	version = ag_str_make(rest.ptr + blank, rest.len - (size_t)blank);
	if (version.len != VERSION.len + 1 || memcmp(version.ptr, " HTTP/", 6) != 0)
		return malformed(r, "want METHOD TARGET HTTP/1.1 in the request line");
	if (!ag_str_starts(version, VERSION) ||
	    (version.ptr[VERSION.len] != '0' && version.ptr[VERSION.len] != '1'))
		return bad(r, 505, "version_not_supported",
		           "this server speaks HTTP/1.1 and HTTP/1.0");
	r->is_old = version.ptr[VERSION.len] == '0';
	r->method = span_of(head, method);
	return AG_HTTP_DONE;
}

static bool cut_field(ag_str head, ag_str line, ag_http_field *ret)
{
	size_t n = 0;

	while (n < line.len && is_token((unsigned char)line.ptr[n]))
		n++;
	if (n == 0 || n == line.len || line.ptr[n] != ':')
		return false;
	ret->name = span_of(head, ag_str_make(line.ptr, n));
	ret->value = span_of(head, ag_str_trim(ag_str_make(line.ptr + n + 1, line.len - n - 1)));
	return true;
}

/* --- what the lines mean --- */

/* What says how the message is to be read. */
typedef struct meaning {
	unsigned nhost, nlength, ncoding, nexpect;
	ag_str host, length, coding, expect;
	bool says_close, says_keep;
} meaning;

static void read_connection(ag_str value, meaning *m)
{
	while (value.ptr) {
		ag_str word = ag_str_trim(ag_str_split(&value, ','));

		m->says_close |= ag_str_ieq(word, AG_S("close"));
		m->says_keep |= ag_str_ieq(word, AG_S("keep-alive"));
	}
}

static void note(ag_str name, ag_str value, meaning *m)
{
	switch (name.ptr[0] | 0x20) {
	case 'c':
		if (ag_str_ieq(name, AG_S("connection"))) {
			read_connection(value, m);
		} else if (ag_str_ieq(name, AG_S("content-length"))) {
			m->nlength++;
			m->length = value;
		}
		break;
	case 'e':
		if (ag_str_ieq(name, AG_S("expect"))) {
			m->nexpect++;
			m->expect = value;
		}
		break;
	case 'h':
		if (ag_str_ieq(name, AG_S("host"))) {
			m->nhost++;
			m->host = value;
		}
		break;
	case 't':
		if (ag_str_ieq(name, AG_S("transfer-encoding"))) {
			m->ncoding++;
			m->coding = value;
		}
		break;
	default: break;
	}
}

/* Digits only: no sign, no list. */
static bool read_length(ag_str text, uint64_t *ret)
{
	uint64_t n = 0;

	if (text.len == 0 || text.len > MAX_DIGITS)
		return false;
	for (size_t i = 0; i < text.len; i++) {
		if (text.ptr[i] < '0' || text.ptr[i] > '9')
			return false;
		n = n * 10 + (uint64_t)(text.ptr[i] - '0');
	}
	*ret = n;
	return true;
}

static ag_http_step read_framing(ag_http_reader *r, const meaning *m, ag_str method)
{
	r->framing = AG_HTTP_NO_BODY;
	r->length = 0;
	if (m->nlength > 1)
		return malformed(r, "more than one Content-Length");
	if (m->ncoding > 1)
		return malformed(r, "more than one Transfer-Encoding");
	if (m->nlength && m->ncoding)
		return malformed(r, "both Content-Length and Transfer-Encoding");
	if (m->ncoding) {
		if (r->is_old)
			return malformed(r, "HTTP/1.0 has no Transfer-Encoding");
		if (!ag_str_ieq(m->coding, AG_S("chunked")))
			return bad(r, 501, "not_implemented",
			           "the only Transfer-Encoding of this server is chunked");
		r->framing = AG_HTTP_CHUNKED;
	} else if (m->nlength) {
		if (!read_length(m->length, &r->length))
			return malformed(r, "Content-Length is not a number");
		if (r->length)
			r->framing = AG_HTTP_LENGTH;
	}
	/* A body that some programs do not read is the next request to others. */
	if (r->framing != AG_HTTP_NO_BODY &&
	    (ag_str_eq(method, AG_S("GET")) || ag_str_eq(method, AG_S("HEAD"))))
		return malformed(r, "GET and HEAD have no body here");
	/* llhttp must have understood the same. */
	if (((r->parser.flags & F_CHUNKED) != 0) != (r->framing == AG_HTTP_CHUNKED) ||
	    r->parser.content_length != r->length)
		return malformed(r, "the length of the body is ambiguous");
	return AG_HTTP_DONE;
}

/* http://host/path: the authority must be that of Host, without a user. */
static bool cut_absolute(ag_str *target, ag_str host)
{
	size_t skip = ag_str_starts(*target, AG_S("http://"))    ? 7
	              : ag_str_starts(*target, AG_S("https://")) ? 8
	                                                         : 0;
	ag_str authority = ag_str_make(target->ptr + skip, target->len - skip);
	ptrdiff_t slash = ag_str_find(authority, '/');

	if (skip == 0 || slash < 0)
		return false;
	*target = ag_str_make(authority.ptr + slash, authority.len - (size_t)slash);
	authority.len = (size_t)slash;
	return ag_str_ieq(authority, host);
}

static ag_http_step read_target(ag_http_reader *r, ag_str head, ag_str target, ag_str host,
                                ag_str method)
{
	ag_str query = { "", 0 };
	ptrdiff_t mark;

	if (ag_str_eq(method, AG_S("CONNECT")))
		return bad(r, 501, "not_implemented", "this server is not a proxy");
	for (size_t i = 0; i < target.len; i++)
		if (target.ptr[i] <= ' ' || target.ptr[i] == '#')
			return malformed(r, "the target has a character that must be escaped");
	if (target.ptr[0] != '/' && !cut_absolute(&target, host) &&
	    !(ag_str_eq(target, AG_S("*")) && ag_str_eq(method, AG_S("OPTIONS"))))
		return malformed(r, "the target of a request begins with /");
	mark = ag_str_find(target, '?');
	if (mark >= 0) {
		query = ag_str_make(target.ptr + mark + 1, target.len - (size_t)mark - 1);
		target.len = (size_t)mark;
	}
	r->path = span_of(head, target);
	r->query = query.len ? span_of(head, query) : (ag_http_span){ 0 };
	return AG_HTTP_DONE;
}

static ag_http_step read_meaning(ag_http_reader *r, const meaning *m)
{
	if (m->nhost > 1)
		return malformed(r, "more than one Host");
	if ((m->nhost == 0 && !r->is_old) || (m->nhost && m->host.len == 0))
		return malformed(r, "no Host");
	if (m->nexpect > 1 || (m->nexpect && !ag_str_ieq(m->expect, AG_S("100-continue"))))
		return bad(r, 417, "expectation_failed",
		           "the only Expect of this server is 100-continue");
	r->expects_continue = m->nexpect && !r->is_old;
	r->keeps_open = !m->says_close && (!r->is_old || m->says_keep);
	return AG_HTTP_DONE;
}

static ag_http_step read_lines(ag_http_reader *r, ag_str head)
{
	ag_str text = head, line, target, method;
	meaning m = { 0 };
	ag_http_step step;

	if (!take_line(&text, &line))
		return malformed(r, "the request line has a character that it must not have");
	step = cut_request_line(r, head, line, &target);
	if (step != AG_HTTP_DONE)
		return step;
	for (;;) {
		ag_http_field *f = &r->fields[r->nfield];

		if (!take_line(&text, &line))
			return malformed(r, "a header has a character that it must not have");
		if (line.len == 0)
			break;
		if (r->nfield == AG_HTTP_MAX_FIELDS)
			return bad(r, 431, "too_many_headers", "a request may have 64 headers");
		if (!cut_field(head, line, f))
			return malformed(r, "a header is not NAME: VALUE on one line");
		note(ag_http_text(head.ptr, f->name), ag_http_text(head.ptr, f->value), &m);
		r->nfield++;
	}
	if (text.len) /* llhttp saw the end of the head elsewhere */
		return malformed(r, "the end of the headers is ambiguous");
	method = ag_http_text(head.ptr, r->method);
	step = read_meaning(r, &m);
	if (step == AG_HTTP_DONE)
		step = read_framing(r, &m, method);
	if (step == AG_HTTP_DONE)
		step = read_target(r, head, target, m.host, method);
	return step;
}

ag_http_step ag_http_read_head(ag_http_reader *r, ag_str text)
{
	const size_t n = text.len < AG_HTTP_MAX_HEAD ? text.len : AG_HTTP_MAX_HEAD;
	llhttp_errno_t rc;

	if (n == r->nfed)
		return AG_HTTP_MORE;
	if (text.ptr[0] < 'A' || text.ptr[0] > 'Z') /* llhttp would skip empty lines without end */
		return malformed(r, "a request begins with its method");
	rc = llhttp_execute(&r->parser, text.ptr + r->nfed, n - r->nfed);
	if (rc == HPE_OK) {
		r->nfed = n;
		return n == AG_HTTP_MAX_HEAD ? refuse_size(r, text) : AG_HTTP_MORE;
	}
	if (rc != HPE_PAUSED)
		return refuse_grammar(r, rc, ag_str_make(text.ptr, n));
	r->nhead = (size_t)(llhttp_get_error_pos(&r->parser) - text.ptr);
	return read_lines(r, ag_str_make(text.ptr, r->nhead));
}

/* --- chunks --- */

/* The bytes that are not data: hexadecimal digits, extensions, CRLF. llhttp would let pass long extensions. */
static bool check_chunk_line(ag_http_reader *r, const char *end)
{
	for (; r->seen < end; r->seen++) {
		const char c = *r->seen;

		if (++r->nline > AG_HTTP_MAX_CHUNK_LINE || r->is_behind_cr != (c == '\n') ||
		    (c != '\r' && c != '\n' && (c <= ' ' || c >= 0x7f)))
			return false;
		r->is_behind_cr = c == '\r';
	}
	return true;
}

static int take_data(llhttp_t *p, const char *at, size_t n)
{
	ag_http_reader *r = (ag_http_reader *)p->data;

	if (!check_chunk_line(r, at))
		return -1;
	ag_buf_add(r->body, ag_str_make(at, n));
	r->seen = at + n;
	r->nline = 0;
	return 0;
}

/* A field after the last chunk could say anything about a request that was admitted already. */
static int refuse_trailer(llhttp_t *p, const char *at, size_t n)
{
	(void)p;
	(void)at;
	(void)n;
	return -1;
}

static const llhttp_settings_t chunk_settings = { .on_body = take_data,
	                                          .on_header_field = refuse_trailer,
	                                          .on_message_complete = pause_parser };

ag_http_step ag_http_read_chunks(ag_http_reader *r, ag_str text, ag_buf *body, size_t *ret_used)
{
	llhttp_errno_t rc;
	const char *end = text.ptr + text.len;

	if (r->parser.settings != &chunk_settings) {
		r->parser.settings = (void *)(uintptr_t)&chunk_settings;
		r->parser.upgrade = 0; /* a request to change the protocol is not followed */
		r->nline = 0;
		r->is_behind_cr = false;
		llhttp_resume(&r->parser);
	}
	r->parser.data = r;
	r->body = body;
	r->seen = text.ptr;
	rc = llhttp_execute(&r->parser, text.ptr, text.len);
	if (rc == HPE_PAUSED)
		end = llhttp_get_error_pos(&r->parser);
	else if (rc != HPE_OK)
		return malformed(r, "the body is not well-formed chunks");
	if (!check_chunk_line(r, end))
		return malformed(r, "the body is not well-formed chunks");
	*ret_used = (size_t)(end - text.ptr);
	return rc == HPE_PAUSED ? AG_HTTP_DONE : AG_HTTP_MORE;
}
