/* framing -- a stream that lets only whole answers of MongoDB's protocol through to libmongoc.
 *
 * libmongoc 1.23 reads beyond an answer whose lengths do not agree, and ends the program for one without a body. So the first bytes
 * of each message are looked at here: its length, its opcode, that one document fills the rest, and that it answers the request that
 * was sent last. Only they are copied. */
#include "mongo/stream.h"

#include <errno.h>
#include <stdlib.h>

#include "base/str.h"

#define STREAM_TYPE 78 /* none of libmongoc's */
#define HEADER      16
#define MSG_HEAD    (HEADER + 5 + 4) /* flags, kind of the section, length of the document */
#define REPLY_HEAD \
	(HEADER + 20 + 4) /* flags, cursor, first, number of documents, length of the document */
#define COMPRESSED_HEAD (HEADER + 9) /* opcode, bytes without compression, compressor */
#define MAX_MESSAGE     (64 << 20)   /* a server sends up to 48 MB */
#define MIN_DOCUMENT    5
#define OP_REPLY        1
#define OP_COMPRESSED   2012
#define OP_MSG          2013
#define CHECKSUM        1u
#define MUST_KNOW \
	0xFFFEu /* flags: more answers follow, which nobody asked for; others have no meaning yet */

typedef struct framed {
	mongoc_stream_t base, *inner;
	ag_mongo_watch *watch;
	bool may_compress;
	bool has_request;
	int32_t request; /* id of the message that was sent last */
	unsigned char head[REPLY_HEAD];
	size_t nhead, given; /* bytes of head that are there, and that libmongoc has */
	int32_t left;        /* of the message, after the head */
} framed;

static framed *framed_of(mongoc_stream_t *s)
{
	return (framed *)(void *)s;
}

