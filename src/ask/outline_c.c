/* outline_c -- C and C++: functions, types, macros with a value.
 *
 * A function is a name before "(" that has a type before it (or a line above it), and then a body; in a header a prototype
 * will do. Names in capitals before "(" are macros that decorate: AG_PRINTF(1, 2) void f(...). */
#include "ask/outline_code.h"

#define MASK (AG_CODE_SLASH | AG_CODE_QUOTES | AG_CODE_CHARS | AG_CODE_DIRECTIVES)

static bool is_header(ag_str path)
{
	return ag_str_ends(path, AG_S(".h")) || ag_str_ends(path, AG_S(".hpp")) ||
	       ag_str_ends(path, AG_S(".hh")) || ag_str_ends(path, AG_S(".hxx"));
}

/* #define NAME value, #define NAME(a) …; not the guard of a header, and no value in the title. */
static bool macro(const ag_code_place *at, ag_code_found *ret)
{
	ag_code_scan c = { at->raw, 1 };
	ag_str name;

	if (!ag_code_eat(&c, "define"))
		return false;
	name = ag_code_word(&c);
	if (!name.len || !ag_code_peek(&c))
		return false;
	ret->name = name;
	ret->title = ag_str_printf(at->b->arena, "#define %.*s", AG_FMT(name));
	ret->is_whole = true;
	return true;
}

/* struct, union, enum, class: a body must follow. */
static bool type(ag_code_scan c, bool is_typedef, bool is_cpp, ag_code_found *ret)
{
	ag_str kind = ag_code_word(&c), name;
	char next;

	if (!ag_code_in(kind, is_cpp ? "struct union enum class" : "struct union enum"))
		return false;
	if (ag_str_eqc(kind, "enum") && (ag_code_eat(&c, "class") || ag_code_eat(&c, "struct")))
		ag_code_skip_blanks(&c);
	do {
		name = ag_code_word(&c);
	} while (ag_code_is_upper(name) && ag_code_is_word(ag_code_peek(&c)));
	ag_code_eat(&c, "final");
	next = ag_code_peek(&c);
	if (next != '{' && next != 0 && !(next == ':' && name.len))
		return false;
	if (!name.len && !is_typedef && !ag_str_eqc(kind, "enum"))
		return false;
	ret->name = name;
	ret->needs_body = true;
	ret->is_typedef = is_typedef;
	ret->is_container = is_cpp && !ag_str_eqc(kind, "enum");
	if (is_typedef)
		ret->title = ag_str_eqc(kind, "enum")    ? AG_S("typedef enum")
		             : ag_str_eqc(kind, "union") ? AG_S("typedef union")
		                                         : AG_S("typedef struct");
	return true;
}

/* typedef … name; and typedef … (*name)(…); */
static bool alias(ag_str line, ag_code_found *ret)
{
	const char *pointer = memmem(line.ptr, line.len, "(*", 2);
	ag_code_scan c = { line, 0 };

	if (pointer) {
		c.i = (size_t)(pointer - line.ptr) + 2;
		ret->name = ag_code_word(&c);
	} else {
		if (ag_str_find(line, ';') < 0)
			return false;
		while (ag_code_peek(&c) && ag_code_peek(&c) != ';') {
			ag_str word = ag_code_word(&c);

			if (word.len)
				ret->name = word;
			else
				c.i++;
		}
	}
	return ret->name.len > 0;
}

static bool is_statement_word(ag_str w)
{
	return ag_code_in(w, "if for while switch return else do case default goto break continue "
	                     "throw new delete using friend static_assert _Static_assert sizeof");
}

/* The name before the "(" of the parameters: void f(, AG_CHECK(1) int f(, A::f(, f( in a class or below its type. */
static bool function(const ag_code_place *at, ag_str line, bool is_cpp, ag_code_found *ret)
{
	ag_code_scan c = { line, 0 };
	ag_str name = AG_S("");
	size_t nword = 0;
	bool is_scoped = false;

	while (ag_code_peek(&c)) {
		ag_str word = ag_code_word(&c);
		char next = ag_code_peek(&c);

		if (!word.len) {
			if (next == '(' || next == '=' || next == '{' || next == ';' || next == '[')
				return false;
			if (next == '<' && is_cpp && ag_code_skip_group(&c, '<', '>'))
				continue;
			is_scoped = is_scoped || ag_str_starts(ag_code_rest(&c), AG_S("::"));
			c.i++;
			continue;
		}
		if (is_statement_word(word))
			return false;
		nword++;
		if (next != '(')
			continue;
		name = word;
		if (!ag_code_is_upper(word) && !ag_str_starts(word, AG_S("__")))
			break;
		/* A macro that decorates, if more follows. */
		if (!ag_code_skip_group(&c, '(', ')') || !ag_code_peek(&c) ||
		    !ag_code_is_word(ag_code_peek(&c)))
			break;
		nword--;
		name.len = 0;
	}
	if (!name.len || ag_str_starts(ag_code_rest(&c), AG_S("(*")))
		return false;
	if (nword < 2 && ag_code_is_upper(name) && ag_code_eat(&c, "(")) {
		/* DEFINE_OP(add) { … }: a macro that writes the head. */
		ag_str inner = ag_code_word(&c);

		name = inner.len ? inner : name;
	}
	if (nword < 2 && !is_scoped && !at->owner.len && !is_header(at->b->path) &&
	    ag_str_ends(line, AG_S(";")))
		return false;
	ret->name = name;
	ret->needs_body = !is_header(at->b->path) && !at->owner.len;
	return true;
}

static bool match(const ag_code_place *at, ag_str line, bool is_cpp, ag_code_found *ret)
{
	ag_code_scan c = { line, 0 };
	bool is_typedef;

	if (line.ptr[0] == '#')
		return macro(at, ret);
	if (line.ptr[0] == '}' || line.ptr[0] == '{')
		return false;
	if (ag_code_eat(&c, "extern") && ag_code_peek(&c) == '"') {
		ret->is_hidden = ret->is_container = ret->is_space = ret->needs_body = true;
		return true;
	}
	c.i = 0;
	if (is_cpp && (ag_code_eat(&c, "namespace") || ag_code_eat(&c, "inline namespace"))) {
		ret->name = ag_code_word(&c);
		ret->is_container = ret->is_space = ret->needs_body = true;
		return ag_str_find(line, '=') < 0;
	}
	if (is_cpp && ag_code_eat(&c, "template") && ag_code_skip_group(&c, '<', '>'))
		line = ag_code_rest(&c);
	c = (ag_code_scan){ line, 0 };
	if (is_cpp && ag_code_eat(&c, "using")) {
		ret->name = ag_code_word(&c);
		ret->title = ag_str_printf(at->b->arena, "using %.*s", AG_FMT(ret->name));
		return ag_code_peek(&c) == '=';
	}
	is_typedef = ag_code_eat(&c, "typedef");
	while (ag_code_eat(&c, "static") || ag_code_eat(&c, "const"))
		;
	if (type(c, is_typedef, is_cpp, ret))
		return true;
	if (is_typedef)
		return alias(ag_code_rest(&c), ret);
	return line.len && function(at, line, is_cpp, ret);
}

static bool match_c(const ag_code_place *at, ag_str line, ag_code_found *ret)
{
	return match(at, line, false, ret);
}

static bool match_cpp(const ag_code_place *at, ag_str line, ag_code_found *ret)
{
	return match(at, line, true, ret);
}

void ag_outline_c(ag_outline_build *b)
{
	ag_code_braces(b, MASK, match_c);
}

void ag_outline_cpp(ag_outline_build *b)
{
	ag_code_braces(b, MASK, match_cpp);
}
