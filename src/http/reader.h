/* reader -- one HTTP/1.1 request while its bytes arrive: the head, then the pieces of a chunked body.
 *
 * llhttp (compiled strict) judges the grammar. It accepts more than a server should: folded lines, two Transfer-Encoding
 * lines, HTTP/0.9, a missing Host and others. So this reader cuts the head into lines itself, checks each, and refuses the
 * request when the two readings differ. Whatever two programs could read differently is refused: nothing is repaired.
 * Fuzzed by tests/fuzz/fuzz_http_reader.c; tests/cases/http/smuggling.cases lists what is refused and why. */
#ifndef AG_HTTP_READER_H
#define AG_HTTP_READER_H

#include <llhttp.h>

#include "base/str.h"

#define AG_HTTP_MAX_FIELDS 64u          /* headers of a request */
#define AG_HTTP_MAX_HEAD   (16u * 1024) /* bytes of the first line and the headers */
/* Bytes between two pieces of a chunked body: line ends, a size, extensions. They carry no data, so a sender of long
 * extensions only wants to keep the server busy. */
#define AG_HTTP_MAX_CHUNK_LINE 256u

typedef enum ag_http_step {
	AG_HTTP_MORE, /* all bytes were read, more must come */
	AG_HTTP_DONE,
	AG_HTTP_BAD /* status, name and why say what is wrong; the connection cannot go on */
} ag_http_step;

typedef enum ag_http_framing {
	AG_HTTP_NO_BODY,
	AG_HTTP_LENGTH, /* `length` bytes, at least one */
	AG_HTTP_CHUNKED
} ag_http_framing;

/* Places in the head. */
typedef struct ag_http_span {
	uint16_t at, len;
} ag_http_span;

typedef struct ag_http_field {
	ag_http_span name, value; /* value without blanks around it */
} ag_http_field;

typedef struct ag_http_reader {
	llhttp_t parser;
	size_t nfed; /* bytes of the head that llhttp has read */

	/* After the head: */
	size_t nhead;
	ag_http_span method, path, query;
	ag_http_framing framing;
	uint64_t length;
	bool is_old;     /* HTTP/1.0 */
	bool keeps_open; /* the client allows another request on this connection */
	bool expects_continue;
	unsigned nfield;
	ag_http_field fields[AG_HTTP_MAX_FIELDS];

	/* While chunks are read: */
	const char *seen; /* up to here the text was checked */
	ag_buf *body;
	size_t nline; /* bytes since the last piece of data */
	bool is_behind_cr;

	/* After AG_HTTP_BAD: */
	int status;
	const char *name, *why;
} ag_http_reader;

void ag_http_reader_init(ag_http_reader *r);

/* text: the request's bytes so far, from its first on. Between calls it grows and may move, and may hold bytes of the body or
 * of the next request. DONE: the head ends at nhead. */
ag_http_step ag_http_read_head(ag_http_reader *r, ag_str text);
/* text: the next bytes after the head or after the last call. Data goes to body, whose limit must not fail silently: check
 * body->failed. DONE: the body ends after *ret_used bytes. */
ag_http_step ag_http_read_chunks(ag_http_reader *r, ag_str text, ag_buf *body, size_t *ret_used);

static inline ag_str ag_http_text(const char *head, ag_http_span s)
{
	return ag_str_make(head + s.at, s.len);
}

#endif
