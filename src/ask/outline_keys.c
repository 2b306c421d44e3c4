/* outline_keys -- files of keys: YAML, TOML and INI, JSON. The top two levels; never a value, for it may be a secret.
 *
 * The name of a key of the second level is its own, its title has both: "services.web". */
#include <stdlib.h>

#include "ask/outline_code.h"

static ag_str unquoted(ag_str key)
{
	key = ag_str_trim(key);
	if (key.len >= 2 && (key.ptr[0] == '"' || key.ptr[0] == '\'') &&
	    key.ptr[key.len - 1] == key.ptr[0])
		return ag_str_make(key.ptr + 1, key.len - 2);
	return key;
}

/* `above`: the key of the first level, len 0 = this is one. */
static void add_key(ag_outline_build *b, ag_str above, ag_str key, unsigned line)
{
	ag_str title = key;

	if (above.len)
		title = ag_str_printf(b->arena, "%.*s.%.*s", AG_FMT(above), AG_FMT(key));
	if (key.len <= AG_OUTLINE_MAX_TITLE)
		ag_outline_add(b, title, key, above.len ? 2 : 1, line);
}

/* --- YAML --- */

/* The key of "key: value" or "key:"; false: the line is something else. */
static bool yaml_key(ag_str line, ag_str *ret)
{
	size_t i = 0;

	if (!line.len || strchr("#-?[]{},&*!|>%@`", line.ptr[0]))
		return false;
	if (line.ptr[0] == '"' || line.ptr[0] == '\'') {
		i = 1;
		while (i < line.len && line.ptr[i] != line.ptr[0])
			i++;
	}
	for (; i < line.len; i++) {
		if (line.ptr[i] == '#' && i && line.ptr[i - 1] == ' ')
			return false;
		if (line.ptr[i] != ':' || (i + 1 < line.len && line.ptr[i + 1] != ' '))
			continue;
		*ret = unquoted(ag_str_make(line.ptr, i));
		return ret->len > 0;
	}
	return false;
}

/* Does "key: |" open a text of several lines? */
static bool opens_block(ag_str line)
{
	ptrdiff_t colon = ag_str_find(line, ':');
	ag_str value = colon < 0 ? AG_S("")
	                         : ag_str_trim(ag_str_make(line.ptr + colon + 1,
	                                                   line.len - (size_t)colon - 1));

	return value.len && (value.ptr[0] == '|' || value.ptr[0] == '>');
}

void ag_outline_yaml(ag_outline_build *b)
{
	ag_str above = AG_S(""), key;
	size_t second = 0; /* column of the second level under the open key, 0 = not known yet */
	size_t block = SIZE_MAX; /* column of the key whose text of several lines goes on */

	for (size_t i = 1; i <= b->nline; i++) {
		ag_str line = ag_outline_line(b, i);
		size_t column = 0;

		while (column < line.len && line.ptr[column] == ' ')
			column++;
		line = ag_str_trim(line);
		if (!line.len || line.ptr[0] == '#')
			continue;
		if (block != SIZE_MAX && column > block)
			continue;
		block = opens_block(line) ? column : SIZE_MAX;
		if (column == 0) {
			second = 0;
			above = AG_S("");
			if (yaml_key(line, &key)) {
				add_key(b, above, key, (unsigned)i);
				above = key;
			}
			continue;
		}
		if (second == 0)
			second = line.ptr[0] == '-' ? SIZE_MAX : column; /* a list has no keys */
		if (column == second && above.len && yaml_key(line, &key))
			add_key(b, above, key, (unsigned)i);
	}
}

/* --- TOML and INI --- */

