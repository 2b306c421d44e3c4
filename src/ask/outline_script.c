/* outline_script -- JavaScript, TypeScript and PHP. */
#include "ask/outline_code.h"

#define VERBS "get post put delete patch head options"

/* --- JavaScript and TypeScript --- */

/* Does a function stand behind the "="? (a, b) => …, async x => …, function …, or a list of parameters that goes on. */
static bool is_function(ag_str value)
{
	ag_code_scan c = { value, 0 }, at;

	ag_code_eat(&c, "async");
	if (ag_code_eat(&c, "function"))
		return true;
	ag_code_skip_group(&c, '<', '>');
	at = c;
	if (ag_code_peek(&c) == '(') {
		if (!ag_code_skip_group(&c, '(', ')'))
			return true;
		return ag_code_peek(&c) == ':' || ag_str_starts(ag_code_rest(&c), AG_S("=>"));
	}
	return ag_code_word(&at).len && ag_str_starts(ag_code_rest(&at), AG_S("=>"));
}

/* Behind the "=" of "name: Type = value". */
static bool value_of(ag_code_scan *c)
{
	for (; c->i < c->s.len; c->i++) {
		ag_str rest = ag_code_rest(c);

		if (ag_str_starts(rest, AG_S("=>")) || ag_str_starts(rest, AG_S("=="))) {
			c->i++;
		} else if (rest.ptr[0] == '=') {
			c->i++;
			ag_code_skip_blanks(c);
			return true;
		}
	}
	return false;
}

static bool js_variable(const ag_code_place *at, ag_code_scan c, bool is_exported,
                        ag_code_found *ret)
{
	ag_str head = at->raw;

	ret->name = ag_code_word(&c);
	ret->is_line = true;
	if (!ret->name.len || !value_of(&c))
		return false;
	if (is_function(ag_code_rest(&c)))
		return true;
	if (ag_code_eat(&c, "class")) {
		ret->is_container = true;
		return true;
	}
	ret->title = ag_code_before(head, '=');
	return at->is_top && (is_exported || ag_code_is_upper(ret->name));
}

/* router.get("/x", …) */
static bool js_route(const ag_code_place *at, ag_str line, ag_code_found *ret)
{
	ag_code_scan c = { line, 0 };
	ag_str verb;

	if (!ag_code_word(&c).len || !ag_code_eat(&c, "."))
		return false;
	verb = ag_code_word(&c);
	if (!ag_code_in(verb, VERBS) || ag_code_peek(&c) != '(')
		return false;
	ag_code_eat(&c, "(");
	if (!ag_code_peek(&c) || !strchr("'\"`", ag_code_peek(&c)))
		return false;
	ret->is_line = true;
	return ag_code_route(at->b, verb, at->raw, &ret->name);
}

static bool js_method(ag_code_scan c, ag_code_found *ret)
{
	ag_str name;

	ag_code_eat(&c, "*");
	ag_code_eat(&c, "#");
	name = ag_code_word(&c);
	if (ag_code_in(name, "get set") && ag_code_is_word(ag_code_peek(&c)))
		name = ag_code_word(&c);
	if (!name.len || ag_code_in(name, "if for while switch return catch new throw super await"))
		return false;
	ret->name = name;
	ag_code_eat(&c, "?");
	ag_code_skip_group(&c, '<', '>');
	if (ag_code_peek(&c) == '(')
		return true;
	ret->is_line = true;
	return value_of(&c) && is_function(ag_code_rest(&c));
}

static bool js_type(ag_code_scan c, ag_code_found *ret)
{
	ag_code_scan start = c;
	ag_str kind = ag_code_word(&c);

	if (ag_str_eqc(kind, "const") && ag_code_eat(&c, "enum"))
		kind = AG_S("enum");
	ret->name = ag_code_word(&c);
	ret->is_strong = true;
	if (ag_str_eqc(kind, "class")) {
		ret->is_container = true;
		return true;
	}
	if (!ret->name.len)
		return false;
	if (ag_str_eqc(kind, "type")) {
		ret->is_line = true;
		ret->title = ag_code_before(start.s, '=');
		ag_code_skip_group(&c, '<', '>');
		return ag_code_peek(&c) == '=';
	}
	ret->is_container = ret->is_space = ag_code_in(kind, "namespace module");
	return ret->is_space || ag_code_in(kind, "interface enum");
}

