/* argus version: one line that can be compared. */
#include "cli/cli.h"

static int run(ag_cli *c)
{
	return ag_cli_print(c, AG_S("argus " AG_VERSION "\n")) ? AG_EXIT_OK : AG_EXIT_FAILED;
}

const ag_command ag_cmd_version = {
	.name = "version",
	.summary = "Print the version",
	.group = AG_GROUP_SET_UP,
	.usage = "",
	.about =
		"The same as `argus --version` and `argus -V`. Versions of everything Argus uses are in "
		"`argus doctor`.",
	.flags = AG_COMMAND_BARE,
	.run = run,
};
