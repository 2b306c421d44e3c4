/* Any bytes through the text detectors: no crash, and the promises on lengths hold. */
#include <stdlib.h>

#include "columns/textclass.h"
#include "fuzz.h"

static void check(bool ok)
{
	if (!ok)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	ag_str s = ag_str_make((const char *)data, size);
	ag_buf b = AG_BUF_INIT(16u * 1024 * 1024);
	unsigned classes = ag_text_classify(s);
	int first, second;

	check(classes < 1u << AG_TEXT_NCLASS);
	check(ag_text_repair(s, &b) == (classes >> AG_TEXT_MOJIBAKE & 1) && b.len <= size);
	check(ag_text_date_format(s, &first, &second) < AG_DATE_NFORMAT);
	check(first >= 0 && first <= 31 && second >= 0 && second <= 31);
	ag_buf_clear(&b);
	ag_text_shape(s, &b);
	check(b.len <= 67 * 4);
	ag_buf_clear(&b);
	ag_text_fold(s, &b);
	ag_text_fold_hard(s, &b);
	check(!b.failed && ag_text_words(s) <= size);
	ag_buf_release(&b);
	return 0;
}
