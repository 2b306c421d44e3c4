/* json_shape -- a JSON reader that is a state machine: a byte comes, the state changes, elements are counted.
 *
 * Invariant between two bytes: `state` says what may come next, `depth` and one bit per level say in which containers,
 * and value_end is the end of the last value that is whole. An element is counted when the comma or bracket behind it
 * comes; so a number that is cut in the middle is never taken for a whole one.
 *
 * Order: containers and counting, the small machines of strings, words and numbers, then the step of one byte. */
#include "ask/json_shape.h"

enum state {
	WANT_VALUE,
	WANT_VALUE_OR_END, /* behind "[" */
	WANT_KEY,
	WANT_KEY_OR_END, /* behind "{" */
	WANT_COLON,
	BEHIND_VALUE,
	IN_STRING,
	IN_ESCAPE,
	IN_HEX,
	IN_WORD,
	IN_NUMBER
};

/* What of a number was read last. */
enum number { MINUS, ZERO, INTEGER, POINT, FRACTION, EXPONENT, EXPONENT_SIGN, EXPONENT_DIGIT };

void ag_json_shape_init(ag_json_shape *s, size_t keep)
{
	memset(s, 0, sizeof(*s));
	s->keep = keep;
	s->state = WANT_VALUE;
}

static bool is_space(char c)
{
	return c == ' ' || c == '\n' || c == '\t' || c == '\r';
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool fail(ag_json_shape *s)
{
	s->is_broken = true;
	return true;
}

/* --- containers */

static bool in_array(const ag_json_shape *s)
{
	unsigned level = s->depth - 1;

	return s->depth && (s->is_array[level / 8] >> (level % 8) & 1);
}

/* A whole value ends at offset `end`. */
static void end_value(ag_json_shape *s, size_t end)
{
	s->value_end = end;
	s->state = BEHIND_VALUE;
	s->is_done = s->depth == 0;
}

/* The array that begins is a member of the root: it gets a place, if there is one. */
static void begin_member_array(ag_json_shape *s)
{
	ag_json_array *a;

	s->current = NULL;
	if (s->narray == AG_JSON_SHAPE_ARRAYS || s->is_key_long)
		return;
	a = s->current = &s->arrays[s->narray++];
	memcpy(a->key, s->key, s->nkey);
	a->nkey = s->nkey;
}

static bool begin_container(ag_json_shape *s, char c)
{
	unsigned level = s->depth;
	bool is_array = c == '[';

	if (level == AG_JSON_SHAPE_MAX_DEPTH)
		return fail(s);
	if (level == 0)
		s->root = c;
	if (level == 1 && s->root == '{' && is_array)
		begin_member_array(s);
	s->is_array[level / 8] &= (uint8_t) ~(1u << (level % 8));
	s->is_array[level / 8] |= (uint8_t)((unsigned)is_array << (level % 8));
	s->depth++;
	s->state = is_array ? WANT_VALUE_OR_END : WANT_KEY_OR_END;
	return true;
}

/* A comma or bracket came behind a value: that is one whole element or member more. */
static void count_element(ag_json_shape *s)
{
	bool is_member_array = s->depth == 2 && s->root == '{' && in_array(s);

	if (s->depth == 1 && s->root == '[')
		s->n++;
	else if (is_member_array && s->current)
		s->current->n++;
	if ((s->depth == 1 || is_member_array) && s->value_end <= s->keep)
		s->good_end = s->value_end;
}

static bool end_container(ag_json_shape *s, char c)
{
	if (!s->depth || in_array(s) != (c == ']'))
		return fail(s);
	if (s->depth == 2 && s->root == '{' && s->current && c == ']') {
		s->current->is_whole = true;
		s->current = NULL;
	}
	s->depth--;
	end_value(s, s->at + 1);
	return true;
}

/* --- strings, words, numbers; each returns whether the byte is used up */

static void begin_string(ag_json_shape *s, bool is_key)
{
	s->state = IN_STRING;
	s->after_string = is_key ? WANT_COLON : BEHIND_VALUE;
	s->is_root_key = is_key && s->depth == 1;
	if (s->is_root_key) {
		s->nkey = 0;
		s->is_key_long = false;
	}
}

static void keep_key(ag_json_shape *s, char c)
{
	if (!s->is_root_key)
		return;
	if (s->nkey == sizeof(s->key))
		s->is_key_long = true;
	else
		s->key[s->nkey++] = c;
}

static bool string_step(ag_json_shape *s, char c)
{
	if (c == '"') {
		if (s->after_string == BEHIND_VALUE)
			end_value(s, s->at + 1);
		else
			s->state = s->after_string;
		return true;
	}
	if ((unsigned char)c < 0x20)
		return fail(s);
	if (c == '\\')
		s->state = IN_ESCAPE;
	keep_key(s, c);
	return true;
}

static bool escape_step(ag_json_shape *s, char c)
{
	if (c == '\0' || !strchr("\"\\/bfnrtu", c))
		return fail(s);
	s->nhex = 0;
	s->state = c == 'u' ? IN_HEX : IN_STRING;
	keep_key(s, c);
	return true;
}

static bool hex_step(ag_json_shape *s, char c)
{
	if (!is_digit(c) && !(c >= 'a' && c <= 'f') && !(c >= 'A' && c <= 'F'))
		return fail(s);
	if (++s->nhex == 4)
		s->state = IN_STRING;
	keep_key(s, c);
	return true;
}

static bool word_step(ag_json_shape *s, char c)
{
	if (c != *s->word)
		return fail(s);
	if (!*++s->word)
		end_value(s, s->at + 1);
	return true;
}

static bool is_number_whole(const ag_json_shape *s)
{
	return s->number == ZERO || s->number == INTEGER || s->number == FRACTION ||
	       s->number == EXPONENT_DIGIT;
}

/* The byte that ends a number belongs to what follows. */
static bool end_number(ag_json_shape *s)
{
	if (!is_number_whole(s))
		return fail(s);
	end_value(s, s->at);
	return false;
}

static bool number_digit(ag_json_shape *s, char c)
{
	switch (s->number) {
	case MINUS: s->number = c == '0' ? ZERO : INTEGER; return true;
	case ZERO: return fail(s);
	case POINT: s->number = FRACTION; return true;
	case EXPONENT:
	case EXPONENT_SIGN: s->number = EXPONENT_DIGIT; return true;
	default: return true;
	}
}

static bool number_step(ag_json_shape *s, char c)
{
	if (is_digit(c))
		return number_digit(s, c);
	if (c == '.' && (s->number == ZERO || s->number == INTEGER)) {
		s->number = POINT;
		return true;
	}
	if ((c == 'e' || c == 'E') && s->number != EXPONENT_DIGIT && is_number_whole(s)) {
		s->number = EXPONENT;
		return true;
	}
	if ((c == '+' || c == '-') && s->number == EXPONENT) {
		s->number = EXPONENT_SIGN;
		return true;
	}
	return end_number(s);
}

/* --- one byte */

static bool begin_value(ag_json_shape *s, char c)
{
	switch (c) {
	case '[':
	case '{': return begin_container(s, c);
	case '"': begin_string(s, false); return true;
	case 't': s->word = "rue"; break;
	case 'f': s->word = "alse"; break;
	case 'n': s->word = "ull"; break;
	default:
		if (c != '-' && !is_digit(c))
			return fail(s);
		s->number = c == '-' ? MINUS : c == '0' ? ZERO : INTEGER;
		s->state = IN_NUMBER;
		return true;
	}
	s->state = IN_WORD;
	return true;
}

static bool behind_value_step(ag_json_shape *s, char c)
{
	if (!s->depth || (c != ',' && c != ']' && c != '}'))
		return fail(s);
	count_element(s);
	if (c != ',')
		return end_container(s, c);
	s->state = in_array(s) ? WANT_VALUE : WANT_KEY;
	return true;
}

static bool between_step(ag_json_shape *s, char c)
{
	if (is_space(c))
		return true;
	switch (s->state) {
	case WANT_VALUE_OR_END:
		if (c == ']')
			return end_container(s, c);
		return begin_value(s, c);
	case WANT_VALUE: return begin_value(s, c);
	case WANT_KEY_OR_END:
		if (c == '}')
			return end_container(s, c);
		if (c != '"')
			return fail(s);
		begin_string(s, true);
		return true;
	case WANT_KEY:
		if (c != '"')
			return fail(s);
		begin_string(s, true);
		return true;
	case WANT_COLON: s->state = WANT_VALUE; return c == ':' ? true : fail(s);
	default: return behind_value_step(s, c);
	}
}

static bool step(ag_json_shape *s, char c)
{
	switch (s->state) {
	case IN_STRING: return string_step(s, c);
	case IN_ESCAPE: return escape_step(s, c);
	case IN_HEX: return hex_step(s, c);
	case IN_WORD: return word_step(s, c);
	case IN_NUMBER: return number_step(s, c);
	default: return between_step(s, c);
	}
}

void ag_json_shape_feed(ag_json_shape *s, ag_str piece)
{
	for (size_t i = 0; i < piece.len && !s->is_broken; i++, s->at++) {
		while (!step(s, piece.ptr[i]))
			;
	}
}

bool ag_json_shape_end(ag_json_shape *s)
{
	if (s->state == IN_NUMBER && s->depth == 0 && !s->is_broken)
		(void)end_number(s);
	return s->is_done && !s->is_broken;
}