static bool match_js(const ag_code_place *at, ag_str line, ag_code_found *ret)
{
	ag_code_scan c = { line, 0 };
	bool is_exported = false, is_member = at->owner.len && !at->is_top;
	size_t from;

	do {
		from = c.i;
		is_exported = ag_code_eat(&c, "export") || is_exported;
		ag_code_eat(&c, "default");
		ag_code_eat(&c, "declare");
		ag_code_eat(&c, "abstract");
	} while (c.i > from);
	if (js_type(c, ret))
		return true;
	*ret = (ag_code_found){ .name = AG_S("") };
	if (is_member) {
		while (ag_code_eat(&c, "public") || ag_code_eat(&c, "private") ||
		       ag_code_eat(&c, "protected") || ag_code_eat(&c, "static") ||
		       ag_code_eat(&c, "readonly") || ag_code_eat(&c, "override") ||
		       ag_code_eat(&c, "async"))
			;
		return js_method(c, ret);
	}
	ag_code_eat(&c, "async");
	if (ag_code_eat(&c, "function")) {
		ag_code_eat(&c, "*");
		ret->name = ag_code_word(&c);
		ret->is_strong = ret->name.len;
		if (!ret->name.len && is_exported)
			ret->name = AG_S("default");
		return ret->name.len;
	}
	if (ag_code_eat(&c, "const") || ag_code_eat(&c, "let") || ag_code_eat(&c, "var"))
		return js_variable(at, c, is_exported, ret);
	return js_route(at, line, ret);
}

void ag_outline_javascript(ag_outline_build *b)
{
	ag_code_braces(b,
	               AG_CODE_SLASH | AG_CODE_QUOTES | AG_CODE_SINGLE | AG_CODE_BACKTICK |
	                       AG_CODE_REGEX,
	               match_js);
}

/* --- PHP --- */

static bool match_php(const ag_code_place *at, ag_str line, ag_code_found *ret)
{
	ag_code_scan c = { line, 0 };
	ag_str verb;

	if (ag_code_eat(&c, "Route") && ag_code_eat(&c, "::")) {
		verb = ag_code_word(&c);
		return ag_code_in(verb, VERBS) && ag_code_peek(&c) == '(' &&
		       ag_code_route(at->b, verb, at->raw, &ret->name);
	}
	c.i = 0;
	while (ag_code_eat(&c, "abstract") || ag_code_eat(&c, "final") ||
	       ag_code_eat(&c, "public") || ag_code_eat(&c, "private") ||
	       ag_code_eat(&c, "protected") || ag_code_eat(&c, "static") ||
	       ag_code_eat(&c, "readonly"))
		;
	if (ag_code_eat(&c, "function")) {
		ag_code_eat(&c, "&");
	} else if (ag_code_eat(&c, "class") || ag_code_eat(&c, "interface") ||
	           ag_code_eat(&c, "trait") || ag_code_eat(&c, "enum")) {
		ret->is_container = true;
	} else if (ag_code_eat(&c, "namespace")) {
		ret->is_container = ret->is_space = ag_str_find(line, '{') >= 0;
		ret->name = ag_code_before(ag_code_before(ag_code_rest(&c), ';'), '{');
		ret->is_strong = ret->is_line = true;
		return ret->name.len;
	} else if (ag_code_eat(&c, "const")) {
		ret->title = ag_code_before(at->raw, '=');
		ret->is_line = true;
	} else {
		return false;
	}
	ret->name = ag_code_word(&c);
	ret->is_strong = !ret->is_line;
	return ret->name.len;
}

void ag_outline_php(ag_outline_build *b)
{
	ag_code_braces(b, AG_CODE_SLASH | AG_CODE_HASH | AG_CODE_QUOTES | AG_CODE_SINGLE,
	               match_php);
}
