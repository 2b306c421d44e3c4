/* The program's entry; everything else is behind ag_cli_main(). */
#include <unistd.h>

#include "cli/cli.h"

int main(int argc, char **argv)
{
	return ag_cli_main(argc, argv, environ);
}
