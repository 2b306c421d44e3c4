/* live_wrap -- see the header. */
#include "cli/live_wrap.h"

#include "base/utf8.h"

void ag_live_wrap_end(ag_live_wrap *w, ag_buf *out)
{
	const ag_str word = ag_str_make(w->word, w->nword);
	const size_t width = ag_utf8_width(word);

	if (w->nword && w->width && w->col && w->col + w->nblank + width > w->width) {
		ag_buf_addc(out, '\n');
		w->col = w->nblank = 0;
	}
	for (size_t i = 0; i < w->nblank; i++)
		ag_buf_addc(out, ' ');
	ag_buf_add(out, word);
	w->col += w->nblank + width;
	w->nblank = w->nword = 0;
}

void ag_live_wrap_add(ag_live_wrap *w, ag_str text, ag_buf *out)
{
	for (size_t i = 0; i < text.len; i++) {
		const char c = text.ptr[i];

		if (c == '\n') {
			ag_live_wrap_end(w, out);
			ag_buf_addc(out, c);
			w->col = 0;
		} else if (c == ' ') {
			if (w->nword)
				ag_live_wrap_end(w, out);
			w->nblank++;
		} else {
			/* Whole characters: what is held back ends before one begins. */
			if (w->nword + 4 > AG_LIVE_WRAP_WORD && ((unsigned char)c & 0xC0) != 0x80)
				ag_live_wrap_end(w, out);
			w->word[w->nword++] = c;
			if (w->nword == AG_LIVE_WRAP_WORD)
				ag_live_wrap_end(w, out);
		}
	}
}
