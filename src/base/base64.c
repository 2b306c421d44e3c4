/* base64url, strictly: one text for one sequence of bytes. */
#include "base/base64.h"

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

void ag_base64url_add(ag_buf *out, ag_str bytes, bool is_padded)
{
	for (size_t i = 0; i < bytes.len; i += 3) {
		size_t n = bytes.len - i < 3 ? bytes.len - i : 3;
		unsigned v = 0;

		for (size_t k = 0; k < 3; k++)
			v = v << 8 | (k < n ? (unsigned char)bytes.ptr[i + k] : 0);
		for (size_t k = 0; k < n + 1; k++)
			ag_buf_addc(out, digits[v >> (18 - 6 * k) & 63]);
		for (size_t k = n; k < 3 && is_padded; k++)
			ag_buf_addc(out, '=');
	}
}

/* Without a look into a table at a place that depends on the text: it may be a key. */
static int digit(char ch)
{
	int c = (unsigned char)ch;
	int upper = c - 'A', lower = c - 'a', number = c - '0', ret = -1;

	ret = upper >= 0 && upper < 26 ? upper : ret;
	ret = lower >= 0 && lower < 26 ? lower + 26 : ret;
	ret = number >= 0 && number < 10 ? number + 52 : ret;
	ret = c == '-' ? 62 : ret;
	return c == '_' ? 63 : ret;
}

bool ag_base64url_read(ag_str text, ag_buf *out)
{
	size_t npad = 0;
	unsigned v = 0, nbit = 0;

	while (npad < 2 && npad < text.len && text.ptr[text.len - 1 - npad] == '=')
		npad++;
	if (npad && text.len % 4)
		return false;
	text.len -= npad;
	if (text.len % 4 == 1)
		return false;
	for (size_t i = 0; i < text.len; i++) {
		int d = digit(text.ptr[i]);

		if (d < 0)
			return false;
		v = v << 6 | (unsigned)d;
		nbit += 6;
		if (nbit >= 8) {
			nbit -= 8;
			ag_buf_addc(out, (char)(v >> nbit));
			v &= (1u << nbit) - 1;
		}
	}
	return v == 0 && !out->failed;
}
