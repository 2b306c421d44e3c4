/* Runs a fuzz target over saved inputs without a fuzzer, one TAP case per file.
 *
 * usage: replay FOLDER. Every input that once broke something stays in the corpus, so a plain
 * build with sanitizers proves that it no longer does. Two inputs come on top of the folder: no
 * byte at all, and a short run of every byte value. */
#include <dirent.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"

/* As libFuzzer's own default: larger inputs are not made by it either. */
#define MAX_BYTES (1024 * 1024)

static int visible(const struct dirent *d)
{
	return d->d_name[0] != '.';
}

/* malloc of exactly the size, so that AddressSanitizer sees a read behind the end. */
static void run_exact(const uint8_t *data, size_t size)
{
	uint8_t *copy = malloc(size ? size : 1);

	if (!copy)
		exit(1);
	if (size)
		memcpy(copy, data, size);
	LLVMFuzzerTestOneInput(copy, size);
	free(copy);
}

static int run_file(const char *folder, const char *name, uint8_t *buf)
{
	char path[4096];
	FILE *f;
	size_t n;

	if ((size_t)snprintf(path, sizeof(path), "%s/%s", folder, name) >= sizeof(path))
		return -1;
	f = fopen(path, "rb");
	if (!f)
		return -1;
	n = fread(buf, 1, MAX_BYTES, f);
	if (ferror(f)) {
		fclose(f);
		return -1;
	}
	fclose(f);
	run_exact(buf, n);
	return 0;
}

int main(int argc, char **argv)
{
	struct dirent **names = NULL;
	uint8_t every[256];
	uint8_t *buf = malloc(MAX_BYTES);
	int n = 0, failed = 0;

	if (argc != 2 || !buf) {
		fputs("usage: replay FOLDER\n", stderr);
		return 2;
	}
	/* A target without corpus yet still proves the two built-in inputs. */
	n = scandir(argv[1], &names, visible, alphasort);
	if (n < 0 && errno != ENOENT) {
		perror(argv[1]);
		return 2;
	}
	if (n < 0)
		n = 0;
	printf("1..%d\n", n + 2);

	run_exact(NULL, 0);
	puts("ok 1 - no byte");
	for (size_t i = 0; i < sizeof(every); i++)
		every[i] = (uint8_t)i;
	run_exact(every, sizeof(every));
	puts("ok 2 - every byte value");

	for (int i = 0; i < n; i++) {
		/* Said first, so that a crash names its input. */
		printf("# %s\n", names[i]->d_name);
		fflush(stdout);
		if (run_file(argv[1], names[i]->d_name, buf)) {
			failed = 1;
			printf("not ok %d - %s: cannot be read\n", i + 3, names[i]->d_name);
		} else {
			printf("ok %d - %s\n", i + 3, names[i]->d_name);
		}
		free(names[i]);
	}
	free(names);
	free(buf);
	return failed;
}
