/* prompt_data -- text that is data: made harmless, put into fences.
 *
 * A fence is <data name="…"> … </data>. Nothing inside can close it, because no '<' is ever written there: it becomes
 * \u003c, which means the same inside JSON, so filters with it can still be copied. That also breaks the control words
 * that local servers' templates know (<|im_start|>, <start_of_turn>); "[" before a capital letter or a slash is escaped for
 * the same reason ([INST], [/INST]): JSON never needs it there. Invisible characters (controls, bidi, zero width, tags)
 * are shown as \uXXXX: what a person cannot see must not speak to a model. */
#include <stdio.h>

#include "audit/prompt_parts.h"
#include "base/utf8.h"
#include "query/extjson.h"

#define ELLIPSIS       "…"
#define ELLIPSIS_BYTES (sizeof(ELLIPSIS) - 1)

/* First and last of ranges that show nothing, turn the writing direction, or look like "<". */
static const uint32_t hidden[][2] = {
	{ 0x0080, 0x009F }, { 0x00AD, 0x00AD },   { 0x034F, 0x034F },   { 0x061C, 0x061C },
	{ 0x115F, 0x1160 }, { 0x17B4, 0x17B5 },   { 0x180B, 0x180F },   { 0x200B, 0x200F },
	{ 0x2028, 0x202E }, { 0x2060, 0x206F },   { 0x3164, 0x3164 },   { 0xFE00, 0xFE0F },
	{ 0xFE64, 0xFE64 }, { 0xFEFF, 0xFEFF },   { 0xFF1C, 0xFF1C },   { 0xFFA0, 0xFFA0 },
	{ 0xFFF0, 0xFFFB }, { 0x1D173, 0x1D17A }, { 0xE0000, 0xE0FFF },
};

static bool is_hidden(uint32_t cp)
{
	for (size_t i = 0; i < AG_NELEM(hidden); i++)
		if (cp >= hidden[i][0] && cp <= hidden[i][1])
			return true;
	return false;
}

static bool is_bracket_of_control_word(ag_str text, size_t pos)
{
	const char next = pos < text.len ? text.ptr[pos] : '\0';

	return next == '/' || (next >= 'A' && next <= 'Z');
}

static size_t put_escaped(char out[16], uint32_t cp)
{
	if (cp < 0x10000)
		return (size_t)snprintf(out, 16, "\\u%04x", cp);
	cp -= 0x10000;
	return (size_t)snprintf(out, 16, "\\u%04x\\u%04x", 0xD800 + (cp >> 10),
	                        0xDC00 + (cp & 0x3FF));
}

/* One character of text, made harmless; *pos moves behind it. */
static size_t put_char(char out[16], ag_str text, size_t *pos)
{
	const uint32_t cp = ag_utf8_next(text, pos);
	static const char short_form[] = "tn\0\0r";

	if (cp >= '\t' && cp <= '\r' && short_form[cp - '\t']) {
		out[0] = '\\';
		out[1] = short_form[cp - '\t'];
		return 2;
	}
	if (cp < 0x20 || cp == 0x7F || cp == '<' || is_hidden(cp) ||
	    (cp == '[' && is_bracket_of_control_word(text, *pos)))
		return put_escaped(out, cp);
	return ag_utf8_put(out, cp);
}

void ag_prompt_data(ag_buf *out, ag_str text, size_t max)
{
	const size_t start = out->len;
	size_t keep = start; /* where the text can end and leave room for the ellipsis */

	for (size_t pos = 0; pos < text.len;) {
		char piece[16];
		const size_t n = put_char(piece, text, &pos);

		if (out->len - start + n > max) {
			if (out->failed || !out->ptr)
				return;
			out->len = keep;
			out->ptr[keep] = '\0';
			if (keep - start + ELLIPSIS_BYTES <= max)
				ag_buf_adds(out, ELLIPSIS);
			return;
		}
		ag_buf_add(out, ag_str_make(piece, n));
		if (out->len - start + ELLIPSIS_BYTES <= max)
			keep = out->len;
	}
}

/* Texts are cut before they are quoted, so that what is shown is still JSON. */
static ag_val shortened(const ag_val *v, size_t max, ag_arena *arena)
{
	ag_buf text = AG_BUF_INIT(4096);
	ag_val ret = *v;

	if (v->type == AG_T_STRING && v->n > max) {
		size_t n = max;

		while (n > 0 && ((unsigned char)v->u.s[n] & 0xC0) == 0x80)
			n--;
		ag_buf_add(&text, ag_str_make(v->u.s, n));
		ag_buf_adds(&text, ELLIPSIS);
		ret = ag_val_str(ag_buf_dup(arena, &text));
		ag_buf_release(&text);
	}
	return ret;
}

void ag_prompt_json(ag_buf *out, const ag_val *v, size_t max, ag_arena *arena)
{
	const ag_val cut = shortened(v, max > 8 ? max - 8 : 0, arena);

	ag_prompt_data(out, ag_extjson_str(arena, &cut, AG_EXTJSON_RELAXED), max);
}

ag_str ag_prompt_percent(double share, ag_arena *arena)
{
	return ag_str_printf(arena, "%.4g %%", share * 100);
}

void ag_prompt_fence(ag_buf *out, const char *name)
{
	ag_buf_addf(out, "<data name=\"%s\">\n", name);
}

void ag_prompt_fence_end(ag_buf *out)
{
	ag_buf_adds(out, "</data>\n");
}

/* ---- files ---- */
