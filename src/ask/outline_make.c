/* outline_make -- what builds and ships a project: stages of a Dockerfile, targets of a Makefile. */
#include "ask/outline_code.h"

/* --- Dockerfile --- */

/* FROM [--platform=…] image [AS name] */
static ag_str stage_name(ag_str line)
{
	ag_str name = AG_S(""), before = AG_S("");
	size_t n = 0;

	while (line.len) {
		ag_str word = ag_str_split(&line, ' ');

		if (!word.len || ag_str_starts(word, AG_S("--")))
			continue;
		if (n == 1 || ag_str_ieq(before, AG_S("as")))
			name = word;
		before = word;
		n++;
	}
	return name;
}

void ag_outline_dockerfile(ag_outline_build *b)
{
	static const char *const shown[] = { "EXPOSE", "CMD", "ENTRYPOINT", "HEALTHCHECK", "USER" };
	bool goes_on = false, has_stage = false;

	for (size_t i = 1; i <= b->nline; i++) {
		ag_str line = ag_str_trim(ag_outline_line(b, i)), rest = line, word;
		bool was = goes_on;

		if (!line.len || line.ptr[0] == '#')
			continue;
		goes_on = line.ptr[line.len - 1] == '\\';
		if (was)
			continue;
		word = ag_str_split(&rest, ' ');
		if (ag_str_ieq(word, AG_S("FROM"))) {
			ag_outline_add(b, line, stage_name(line), 1, (unsigned)i);
			has_stage = true;
			continue;
		}
		for (size_t k = 0; k < AG_NELEM(shown); k++)
			if (ag_str_ieq(word, ag_str_c(shown[k])))
				ag_outline_add(b, line, word, has_stage ? 2 : 1, (unsigned)i);
	}
}

/* --- Makefile --- */

/* "name other: needed" but not "name := value"; the first name. */
static bool target(ag_str line, ag_str *ret)
{
	ptrdiff_t colon = ag_str_find(line, ':');
	ag_str names;

	if (colon <= 0 || strchr(" \t#.?!", line.ptr[0]))
		return false;
	names = ag_str_make(line.ptr, (size_t)colon);
	if (ag_str_find(names, '=') >= 0 ||
	    ((size_t)colon + 1 < line.len && line.ptr[colon + 1] == '='))
		return false;
	if ((size_t)colon + 2 < line.len && line.ptr[colon + 1] == ':' &&
	    line.ptr[colon + 2] == '=')
		return false;
	*ret = ag_str_split(&names, ' ');
	return ret->len && !ag_code_in(*ret, "ifeq ifneq ifdef ifndef define export include");
}

void ag_outline_makefile(ag_outline_build *b)
{
	size_t open = 0;
	bool goes_on = false;

	for (size_t i = 1; i <= b->nline && b->n < AG_OUTLINE_MAX_ITEMS; i++) {
		ag_str line = ag_outline_line(b, i), name;
		bool was = goes_on;

		if (!line.len)
			continue;
		goes_on = line.ptr[line.len - 1] == '\\';
		if (open && (line.ptr[0] == '\t' || was)) {
			b->items[open - 1].stop = (unsigned)i;
			continue;
		}
		if (was)
			continue;
		if (target(line, &name) && ag_outline_add(b, line, name, 1, (unsigned)i)) {
			open = b->n;
			b->items[open - 1].stop = (unsigned)i;
		} else if (line.ptr[0] != '#') {
			open = 0;
		}
	}
}
