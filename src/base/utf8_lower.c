/* utf8_lower -- small letters without changing any length, and what a letter is.
 *
 * Only letters of one and two bytes have another case of the same length; the rest (Georgian, Cherokee …) stays as it is. The
 * offsets in a text and in its small copy are then the same, which searches rely on. */
#include "base/utf8.h"

/* Every `step`th code point from first to last becomes itself + delta. All below U+0800, before and after. */
static const struct range {
	uint16_t first, last;
	uint8_t step, delta;
} ranges[] = {
	{ 0x00c0, 0x00d6, 1, 32 }, { 0x00d8, 0x00de, 1, 32 }, { 0x0100, 0x012e, 2, 1 },
	{ 0x0132, 0x0136, 2, 1 },  { 0x0139, 0x0147, 2, 1 },  { 0x014a, 0x0176, 2, 1 },
	{ 0x0179, 0x017d, 2, 1 },  { 0x01cd, 0x01db, 2, 1 },  { 0x01de, 0x01ee, 2, 1 },
	{ 0x01f8, 0x021e, 2, 1 },  { 0x0222, 0x0232, 2, 1 },  { 0x0386, 0x0386, 1, 38 },
	{ 0x0388, 0x038a, 1, 37 }, { 0x038c, 0x038c, 1, 64 }, { 0x038e, 0x038f, 1, 63 },
	{ 0x0391, 0x03a1, 1, 32 }, { 0x03a3, 0x03ab, 1, 32 }, { 0x0400, 0x040f, 1, 80 },
	{ 0x0410, 0x042f, 1, 32 }, { 0x0460, 0x0480, 2, 1 },  { 0x048a, 0x04be, 2, 1 },
	{ 0x04c1, 0x04cd, 2, 1 },  { 0x04d0, 0x052e, 2, 1 },  { 0x0531, 0x0556, 1, 48 },
};

static unsigned small_of(unsigned cp)
{
	for (size_t i = 0; i < AG_NELEM(ranges) && ranges[i].first <= cp; i++) {
		if (cp <= ranges[i].last && (cp - ranges[i].first) % ranges[i].step == 0)
			return cp + ranges[i].delta;
	}
	return cp;
}

void ag_utf8_lower(char *p, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		unsigned char c = (unsigned char)p[i];
		unsigned cp;

		if (c < 0x80) {
			p[i] = (char)(c + 32u * (c >= 'A' && c <= 'Z'));
			continue;
		}
		if (c < 0xc3 || c > 0xd5 || i + 1 >= n || ((unsigned char)p[i + 1] & 0xc0) != 0x80)
			continue;
		cp = small_of((c & 0x1fu) << 6 | ((unsigned char)p[i + 1] & 0x3fu));
		p[i] = (char)(0xc0 | cp >> 6);
		p[++i] = (char)(0x80 | (cp & 0x3f));
	}
}

/* Signs beyond ASCII that stand between words; everything else there is taken for a letter. */
static const struct {
	uint32_t first, last;
} signs[] = {
	{ 0x0080, 0x00a9 },   { 0x00ab, 0x00b4 }, { 0x00b6, 0x00b9 }, { 0x00bb, 0x00bf },
	{ 0x00d7, 0x00d7 },   { 0x00f7, 0x00f7 }, { 0x02c2, 0x02df }, { 0x037e, 0x037e },
	{ 0x0387, 0x0387 },   { 0x055a, 0x055f }, { 0x0589, 0x058a }, { 0x05be, 0x05be },
	{ 0x060c, 0x060d },   { 0x061b, 0x061f }, { 0x066a, 0x066d }, { 0x06d4, 0x06d4 },
	{ 0x0964, 0x0965 },   { 0x2000, 0x206f }, { 0x20a0, 0x20cf }, { 0x2190, 0x2bff },
	{ 0x2e00, 0x2e7f },   { 0x3000, 0x3004 }, { 0x3008, 0x3020 }, { 0x3030, 0x303f },
	{ 0xfe10, 0xfe1f },   { 0xfe30, 0xfe6f }, { 0xfeff, 0xff0f }, { 0xff1a, 0xff20 },
	{ 0xff3b, 0xff40 },   { 0xff5b, 0xff65 }, { 0xfff0, 0xffff }, { 0x1f000, 0x1faff },
	{ 0xe0000, 0xe007f },
};

bool ag_utf8_is_letter(uint32_t cp)
{
	if (cp < 0x80)
		return cp == '_' || (cp >= '0' && cp <= '9') || (cp >= 'A' && cp <= 'Z') ||
		       (cp >= 'a' && cp <= 'z');
	for (size_t i = 0; i < AG_NELEM(signs) && signs[i].first <= cp; i++) {
		if (cp <= signs[i].last)
			return false;
	}
	return true;
}
