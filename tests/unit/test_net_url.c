/* Addresses: what is taken apart, what is refused, and that no refusal shows a password or a key. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <stdio.h>

#include "net/url.h"

static void assert_str(ag_str got, const char *want)
{
	if (!ag_str_eqc(got, want))
		fail_msg("got \"%.*s\", want \"%s\"", AG_FMT(got), want);
}

static void takes_apart(void **state)
{
	static const struct {
		const char *text, *scheme, *host;
		unsigned port;
		const char *path, *origin;
	} good[] = {
		{ "http://a", "http", "a", 80, "/", "http://a:80" },
		{ "https://api.example.com/v1", "https", "api.example.com", 443, "/v1",
		  "https://api.example.com:443" },
		{ "HTTPS://API.Example.COM:8443/V1/x?Q=1", "https", "api.example.com", 8443,
		  "/V1/x?Q=1", "https://api.example.com:8443" },
		{ "http://h:/", "http", "h", 80, "/", "http://h:80" },
		{ "http://h:1", "http", "h", 1, "/", "http://h:1" },
		{ "http://h:65535/", "http", "h", 65535, "/", "http://h:65535" },
		{ "http://h:00080/", "http", "h", 80, "/", "http://h:80" },
		{ "https://h?a=b", "https", "h", 443, "/?a=b", "https://h:443" },
		{ "https://h#top", "https", "h", 443, "/", "https://h:443" },
		{ "https://h/a#top?x", "https", "h", 443, "/a", "https://h:443" },
		{ "https://h/a?x#top", "https", "h", 443, "/a?x", "https://h:443" },
		{ "http://h/a@b?c=d@e", "http", "h", 80, "/a@b?c=d@e", "http://h:80" },
		{ "http://h/a/../b/./c//d", "http", "h", 80, "/a/../b/./c//d", "http://h:80" },
		{ "http://h/%C3%A4", "http", "h", 80, "/%C3%A4", "http://h:80" },
		{ "http://127.0.0.1:8080/v1/", "http", "127.0.0.1", 8080, "/v1/",
		  "http://127.0.0.1:8080" },
		{ "http://[::1]:8080/", "http", "::1", 8080, "/", "http://[::1]:8080" },
		{ "http://[0:0:0:0:0:0:0:1]/", "http", "::1", 80, "/", "http://[::1]:80" },
		{ "https://[2001:DB8::00A]", "https", "2001:db8::a", 443, "/",
		  "https://[2001:db8::a]:443" },
		{ "http://my_service-1.local./", "http", "my_service-1.local.", 80, "/",
		  "http://my_service-1.local.:80" },
		{ "http://xn--bcher-kva.example/", "http", "xn--bcher-kva.example", 80, "/",
		  "http://xn--bcher-kva.example:80" },
		{ "http://1password.com/", "http", "1password.com", 80, "/",
		  "http://1password.com:80" },
		{ "http://3abc/", "http", "3abc", 80, "/", "http://3abc:80" },
		{ "http://3com/", "http", "3com", 80, "/", "http://3com:80" },
		{ "http://a.4b.5x/", "http", "a.4b.5x", 80, "/", "http://a.4b.5x:80" },
	};
	ag_arena *arena = ag_arena_new();

	(void)state;
	for (size_t i = 0; i < AG_NELEM(good); i++) {
		ag_err err = { 0 };
		ag_url u, again;
		ag_str whole;

		if (ag_url_parse(ag_str_c(good[i].text), arena, &u, &err))
			fail_msg("%s: %s", good[i].text, err.msg);
		assert_str(u.scheme, good[i].scheme);
		assert_str(u.host, good[i].host);
		assert_int_equal(u.port, good[i].port);
		assert_str(u.path, good[i].path);
		assert_str(ag_url_origin(&u, arena), good[i].origin);
		/* Put together again it is the same address. */
		whole = ag_str_printf(arena, "%.*s%.*s", AG_FMT(ag_url_origin(&u, arena)),
		                      AG_FMT(u.path));
		assert_int_equal(ag_url_parse(whole, arena, &again, &err), AG_OK);
		assert_true(ag_str_eq(ag_url_origin(&again, arena), ag_url_origin(&u, arena)));
		assert_true(ag_str_eq(again.path, u.path));
	}
	ag_arena_free(arena);
}

