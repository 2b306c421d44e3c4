/* CSV into a table; see fuzz_table.h. */
#include "fuzz_table.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	return fuzz_table(AG_FORMAT_CSV, data, size);
}
