/* Large bodies that wait in a file: what the handler sees, both framings, limits, a folder that is not there. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>
#include <stdatomic.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/sha256.h"
#include "base/time.h"
#include "http/server.h"
#include "http_raw.h"

#define LIMIT (4u << 20)

typedef struct place {
	ag_httpd *d;
	char folder[64];
	atomic_uint nheld; /* handlers that wait for is_released */
	atomic_bool is_released;
} place;

static bool admit(void *arg, ag_httpd_request *rq, ag_httpd_reply *rp)
{
	(void)arg;
	(void)rp;
	rq->spools = !ag_str_eqc(rq->path, "/memory");
	rq->max_body = LIMIT;
	return true;
}

/* "LENGTH HASH"; under "/held" after the test has released it. */
static void handle(void *arg, ag_httpd_request *rq, ag_httpd_reply *rp)
{
	place *p = (place *)arg;

	if (ag_str_eqc(rq->path, "/held")) {
		atomic_fetch_add(&p->nheld, 1);
		while (!atomic_load(&p->is_released))
			usleep(1000);
	}
	rp->content_type = AG_S("text/plain");
	ag_buf_addf(&rp->body, "%zu %s", rq->body.len, ag_sha256(rq->body).text);
}

static void start(place *p, const char *folder)
{
	const ag_httpd_opts o = { .admit = admit,
		                  .handle = handle,
		                  .max_body = 1u << 20,
		                  .max_spooled = 4 * LIMIT,
		                  .spool_folder = ag_str_c(folder),
		                  .arg = p };
	ag_err err = { 0 };

	assert_int_equal(ag_httpd_start(&o, &p->d, &err), AG_OK);
}

static void start_in_folder(place *p)
{
	strcpy(p->folder, "/tmp/argus-spool-XXXXXX"); /* lint: allow, mkdtemp */
	assert_non_null(mkdtemp(p->folder));
	start(p, p->folder);
}

static void stop(place *p)
{
	ag_httpd_stop(p->d, 5000);
	/* rmdir() fails when a file is left. */
	if (p->folder[0])
		assert_int_equal(rmdir(p->folder), 0);
}

static char *make_text(size_t n)
{
	char *text = (char *)ag_xmalloc(n + 1);

	for (size_t i = 0; i < n; i++)
		text[i] = (char)('a' + (i * 7 + i / 1000) % 26);
	text[n] = '\0';
	return text;
}

static void assert_same(const raw_reply *r, const char *text, size_t n)
{
	char want[128];

	snprintf(want, sizeof(want), "%zu %s", n, ag_sha256(ag_str_make(text, n)).text);
	assert_int_equal(r->status, 200);
	assert_string_equal(r->body, want);
}

static void send_head(raw_conn *c, const char *path, size_t n)
{
	char head[128];

	snprintf(head, sizeof(head),
	         "POST %s HTTP/1.1\r\nHost: localhost\r\nContent-Length: %zu\r\n\r\n", path, n);
	assert_true(raw_send(c, head));
}

static void of_known_length(void **state)
{
	static const size_t sizes[] = { 5, 100000, 262143, 262144, 262145, 3000000, LIMIT };
	place p = { 0 };
	raw_conn c;
	raw_reply r = { 0 };

	(void)state;
	start_in_folder(&p);
	assert_true(raw_open(&c, ag_httpd_port(p.d)));
	/* One connection: nothing of a body is left for the next request. */
	for (size_t i = 0; i < AG_NELEM(sizes); i++) {
		char *text = make_text(sizes[i]);

		send_head(&c, "/spool", sizes[i]);
		assert_true(raw_sendn(&c, text, sizes[i]));
		assert_true(raw_read(&c, &r, 20000));
		assert_same(&r, text, sizes[i]);
		free(text);
	}
	raw_close(&c);
	free(r.body);
	stop(&p);
}

static void send_chunks(raw_conn *c, const char *text, size_t n)
{
	assert_true(raw_send(c, "POST /spool HTTP/1.1\r\nHost: localhost\r\n"
	                        "Transfer-Encoding: chunked\r\n\r\n"));
	for (size_t at = 0; at < n;) {
		const size_t piece = n - at < 70001 ? n - at : 70001;
		char size[32];

		snprintf(size, sizeof(size), "%zx\r\n", piece);
		if (!raw_send(c, size) || !raw_sendn(c, text + at, piece) || !raw_send(c, "\r\n"))
			return; /* it was refused in the middle */
		at += piece;
	}
	AG_IGNORE(raw_send(c, "0\r\n\r\n"), "the reply says what came");
}

