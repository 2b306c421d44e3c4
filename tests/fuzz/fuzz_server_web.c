/* Any bytes as Accept-Encoding: whatever they are, a coding that is not named, and not covered by "*", is not taken. */
#include <stdlib.h>

#include "fuzz.h"
#include "server/web.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const ag_str accept = ag_str_make((const char *)data, size);
	const bool takes = ag_server_web_takes(accept, "br");

	if (takes && ag_str_find(accept, '*') < 0 && ag_str_find(accept, 'b') < 0 &&
	    ag_str_find(accept, 'B') < 0)
		abort();
	return 0;
}