static void refuses(void **state)
{
	static const struct {
		const char *text, *why;
	} bad[] = {
		{ "", "empty" },
		{ "example.com", "does not begin with http" },
		{ "/v1", "does not begin with http" },
		{ "http:/h", "does not begin with http" },
		{ "http//h", "does not begin with http" },
		{ "ftp://h/", "does not begin with http" },
		{ "file:///etc/passwd", "does not begin with http" },
		{ "httpx://h/", "does not begin with http" },
		{ " http://h/", "blank" },
		{ "http://h/ ", "blank" },
		{ "http://h/a b", "blank" },
		{ "http://h/\n", "control" },
		{ "http://h\t/", "control" },
		{ "http://h/\x7f", "control" },
		{ "http://b\xc3\xbc"
		  "cher.example/",
		  "outside ASCII" },
		{ "http://h/\\x", "percent-encoded" },
		{ "http://h\\@evil/", "percent-encoded" },
		{ "http://h/<x>", "percent-encoded" },
		{ "http://h/{id}", "percent-encoded" },
		{ "http://h/%", "two hexadecimal" },
		{ "http://h/%4", "two hexadecimal" },
		{ "http://h/%4g", "two hexadecimal" },
		{ "http://h%41/", "letters, digits" },
		{ "http://", "no host" },
		{ "http:///v1", "no host" },
		{ "http://:80/", "no host" },
		{ "http://?x", "no host" },
		{ "http://h:0/", "port" },
		{ "http://h:65536/", "port" },
		{ "http://h:999999/", "port" },
		{ "http://h:-1/", "port" },
		{ "http://h:8a/", "port" },
		{ "http://h:80:80/", "port" },
		{ "http://::1/", "no host" },
		{ "http://[::1/", "closing" },
		{ "http://[::1]x/", "between host and port" },
		{ "http://[::1]80/", "between host and port" },
		{ "http://[]/", "IPv6" },
		{ "http://[127.0.0.1]/", "IPv6" },
		{ "http://[fe80::1%25eth0]/", "IPv6" },
		{ "http://[1:2:3:4:5:6:7:8:9]/", "IPv6" },
		{ "http://127.1/", "IPv4" },
		{ "http://2130706433/", "IPv4" },
		{ "http://0x7f.0.0.1/", "IPv4" },
		{ "http://0x7f000001/", "IPv4" },
		{ "http://127.0.0.01/", "IPv4" },
		{ "http://127.0.0.256/", "IPv4" },
		{ "http://1.2.3.4.5/", "IPv4" },
		{ "http://127.0.0.1./", "IPv4" },
		{ "http://a.0x1/", "IPv4" },
		{ "http://a.0x/", "IPv4" },
		{ "http://a.7/", "IPv4" },
		{ "http://a..b/", "0 or more than 63" },
		{ "http://.a/", "0 or more than 63" },
		{ "http://./", "0 or more than 63" },
		{ "http://a,b/", "letters, digits" },
		{ "http://a*b/", "letters, digits" },
		{ "http://u@h/", "user name" },
		{ "http://@h/", "user name" },
	};
	ag_arena *arena = ag_arena_new();

	(void)state;
	for (size_t i = 0; i < AG_NELEM(bad); i++) {
		ag_err err = { 0 };
		ag_url u;

		if (ag_url_parse(ag_str_c(bad[i].text), arena, &u, &err) != AG_INVALID)
			fail_msg("\"%s\" was not refused", bad[i].text);
		if (!strstr(err.msg, bad[i].why))
			fail_msg("\"%s\": \"%s\" does not say \"%s\"", bad[i].text, err.msg,
			         bad[i].why);
	}
	ag_arena_free(arena);
}

static void shows_no_secret(void **state)
{
	static const char *const texts[] = {
		"http://SECRET@h/",
		"http://user:SECRET@h/",
		"https://user:SE/CRET@h/",
		"https://user:SECRET/x@h/",
		"https://user:SECRET?x@h/",
		"https://user:SECRET#x@h/",
		"https://user:SECRET @h/",
		"user:SECRET@h",
		"SECRET@h",
		"ftp://user:SECRET@h/",
		"http://h:x/?key=SECRET",
		"http://h /?key=SECRET",
		"h?key=SECRET",
		"http://h\\/#SECRET",
		"http://user:SECRET%@h/",
	};
	ag_arena *arena = ag_arena_new();

	(void)state;
	for (size_t i = 0; i < AG_NELEM(texts); i++) {
		ag_err err = { 0 };
		ag_url u;

		assert_int_equal(ag_url_parse(ag_str_c(texts[i]), arena, &u, &err), AG_INVALID);
		assert_true(err.msg[0]);
		if (strstr(err.msg, "SE") || strstr(err.msg, "CRET") || strstr(err.hint, "CRET"))
			fail_msg("%s: %s", texts[i], err.msg);
	}
	ag_arena_free(arena);
}

