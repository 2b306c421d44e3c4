/* tests/cases/http/smuggling.cases against the HTTP server: each form in one piece, and byte by byte. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "http_echo.h"

#define MAX_TEXT (2u << 20)
#define HIDDEN   "GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n"
#define LAST     "GET /last HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
#define LONG_MS  10000

typedef struct form {
	char name[160];
	ag_buf text;
	unsigned want[8], nwant;
	bool stays_open;
} form;

static ag_buf file;

static int hex(char c)
{
	return c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10;
}

/* One character at the beginning of *s, or an escape. */
static char take_char(ag_str *s)
{
	char c = s->ptr[0];
	size_t n = 1;

	if (c == '\\') {
		assert_true(s->len >= 2);
		n = 2;
		switch (s->ptr[1]) {
		case 'r': c = '\r'; break;
		case 'n': c = '\n'; break;
		case 't': c = '\t'; break;
		case '0': c = '\0'; break;
		case 'x':
			assert_true(s->len >= 4);
			c = (char)(hex(s->ptr[2]) * 16 + hex(s->ptr[3]));
			n = 4;
			break;
		default: c = s->ptr[1]; break;
		}
	}
	*s = ag_str_make(s->ptr + n, s->len - n);
	return c;
}

static void add_text(ag_buf *out, ag_str s);

/* {host}, {hidden}, {TEXT N} */
static void add_brace(ag_buf *out, ag_str inner)
{
	ptrdiff_t blank = -1;
	uint64_t n = 0;

	if (ag_str_eqc(inner, "host")) {
		ag_buf_adds(out, "Host: localhost\r\n");
		return;
	}
	if (ag_str_eqc(inner, "hidden")) {
		ag_buf_adds(out, HIDDEN);
		return;
	}
	for (size_t i = 0; i < inner.len; i++)
		if (inner.ptr[i] == ' ')
			blank = (ptrdiff_t)i;
	assert_true(blank > 0);
	assert_true(ag_str_to_u64(ag_str_make(inner.ptr + blank + 1, inner.len - (size_t)blank - 1),
	                          &n));
	for (uint64_t i = 0; i < n; i++)
		add_text(out, ag_str_make(inner.ptr, (size_t)blank));
}

static void add_text(ag_buf *out, ag_str s)
{
	while (s.len) {
		if (s.ptr[0] == '{') {
			ptrdiff_t end = ag_str_find(s, '}');

			assert_true(end > 0);
			add_brace(out, ag_str_make(s.ptr + 1, (size_t)end - 1));
			s = ag_str_make(s.ptr + end + 1, s.len - (size_t)end - 1);
		} else {
			ag_buf_addc(out, take_char(&s));
		}
	}
}

static void read_want(form *f, ag_str line)
{
	while (line.ptr) {
		ag_str word = ag_str_split(&line, ' ');
		uint64_t n;

		if (ag_str_to_u64(word, &n))
			f->want[f->nwant++] = (unsigned)n;
		else
			f->stays_open = ag_str_eqc(word, "open");
	}
	assert_true(f->nwant > 0);
}

/* The next form of the file. False: there are no more. */
static bool next_form(ag_str *rest, form *f)
{
	memset(f, 0, sizeof(*f));
	ag_buf_init(&f->text, MAX_TEXT);
	while (rest->ptr) {
		ag_str line = ag_str_split(rest, '\n');

		if (ag_str_starts(line, AG_S("case "))) {
			snprintf(f->name, sizeof(f->name), "%.*s", (int)line.len - 5, line.ptr + 5);
		} else if (ag_str_starts(line, AG_S("send "))) {
			add_text(&f->text, ag_str_make(line.ptr + 5, line.len - 5));
		} else if (ag_str_starts(line, AG_S("want "))) {
			read_want(f, ag_str_make(line.ptr + 5, line.len - 5));
			assert_false(f->text.failed);
			return true;
		} else {
			assert_true(line.len == 0 || line.ptr[0] == '#');
		}
	}
	ag_buf_release(&f->text);
	return false;
}

