/* Look-up in the table of embedded files.
 *
 * tools/embed writes the table sorted by strcmp order of the path, so a path is found by bisection
 * and all paths with one prefix are neighbours. */
#include "base/embedded.h"

#include <string.h>

/* Index of the first file whose path is not below `path`. */
static size_t lower_bound(const char *path)
{
	size_t lo = 0, hi = ag_embedded_nfile;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (strcmp(ag_embedded_files[mid].path, path) < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

const ag_embedded *ag_embedded_find(const char *path)
{
	size_t i = lower_bound(path);

	if (i < ag_embedded_nfile && strcmp(ag_embedded_files[i].path, path) == 0)
		return &ag_embedded_files[i];
	return NULL;
}

size_t ag_embedded_list(const char *prefix, const ag_embedded **ret)
{
	size_t len = strlen(prefix);
	size_t first = lower_bound(prefix);
	size_t end = first;

	while (end < ag_embedded_nfile && strncmp(ag_embedded_files[end].path, prefix, len) == 0)
		end++;
	*ret = end > first ? &ag_embedded_files[first] : NULL;
	return end - first;
}