static int32_t i32_of(const unsigned char *p)
{
	return (int32_t)((uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 |
	                 (uint32_t)p[3] << 24);
}

static int32_t i32_at(const framed *f, size_t at)
{
	return i32_of(f->head + at);
}

/* Bytes of the head that have to be there, 0 = this is no answer. */
static size_t head_bytes(const framed *f)
{
	if (f->nhead < HEADER)
		return HEADER;
	switch (i32_at(f, 12)) {
	case OP_MSG: return MSG_HEAD;
	case OP_REPLY: return REPLY_HEAD;
	case OP_COMPRESSED: return f->may_compress ? COMPRESSED_HEAD : 0;
	default: return 0;
	}
}

static bool is_answer(const framed *f)
{
	const int32_t size = i32_at(f, 0);
	const uint32_t flags = (uint32_t)i32_at(f, 16);

	if (size < (int32_t)f->nhead || size > MAX_MESSAGE ||
	    (f->has_request && i32_at(f, 8) != f->request))
		return false;
	switch (i32_at(f, 12)) {
	case OP_MSG:
		return !(flags & MUST_KNOW) && !f->head[20] && i32_at(f, 21) >= MIN_DOCUMENT &&
		       i32_at(f, 21) == size - 21 - (flags & CHECKSUM ? 4 : 0);
	case OP_REPLY:
		return i32_at(f, 32) == 1 && i32_at(f, 36) >= MIN_DOCUMENT &&
		       i32_at(f, 36) == size - 36;
	default: return i32_at(f, 20) > 0 && i32_at(f, 20) <= MAX_MESSAGE;
	}
}

static ssize_t fail_garbled(framed *f)
{
	f->watch->is_garbled = true;
	errno = EPROTO;
	return -1;
}

/* The head of the next message. 1 = it is there; else what the inner stream said. */
static ssize_t read_head(framed *f, int32_t timeout_ms)
{
	size_t want = head_bytes(f);

	while (want && f->nhead < want) {
		mongoc_iovec_t iov = { .iov_base = f->head + f->nhead, .iov_len = want - f->nhead };
		/* No more than 1 byte is required: a stream that runs out of time drops what it has read of more. */
		const ssize_t k = f->inner->readv(f->inner, &iov, 1, 1, timeout_ms);

		if (k <= 0)
			return k;
		f->nhead += (size_t)k;
		if (f->nhead >= HEADER &&
		    (i32_at(f, 0) < HEADER + MIN_DOCUMENT || i32_at(f, 0) > MAX_MESSAGE))
			return fail_garbled(f);
		want = head_bytes(f);
	}
	if (!want || !is_answer(f))
		return fail_garbled(f);
	f->left = i32_at(f, 0) - (int32_t)f->nhead;
	return 1;
}

/* Up to n bytes of this message, at least one. */
static ssize_t read_some(framed *f, char *to, size_t n, int32_t timeout_ms)
{
	mongoc_iovec_t iov;
	size_t got = f->nhead - f->given;
	ssize_t k;

	if (got > n)
		got = n;
	memcpy(to, f->head + f->given, got);
	f->given += got;
	if (n > got + (size_t)f->left)
		n = got + (size_t)f->left;
	if (n > got) {
		/* What has come is taken along: TLS may hold it, and then no poll() says so. */
		iov = (mongoc_iovec_t){ .iov_base = to + got, .iov_len = n - got };
		k = f->inner->readv(f->inner, &iov, 1, 1, got ? 0 : timeout_ms);
		if (k <= 0 && !got)
			return k;
		got += k > 0 ? (size_t)k : 0;
		f->left -= k > 0 ? (int32_t)k : 0;
	}
	if (f->given == f->nhead && !f->left)
		f->nhead = f->given = 0;
	return (ssize_t)got;
}

static ssize_t framed_readv(mongoc_stream_t *s, mongoc_iovec_t *iov, size_t n, size_t min_bytes,
                            int32_t timeout_ms)
{
	framed *f = framed_of(s);
	size_t got = 0;
	ssize_t k;

	for (size_t i = 0; i < n;) {
		const bool is_new = !f->left && f->given == f->nhead;

		/* A head that was begun, with no time to wait, goes on here. */
		k = is_new || !f->given ? read_head(f, timeout_ms) : 1;
		if (k > 0)
			k = read_some(f, iov[i].iov_base, iov[i].iov_len, timeout_ms);
		if (k < 0)
			return -1;
		if (!k)
			break;
		got += (size_t)k;
		iov[i].iov_base = (char *)iov[i].iov_base + k;
		iov[i].iov_len -= (size_t)k;
		i += !iov[i].iov_len;
		if (got >= min_bytes)
			break;
	}
	return (ssize_t)got;
}

/* --- the other methods ----------------------------------------------------------------------------- */

static void framed_destroy(mongoc_stream_t *s)
{
	framed *f = framed_of(s);

	f->watch->lib->stream_destroy(f->inner);
	free(f);
}

static void framed_failed(mongoc_stream_t *s)
{
	framed *f = framed_of(s);

	if (f->inner->failed)
		f->inner->failed(f->inner);
	else
		f->watch->lib->stream_destroy(f->inner);
	free(f);
}

static int framed_close(mongoc_stream_t *s)
{
	return framed_of(s)->inner->close(framed_of(s)->inner);
}

static int framed_flush(mongoc_stream_t *s)
{
	return framed_of(s)->inner->flush(framed_of(s)->inner);
}

/* libmongoc sends a message with one call; of one that comes in parts the id is not known. */
static void note_request(framed *f, const mongoc_iovec_t *iov, size_t n)
{
	unsigned char head[8];
	size_t nhead = 0, total = 0;

	for (size_t i = 0; i < n; i++) {
		const unsigned char *p = iov[i].iov_base;

		for (size_t k = 0; k < iov[i].iov_len && nhead < sizeof(head); k++)
			head[nhead++] = p[k];
		total += iov[i].iov_len;
	}
	f->has_request = nhead == sizeof(head) && (int64_t)total == i32_of(head);
	f->request = f->has_request ? i32_of(head + 4) : 0;
}

static ssize_t framed_writev(mongoc_stream_t *s, mongoc_iovec_t *iov, size_t n, int32_t timeout_ms)
{
	note_request(framed_of(s), iov, n);
	return framed_of(s)->inner->writev(framed_of(s)->inner, iov, n, timeout_ms);
}

static int framed_setsockopt(mongoc_stream_t *s, int level, int name, void *value,
                             mongoc_socklen_t size)
{
	return framed_of(s)->inner->setsockopt(framed_of(s)->inner, level, name, value, size);
}

static mongoc_stream_t *framed_base(mongoc_stream_t *s)
{
	return framed_of(s)->inner;
}

static bool framed_check_closed(mongoc_stream_t *s)
{
	return framed_of(s)->inner->check_closed(framed_of(s)->inner);
}

static bool framed_timed_out(mongoc_stream_t *s)
{
	mongoc_stream_t *inner = framed_of(s)->inner;

	return inner->timed_out && inner->timed_out(inner);
}

static bool framed_should_retry(mongoc_stream_t *s)
{
	mongoc_stream_t *inner = framed_of(s)->inner;

	return inner->should_retry && inner->should_retry(inner);
}

mongoc_stream_t *ag_mongo_framed(ag_mongo_watch *watch, mongoc_stream_t *inner, bool may_compress)
{
	framed *f = ag_xcalloc(1, sizeof(*f));

	f->base = (mongoc_stream_t){
		.type = STREAM_TYPE,
		.destroy = framed_destroy,
		.failed = framed_failed,
		.close = framed_close,
		.flush = framed_flush,
		.writev = framed_writev,
		.readv = framed_readv,
		.setsockopt = framed_setsockopt,
		.get_base_stream = framed_base,
		.check_closed = framed_check_closed,
		.timed_out = framed_timed_out,
		.should_retry = framed_should_retry,
	};
	f->inner = inner;
	f->watch = watch;
	f->may_compress = may_compress;
	return &f->base;
}
