/* fake_mongo -- mongo_server.c as a program, for tests of the real one.
 *
 *   fake_mongo PORT-FILE RECORD [--port PORT] [--rule RULE] [--type DB.COLLECTION=TYPE] [--empty DB.COLLECTION]
 *              [--time SECONDS] [--charge UNITS] [--user NAME:PASSWORD] [--members SET:N] [--router]
 *              [DB.COLLECTION=FILE]...
 *
 * PORT-FILE gets the port, of a replica set a line for each member. It runs until it is killed. RECORD gets a line per command, and "REFUSED name" for each that is not one that reads. */
#include "fake/mongo_server.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int usage(const char *what)
{
	fprintf(stderr, "fake_mongo: wrong argument %s\n", what);
	return 2;
}

/* "a=b" cut at its last '='. */
static char *cut(char *text)
{
	char *at = strrchr(text, '=');

	if (at)
		*at++ = '\0';
	return at;
}

static int take(fake_mongo *f, int argc, char **argv, int from, unsigned *ret_member)
{
	for (int i = from; i < argc; i++) {
		char *value;

		if (i + 1 < argc && !strcmp(argv[i], "--rule")) {
			if (!fake_mongo_add_rule(f, argv[++i]))
				return usage(argv[i]);
		} else if (!strcmp(argv[i], "--router")) {
			fake_mongo_set_router(f);
		} else if (i + 1 < argc && !strcmp(argv[i], "--empty")) {
			fake_mongo_put(f, argv[++i], NULL, 0);
		} else if (i + 1 < argc && !strcmp(argv[i], "--time")) {
			fake_mongo_set_time(f, (unsigned)strtoul(argv[++i], NULL, 10));
		} else if (i + 1 < argc && !strcmp(argv[i], "--charge")) {
			fake_mongo_set_charge(f, strtod(argv[++i], NULL));
		} else if (i + 1 < argc && !strcmp(argv[i], "--user")) {
			if (!fake_mongo_set_user(f, argv[++i]))
				return usage(argv[i]);
		} else if (i + 1 < argc && !strcmp(argv[i], "--members")) {
			value = strchr(argv[++i], ':');
			if (!value || value[1] < '1' || value[1] > '3' || value[2])
				return usage(argv[i]);
			*value = 0;
			*ret_member = (unsigned)(value[1] - '0');
			fake_mongo_set_members(f, argv[i], *ret_member);
		} else if (i + 1 < argc && !strcmp(argv[i], "--type")) {
			value = cut(argv[++i]);
			if (!value)
				return usage(argv[i]);
			fake_mongo_set_type(f, argv[i], value);
		} else {
			value = cut(argv[i]);
			if (!value || !fake_mongo_put_file(f, argv[i], value))
				return usage(argv[i]);
		}
	}
	return 0;
}

int main(int argc, char **argv)
{
	FILE *record, *port;
	fake_mongo *f;
	char name[4096];
	unsigned nmember = 1;
	int from = 3;

	if (argc < 3)
		return usage("(PORT-FILE RECORD)");
	record = fopen(argv[2], "w");
	if (!record)
		return usage(argv[2]);
	if (argc > 4 && !strcmp(argv[3], "--port"))
		from = 5;
	f = fake_mongo_start(record, from == 5 ? (unsigned)strtoul(argv[4], NULL, 10) : 0);
	if (take(f, argc, argv, from, &nmember))
		return 2;
	/* The file appears whole. */
	snprintf(name, sizeof(name), "%s.new", argv[1]);
	port = fopen(name, "w");
	for (unsigned i = 0; port && i < nmember; i++)
		fprintf(port, "%u\n", fake_mongo_member_port(f, i));
	if (!port || ferror(port) || fclose(port) || rename(name, argv[1]))
		return usage(argv[1]);
	for (;;)
		pause();
}