static void in_chunks(void **state)
{
	const size_t n = 2500000;
	char *text = make_text(LIMIT + 1);
	place p = { 0 };
	raw_conn c;
	raw_reply r = { 0 };

	(void)state;
	start_in_folder(&p);
	assert_true(raw_open(&c, ag_httpd_port(p.d)));
	send_chunks(&c, text, n);
	assert_true(raw_read(&c, &r, 20000));
	assert_same(&r, text, n);
	/* The limit holds for what is in the file as well. */
	send_chunks(&c, text, LIMIT + 1);
	assert_true(raw_read(&c, &r, 20000));
	assert_int_equal(r.status, 413);
	raw_close(&c);
	free(r.body);
	free(text);
	stop(&p);
}

static void that_breaks_off(void **state)
{
	char *text = make_text(2000000);
	place p = { 0 };
	raw_conn c;

	(void)state;
	start_in_folder(&p);
	for (int i = 0; i < 3; i++) {
		assert_true(raw_open(&c, ag_httpd_port(p.d)));
		send_head(&c, "/spool", 3000000);
		assert_true(raw_sendn(&c, text, 2000000));
		raw_close(&c);
	}
	free(text);
	stop(&p);
}

static void without_a_folder(void **state)
{
	char *text = make_text(1000000);
	place p = { 0 };
	raw_conn c;
	raw_reply r = { 0 };

	(void)state;
	start(&p, "/nowhere/at/all");
	assert_true(raw_open(&c, ag_httpd_port(p.d)));
	send_head(&c, "/spool", 1000000);
	AG_IGNORE(raw_sendn(&c, text, 1000000), "it is refused in the middle");
	assert_true(raw_read(&c, &r, 20000));
	assert_int_equal(r.status, 503);
	assert_non_null(strstr(r.body, "cannot keep"));
	raw_close(&c);
	/* A body that fits in memory needs none. */
	assert_true(raw_open(&c, ag_httpd_port(p.d)));
	send_head(&c, "/memory", 1000000);
	assert_true(raw_sendn(&c, text, 1000000));
	assert_true(raw_read(&c, &r, 20000));
	assert_same(&r, text, 1000000);
	raw_close(&c);
	free(r.body);
	free(text);
	stop(&p);
}

/* Waits until n handlers are inside "/held". */
static void wait_for_held(place *p, unsigned n)
{
	const int64_t end = ag_clock_mono(&ag_clock_system) + 60000;

	while (atomic_load(&p->nheld) < n && ag_clock_mono(&ag_clock_system) < end)
		usleep(1000);
	assert_int_equal(atomic_load(&p->nheld), n);
}

/* Four whole bodies use the budget while their handlers run: the next ones are refused, and there is room again afterwards. */
static void beyond_the_disk_budget(void **state)
{
	enum { NHELD = 4, NREFUSED = 3 };
	char *text = make_text(LIMIT);
	place p = { 0 };
	raw_conn held[NHELD], c;
	raw_reply r = { 0 };

	(void)state;
	start_in_folder(&p);
	for (unsigned i = 0; i < NHELD; i++) {
		assert_true(raw_open(&held[i], ag_httpd_port(p.d)));
		send_head(&held[i], "/held", LIMIT);
		assert_true(raw_sendn(&held[i], text, LIMIT));
	}
	wait_for_held(&p, NHELD);
	for (unsigned i = 0; i < NREFUSED; i++) {
		assert_true(raw_open(&c, ag_httpd_port(p.d)));
		send_head(&c, "/spool", LIMIT);
		AG_IGNORE(raw_sendn(&c, text, LIMIT), "it is refused in the middle");
		assert_true(raw_read(&c, &r, 60000));
		assert_int_equal(r.status, 503);
		raw_close(&c);
	}
	atomic_store(&p.is_released, true);
	for (unsigned i = 0; i < NHELD; i++) {
		assert_true(raw_read(&held[i], &r, 60000));
		assert_same(&r, text, LIMIT);
		raw_close(&held[i]);
	}
	assert_true(raw_open(&c, ag_httpd_port(p.d)));
	send_head(&c, "/spool", LIMIT);
	assert_true(raw_sendn(&c, text, LIMIT));
	assert_true(raw_read(&c, &r, 60000));
	assert_same(&r, text, LIMIT);
	raw_close(&c);
	free(r.body);
	free(text);
	stop(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(of_known_length),        cmocka_unit_test(in_chunks),
		cmocka_unit_test(that_breaks_off),        cmocka_unit_test(without_a_folder),
		cmocka_unit_test(beyond_the_disk_budget),
	};

	return cmocka_run_group_tests_name("http spool", tests, NULL, NULL);
}