void ag_outline_toml(ag_outline_build *b)
{
	ag_str above = AG_S("");
	const char *text = NULL; /* the quotes of a value over lines */
	int paren = 0;

	for (size_t i = 1; i <= b->nline; i++) {
		ag_str line = ag_str_trim(ag_outline_line(b, i)), value;
		ptrdiff_t assign = ag_str_find(line, '=');

		if (text) {
			if (ag_str_contains(line, ag_str_c(text)))
				text = NULL;
			continue;
		}
		if (!line.len || line.ptr[0] == '#' || line.ptr[0] == ';')
			continue;
		if (paren == 0 && line.ptr[0] == '[') {
			ag_str name = ag_code_before(line, '#');

			while (name.len && name.ptr[0] == '[')
				name = ag_str_make(name.ptr + 1, name.len - 1);
			name = ag_code_before(name, ']');
			above = AG_S("");
			if (name.len)
				add_key(b, above, name, (unsigned)i);
			above = name;
			continue;
		}
		if (paren == 0 && assign > 0)
			add_key(b, above, unquoted(ag_code_before(line, '=')), (unsigned)i);
		value = assign < 0 || paren
		                ? line
		                : ag_str_make(line.ptr + assign + 1, line.len - (size_t)assign - 1);
		value = ag_str_trim(value);
		if (ag_str_starts(value, AG_S("\"\"\"")) || ag_str_starts(value, AG_S("'''"))) {
			text = value.ptr[0] == '"' ? "\"\"\"" : "'''";
			if (ag_str_contains(ag_str_make(value.ptr + 3, value.len - 3),
			                    ag_str_c(text)))
				text = NULL;
		}
		/* A list over lines: brackets at the ends of lines are enough. */
		if (paren || (value.len && value.ptr[0] == '['))
			for (size_t k = 0; k < value.len; k++)
				paren += (value.ptr[k] == '[') - (value.ptr[k] == ']');
		paren = paren > 0 ? paren : 0;
	}
}

/* --- JSON --- */

typedef struct json {
	ag_outline_build *b;
	size_t depth, narray; /* of all brackets; of the open "[" among them */
	unsigned line;
	ag_str above;
	size_t open[3]; /* item + 1 of the key whose value is open at this depth */
} json;

static void json_key(json *j, ag_str key)
{
	if (j->narray || !j->depth || j->depth > 2)
		return;
	if (j->depth == 1)
		j->above = key;
	add_key(j->b, j->depth == 2 ? j->above : AG_S(""), key, j->line);
	j->open[j->depth] = j->b->n;
	if (j->b->n)
		j->b->items[j->b->n - 1].stop = j->line;
}

/* A value ended on this line: it may be the last of the open key. */
static void json_touch(json *j)
{
	for (size_t d = 1; d <= 2 && d <= j->depth; d++)
		if (j->open[d])
			j->b->items[j->open[d] - 1].stop = j->line;
}

static size_t json_string(json *j, size_t i)
{
	ag_str text = j->b->text;
	size_t from = ++i, end;

	while (i < text.len && text.ptr[i] != '"' && text.ptr[i] != '\n')
		i += text.ptr[i] == '\\' && i + 1 < text.len && text.ptr[i + 1] != '\n' ? 2 : 1;
	end = i < text.len ? i : text.len;
	i = end;
	if (i < text.len && text.ptr[i] == '"')
		i++;
	from = from < end ? from : end;
	for (size_t k = i; k < text.len && (text.ptr[k] == ' ' || text.ptr[k] == ':'); k++) {
		if (text.ptr[k] == ':') {
			if (end > from)
				json_key(j, ag_str_make(text.ptr + from, end - from));
			break;
		}
	}
	return i;
}

void ag_outline_json(ag_outline_build *b)
{
	json j = { .b = b, .line = 1 };

	for (size_t i = 0; i < b->text.len && b->n < AG_OUTLINE_MAX_ITEMS;) {
		char c = b->text.ptr[i];

		if (c == '"') {
			i = json_string(&j, i);
			continue;
		}
		if (c == '{' || c == '[') {
			j.depth++;
			j.narray += c == '[';
		} else if (c == '}' || c == ']') {
			if (j.depth <= 2)
				j.open[j.depth] = 0;
			j.depth -= j.depth > 0;
			j.narray -= c == ']' && j.narray > 0;
			json_touch(&j);
		}
		j.line += c == '\n';
		i++;
	}
}
