/* root_path -- the words of a path, before anything is opened.
 *
 * Nothing is rewritten but what means nothing ("./", "//"): percent signs, "~" and "$HOME" are letters of names. ".." is
 * refused even where it would stay inside, because nobody who asks for a file of the project needs it. */
#include "ask/root_parts.h"
#include "base/utf8.h"

bool ag_root_normal_path(ag_str path, ag_arena *arena, ag_str *ret, bool *ret_must_be_folder,
                         const char **ret_why)
{
	ag_str rest = path;
	size_t nname = 0, len = 0;
	char *out;

	*ret_why = path.len > AG_ROOT_MAX_PATH      ? "is too long"
	           : path.len && path.ptr[0] == '/' ? "is absolute"
	           : ag_str_find(path, '\0') >= 0   ? "holds a zero byte"
	           : ag_str_find(path, '\\') >= 0   ? "holds a backslash"
	           : !ag_utf8_valid(path)           ? "is not UTF-8 text"
	                                            : NULL;
	if (*ret_why)
		return false;
	out = ag_arena_alloc(arena, path.len + 1);
	*ret_must_be_folder = false;
	while (rest.ptr) {
		ag_str name = ag_str_split(&rest, '/');

		*ret_must_be_folder = !name.len || ag_str_eqc(name, ".");
		if (*ret_must_be_folder)
			continue;
		if (ag_str_eqc(name, ".."))
			*ret_why = "leads upwards";
		if (++nname > AG_ROOT_MAX_NAMES)
			*ret_why = "is too deep";
		if (*ret_why)
			return false;
		if (len)
			out[len++] = '/';
		memcpy(out + len, name.ptr, name.len);
		len += name.len;
	}
	*ret = ag_str_make(out, len);
	return true;
}

/* Control characters, and what turns the direction of writing round. */
static bool is_harmless(uint32_t cp)
{
	return cp >= ' ' && !(cp >= 0x7f && cp <= 0x9f) && !(cp >= 0x200b && cp <= 0x200f) &&
	       !(cp >= 0x2028 && cp <= 0x202e) && !(cp >= 0x2060 && cp <= 0x2069) && cp != 0xfeff &&
	       cp != 0xfffd;
}

ag_root_shown ag_root_show(ag_str path)
{
	ag_root_shown s = { .text = "" };
	size_t n = 0, at = 0;

	while (at < path.len && n < sizeof(s.text) - 8) {
		uint32_t cp = ag_utf8_next(path, &at);

		n += ag_utf8_put(s.text + n, is_harmless(cp) ? cp : '?');
	}
	if (at < path.len)
		memcpy(s.text + n, "...", 3);
	return s;
}

ag_str ag_root_join(ag_arena *arena, ag_str folder, ag_str name)
{
	char *out = ag_arena_alloc(arena, folder.len + name.len + 2);
	size_t len = 0;

	if (folder.len) {
		memcpy(out, folder.ptr, folder.len);
		len = folder.len;
		if (name.len)
			out[len++] = '/';
	}
	if (name.len)
		memcpy(out + len, name.ptr, name.len);
	return ag_str_make(out, len + name.len);
}

ag_str ag_root_last_name(ag_str path)
{
	size_t at = path.len;

	while (at > 0 && path.ptr[at - 1] != '/')
		at--;
	return ag_str_make(path.ptr + at, path.len - at);
}

ag_str ag_root_parent(ag_str path)
{
	ag_str name = ag_root_last_name(path);

	return ag_str_make(path.ptr, name.len == path.len ? 0 : path.len - name.len - 1);
}