static void has_limits(void **state)
{
	char text[AG_URL_MAX_BYTES + 2];
	ag_arena *arena = ag_arena_new();
	ag_err err = { 0 };
	ag_url u;

	(void)state;
	memset(text, 'a', sizeof(text));
	memcpy(text, "http://h/", 9);
	assert_int_equal(ag_url_parse(ag_str_make(text, AG_URL_MAX_BYTES), arena, &u, &err), AG_OK);
	assert_int_equal(u.path.len, AG_URL_MAX_BYTES - 8);
	assert_int_equal(ag_url_parse(ag_str_make(text, AG_URL_MAX_BYTES + 1), arena, &u, &err),
	                 AG_INVALID);
	/* A NUL is a control character, not an end. */
	assert_int_equal(ag_url_parse(AG_S("http://h/\0x"), arena, &u, &err), AG_INVALID);
	/* A name in DNS: parts of 63, 253 in all. */
	memset(text, 'a', sizeof(text));
	memcpy(text, "http://", 7);
	assert_int_equal(ag_url_parse(ag_str_make(text, 7 + 63), arena, &u, &err), AG_OK);
	assert_int_equal(ag_url_parse(ag_str_make(text, 7 + 64), arena, &u, &err), AG_INVALID);
	for (size_t i = 7 + 50; i < sizeof(text); i += 50)
		text[i] = '.';
	assert_int_equal(ag_url_parse(ag_str_make(text, 7 + 253), arena, &u, &err), AG_OK);
	assert_int_equal(ag_url_parse(ag_str_make(text, 7 + 254), arena, &u, &err), AG_INVALID);
	/* The longest message is cut, not broken. */
	memset(text, 'a', sizeof(text));
	assert_int_equal(ag_url_parse(ag_str_make(text, AG_URL_MAX_BYTES), arena, &u, &err),
	                 AG_INVALID);
	assert_non_null(strstr(err.msg, "...\""));
	ag_arena_free(arena);
}

static void knows_loopback(void **state)
{
	static const struct {
		const char *text;
		bool is_loopback;
	} hosts[] = {
		{ "http://localhost/", true },
		{ "http://LOCALHOST:1/", true },
		{ "http://127.0.0.1/", true },
		{ "http://127.255.255.255/", true },
		{ "http://[::1]/", true },
		{ "http://[0::0:1]/", true },
		{ "http://localhost.example/", false },
		{ "http://notlocalhost/", false },
		{ "http://127.0.0.1.example/", false },
		{ "http://127.example/", false },
		{ "http://128.0.0.1/", false },
		{ "http://12.7.0.1/", false },
		{ "http://[::]/", false },
		{ "http://0.0.0.0/", false },
		{ "http://[::ffff:127.0.0.1]/", false },
		{ "http://10.0.0.1/", false },
	};
	ag_arena *arena = ag_arena_new();

	(void)state;
	for (size_t i = 0; i < AG_NELEM(hosts); i++) {
		ag_err err = { 0 };
		ag_url u;

		assert_int_equal(ag_url_parse(ag_str_c(hosts[i].text), arena, &u, &err), AG_OK);
		if (ag_url_is_loopback(&u) != hosts[i].is_loopback)
			fail_msg("%s", hosts[i].text);
	}
	ag_arena_free(arena);
}

static void joins(void **state)
{
	ag_arena *arena = ag_arena_new();

	(void)state;
	assert_str(ag_url_join(AG_S("https://h/v1"), "/chat", arena), "https://h/v1/chat");
	assert_str(ag_url_join(AG_S("https://h/v1/"), "/chat", arena), "https://h/v1/chat");
	assert_str(ag_url_join(AG_S("https://h"), "/chat", arena), "https://h/chat");
	assert_str(ag_url_join(AG_S("https://h/"), "/", arena), "https://h/");
	assert_str(ag_url_join(AG_S(""), "/x", arena), "/x");
	ag_arena_free(arena);
}

static void what_may_be_shown(void **state)
{
	static const struct {
		const char *text, *shown;
	} cases[] = {
		{ "https://api.example.com/v1", "https://api.example.com/v1" },
		{ "https://u:secret@host:1/v1?key=secret", "https://host:1/v1" },
		{ "https://a@b:secret@host/x@y#secret", "https://host/x@y" },
		{ "nonsense?secret", "nonsense" },
		{ "", "" },
	};
	ag_arena *arena = ag_arena_new();

	(void)state;
	for (size_t i = 0; i < AG_NELEM(cases); i++)
		assert_string_equal(ag_str_cstr(arena,
		                                ag_url_shown(ag_str_c(cases[i].text), arena)),
		                    cases[i].shown);
	ag_arena_free(arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_may_be_shown),
		cmocka_unit_test(takes_apart),
		cmocka_unit_test(refuses),
		cmocka_unit_test(shows_no_secret),
		cmocka_unit_test(has_limits),
		cmocka_unit_test(knows_loopback),
		cmocka_unit_test(joins),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
