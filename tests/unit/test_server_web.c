/* Which codings of a file a client takes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "server/web.h"

static void the_header_says_it(void **state)
{
	static const struct {
		const char *accept;
		bool br, gzip;
	} rows[] = {
		{ "gzip, deflate, br, zstd", true, true },
		{ "gzip", false, true },
		{ "GZIP;q=0.5", false, true },
		{ "br;q=0, gzip", false, true },
		{ "br;q=0, *", false, true },
		{ "*, br;q=0", false, true },
		{ "*", true, true },
		{ "*;q=0", false, false },
		{ "identity", false, false },
		{ "br;q=x", false, false },
		{ "brotli", false, false },
		{ "", false, false },
		{ " , ;q=1", false, false },
	};

	(void)state;
	for (size_t i = 0; i < AG_NELEM(rows); i++) {
		print_message("  %s\n", rows[i].accept);
		assert_int_equal(ag_server_web_takes(ag_str_c(rows[i].accept), "br"), rows[i].br);
		assert_int_equal(ag_server_web_takes(ag_str_c(rows[i].accept), "gzip"),
		                 rows[i].gzip);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_header_says_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
