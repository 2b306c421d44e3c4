/* text_checks -- assertions on slices. */
#ifndef AG_TESTS_TEXT_CHECKS_H
#define AG_TESTS_TEXT_CHECKS_H

#include "base/str.h"

static void assert_str(ag_str got, const char *want)
{
	if (!ag_str_eqc(got, want))
		fail_msg("want \"%s\", got \"%.*s\"", want, AG_FMT(got));
}

static void assert_has(ag_str got, const char *part)
{
	if (!ag_str_contains(got, ag_str_c(part)))
		fail_msg("want \"%s\" in \"%.*s\"", part, AG_FMT(got));
}

#endif