static bool read_file(void)
{
	const char *root = getenv("ARGUS_SOURCE_ROOT");
	char path[4096], bytes[4096];
	size_t n;
	FILE *in;

	snprintf(path, sizeof(path), "%s/tests/cases/http/smuggling.cases", root ? root : ".");
	in = fopen(path, "r");
	if (!in)
		return false;
	ag_buf_init(&file, MAX_TEXT);
	while ((n = fread(bytes, 1, sizeof(bytes), in)) > 0)
		ag_buf_add(&file, ag_str_make(bytes, n));
	fclose(in);
	return true;
}

/* As much of it as the server takes: it may close in the middle. */
static void send_form(raw_conn *c, const form *f, bool in_bytes)
{
	if (!in_bytes) {
		raw_sendn(c, f->text.ptr, f->text.len);
		return;
	}
	for (size_t i = 0; i < f->text.len; i++)
		if (!raw_sendn(c, f->text.ptr + i, 1))
			return;
}

static unsigned nwrong;

static void wrong(const form *f, bool in_bytes, const char *what, unsigned no, int status)
{
	nwrong++;
	fprintf(stderr, "%s (%s): %s; reply %u, status %d\n", f->name,
	        in_bytes ? "byte by byte" : "whole", what, no, status);
}

static void check_form(unsigned port, const form *f, bool in_bytes)
{
	raw_reply r = { 0 };
	raw_conn c;

	assert_true(raw_open(&c, port));
	send_form(&c, f, in_bytes);
	for (unsigned i = 0; i < f->nwant; i++) {
		if (!raw_read(&c, &r, LONG_MS)) {
			wrong(f, in_bytes, "missing", i + 1, 0);
			break;
		}
		if ((unsigned)r.status != f->want[i])
			wrong(f, in_bytes, "another status", i + 1, r.status);
		/* The second request of a form is always the hidden one. */
		if (r.status == 200 && !strstr(r.body, i ? "|/health|" : "|/first|"))
			wrong(f, in_bytes, "answers another request", i + 1, r.status);
		if (r.status >= 400 && !raw_header(&r, "Connection"))
			wrong(f, in_bytes, "the refusal does not close", i + 1, r.status);
	}
	if (f->stays_open &&
	    (!raw_send(&c, LAST) || !raw_read(&c, &r, LONG_MS) || !strstr(r.body, "|/last|")))
		wrong(f, in_bytes, "the connection does not go on", f->nwant, r.status);
	if (!raw_wait_end(&c, LONG_MS) || c.n)
		wrong(f, in_bytes, "more bytes, or no end", f->nwant, r.status);
	raw_close(&c);
	free(r.body);
}

static unsigned check_all(bool in_bytes)
{
	ag_str rest = ag_buf_view(&file);
	unsigned n = 0;
	form f;
	echo e;

	echo_start(&e, NULL);
	while (next_form(&rest, &f)) {
		if (!in_bytes || f.text.len < 4096) {
			check_form(e.port, &f, in_bytes);
			n++;
		}
		ag_buf_release(&f.text);
	}
	echo_stop(&e);
	return n;
}

static void whole(void **state)
{
	(void)state;
	nwrong = 0;
	assert_true(check_all(false) >= 60);
	assert_int_equal(nwrong, 0);
}

static void byte_by_byte(void **state)
{
	(void)state;
	nwrong = 0;
	assert_true(check_all(true) >= 60);
	assert_int_equal(nwrong, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(whole),
		cmocka_unit_test(byte_by_byte),
	};
	int rc;

	if (!read_file()) {
		fprintf(stderr, "tests/cases/http/smuggling.cases is missing\n");
		return 1;
	}
	rc = cmocka_run_group_tests(tests, NULL, NULL);
	ag_buf_release(&file);
	return rc;
}
