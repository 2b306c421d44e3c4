/* The program's entry. */
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
	if (argc == 2 && strcmp(argv[1], "version") == 0) {
		puts("argus " AG_VERSION);
		return 0;
	}
	fputs("usage: argus version\n", stderr);
	return 2;
}
