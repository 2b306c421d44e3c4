/* outline_typed -- Java, Kotlin and C#: types and their methods; routes that annotations name. */
#include "ask/outline_code.h"

#define MASK (AG_CODE_SLASH | AG_CODE_QUOTES | AG_CODE_CHARS | AG_CODE_TRIPLE)

#define MODIFIERS                                                                              \
	"public private protected internal static final abstract synchronized native default " \
	"sealed partial virtual override async readonly unsafe extern inline open data inner " \
	"suspend operator infix tailrec companion lateinit strictfp transient volatile new "   \
	"value expect actual external annotation file required"

/* Annotations and modifiers; how many modifiers there were. */
static size_t skip_modifiers(ag_code_scan *c)
{
	size_t n = 0;

	for (;;) {
		size_t from = c->i;

		if (ag_code_peek(c) == '@' && !ag_str_starts(ag_code_rest(c), AG_S("@interface"))) {
			c->i++;
			do {
				ag_code_word(c);
			} while (ag_code_eat(c, "."));
			if (ag_code_peek(c) == '(' && !ag_code_skip_group(c, '(', ')'))
				return n;
			continue;
		}
		if (ag_code_peek(c) == '[' && ag_code_skip_group(c, '[', ']'))
			continue;
		if (!ag_code_in(ag_code_word(c), MODIFIERS)) {
			c->i = from;
			return n;
		}
		n++;
	}
}

/* @GetMapping("/x"), [HttpGet("x")] */
static bool annotated_route(const ag_code_place *at, ag_str line, ag_code_found *ret)
{
	static const char *const verbs[] = { "Get", "Post", "Put", "Delete", "Patch" };
	ag_code_scan c = { line, 1 };
	ag_str word;

	if (line.len < 4 || (line.ptr[0] != '@' && line.ptr[0] != '['))
		return false;
	word = ag_code_word(&c);
	if (ag_code_peek(&c) != '(')
		return false;
	for (size_t i = 0; i < AG_NELEM(verbs); i++) {
		ag_str verb = ag_str_c(verbs[i]), rest = word;

		if (line.ptr[0] == '[' && ag_str_starts(rest, AG_S("Http")))
			rest = ag_str_make(rest.ptr + 4, rest.len - 4);
		if (!ag_str_starts(rest, verb))
			continue;
		rest = ag_str_make(rest.ptr + verb.len, rest.len - verb.len);
		if (!ag_str_eqc(rest, line.ptr[0] == '@' ? "Mapping" : ""))
			continue;
		ret->is_whole = true;
		return ag_code_route(at->b, verb, at->raw, &ret->name);
	}
	return false;
}

static bool type(ag_code_scan c, ag_code_found *ret)
{
	ag_str kind;

	if (ag_code_eat(&c, "@interface"))
		kind = AG_S("interface");
	else
		kind = ag_code_word(&c);
	if (!ag_code_in(kind, "class interface enum record struct object namespace"))
		return false;
	if (ag_code_in(kind, "enum record"))
		if (!ag_code_eat(&c, "class"))
			ag_code_eat(&c, "struct");
	ret->is_container = ret->is_strong = true;
	ret->is_space = ag_str_eqc(kind, "namespace");
	ret->is_line = ag_code_in(kind, "class object record interface"); /* Kotlin: no body */
	ret->name = ag_code_word(&c);
	while (ret->is_space && ag_code_eat(&c, ".")) {
		ag_str part = ag_code_word(&c);

		ret->name.len = (size_t)(part.ptr + part.len - ret->name.ptr);
	}
	if (!ret->name.len && ag_str_eqc(kind, "object"))
		ret->name = AG_S("companion");
	return ret->name.len && ag_code_peek(&c) != '=' && ag_code_peek(&c) != ')';
}

/* Type name( in a body; a constructor has the name of its class. */
static bool method(const ag_code_place *at, ag_code_scan c, size_t nmodifier, ag_code_found *ret)
{
	size_t nword = 0;

	if (!at->owner.len)
		return false;
	while (ag_code_peek(&c)) {
		ag_str word = ag_code_word(&c);
		char next = ag_code_peek(&c);

		if (!word.len) {
			if (next == '<' && ag_code_skip_group(&c, '<', '>'))
				continue;
			if (!strchr("[].?,*&~", next))
				return false;
			c.i++;
			continue;
		}
		if (ag_code_in(word, "return new throw if for while switch catch else try do using "
		                     "lock assert case this base super delegate event"))
			return false;
		nword++;
		if (next != '(')
			continue;
		ret->name = word;
		return nword > 1 || nmodifier > 0 || ag_str_eq(word, at->owner);
	}
	return false;
}

static bool match_java(const ag_code_place *at, ag_str line, ag_code_found *ret)
{
	ag_code_scan c = { line, 0 };
	size_t n;

	if (annotated_route(at, line, ret))
		return true;
	n = skip_modifiers(&c);
	if (type(c, ret))
		return true;
	*ret = (ag_code_found){ .name = AG_S("") };
	return method(at, c, n, ret);
}

/* fun name(, fun <T> Receiver.name(, const val NAME */
static bool match_kotlin(const ag_code_place *at, ag_str line, ag_code_found *ret)
{
	ag_code_scan c = { line, 0 };

	if (annotated_route(at, line, ret))
		return true;
	skip_modifiers(&c);
	if (ag_code_eat(&c, "fun") && !ag_code_eat(&c, "interface")) {
		ag_code_skip_group(&c, '<', '>');
		do {
			ret->name = ag_code_word(&c);
			ag_code_skip_group(&c, '<', '>');
			ag_code_eat(&c, "?");
		} while (ag_code_eat(&c, "."));
		ret->is_line = ret->is_strong = true;
		return ret->name.len;
	}
	ag_code_eat(&c, "const");
	if (ag_code_eat(&c, "val")) {
		ret->name = ag_code_word(&c);
		ret->title = ag_code_before(at->raw, '=');
		ret->is_line = true;
		return ag_code_is_upper(ret->name);
	}
	return type(c, ret);
}

void ag_outline_java(ag_outline_build *b)
{
	ag_code_braces(b, MASK, match_java);
}

void ag_outline_csharp(ag_outline_build *b)
{
	ag_code_braces(b, MASK | AG_CODE_DIRECTIVES, match_java);
}

void ag_outline_kotlin(ag_outline_build *b)
{
	ag_code_braces(b, MASK, match_kotlin);
}
