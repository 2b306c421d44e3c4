/* outline_go -- Go and Rust. */
#include "ask/outline_code.h"

static bool match_go(const ag_code_place *at, ag_str line, ag_code_found *ret)
{
	ag_code_scan c = { line, 0 };

	if (ag_code_eat(&c, "func")) {
		ag_code_skip_group(&c, '(', ')'); /* the receiver */
		ret->is_strong = true;
	} else if (ag_code_eat(&c, "type")) {
		ret->is_strong = ret->is_line = true;
	} else if (ag_code_eat(&c, "const") || ag_code_eat(&c, "var")) {
		ret->title = ag_code_before(at->raw, '=');
		ret->is_line = true;
	} else {
		return false;
	}
	ret->name = ag_code_word(&c);
	return ret->name.len;
}

/* impl<T> Trait for Type<T> where …: Type */
static ag_str implemented(ag_code_scan c)
{
	ag_str name = AG_S("");

	ag_code_skip_group(&c, '<', '>');
	while (ag_code_peek(&c) && ag_code_peek(&c) != '{') {
		ag_str word = ag_code_word(&c);

		if (ag_str_eqc(word, "where"))
			break;
		if (word.len && !ag_code_in(word, "for dyn mut"))
			name = word;
		if (!word.len && !ag_code_skip_group(&c, '<', '>'))
			c.i++;
	}
	return name;
}

static bool match_rust(const ag_code_place *at, ag_str line, ag_code_found *ret)
{
	ag_code_scan c = { line, 0 };
	ag_str kind;

	if (ag_code_eat(&c, "pub"))
		ag_code_skip_group(&c, '(', ')');
	if (ag_code_eat(&c, "macro_rules")) {
		ag_code_eat(&c, "!");
		ret->name = ag_code_word(&c);
		ret->is_strong = true;
		return ret->name.len;
	}
	for (;;) {
		ag_code_scan before = c;

		kind = ag_code_word(&c);
		if (ag_code_in(kind, "const static")) {
			ag_code_scan next = c;

			if (!ag_code_in(ag_code_word(&next), "fn unsafe async extern"))
				break;
		} else if (!ag_code_in(kind, "async unsafe default") &&
		           !(ag_str_eqc(kind, "extern") && ag_code_peek(&c) == '"')) {
			break;
		}
		if (ag_code_peek(&c) == '"') /* extern "C" fn */
			while (c.i < c.s.len && c.s.ptr[c.i] != 'f')
				c.i++;
		if (c.i == before.i)
			return false;
	}
	ret->is_strong = true;
	ret->is_container = ag_code_in(kind, "impl trait mod");
	ret->is_space = ag_str_eqc(kind, "mod");
	ret->needs_body = ret->is_space; /* mod x; is another file */
	if (ag_str_eqc(kind, "impl")) {
		ret->name = implemented(c);
		return ret->name.len;
	}
	if (ag_code_in(kind, "const static")) {
		ag_code_eat(&c, "mut");
		ret->title = ag_code_before(at->raw, '=');
		ret->is_strong = false;
	} else if (!ag_code_in(kind, "fn struct enum union trait mod type")) {
		return false;
	}
	ret->name = ag_code_word(&c);
	return ret->name.len && !ag_code_in(ret->name, "_");
}

void ag_outline_go(ag_outline_build *b)
{
	ag_code_braces(b, AG_CODE_SLASH | AG_CODE_QUOTES | AG_CODE_CHARS | AG_CODE_BACKTICK,
	               match_go);
}

void ag_outline_rust(ag_outline_build *b)
{
	ag_code_braces(b, AG_CODE_SLASH | AG_CODE_QUOTES | AG_CODE_CHARS, match_rust);
}
