/* Streams and answers of the OpenAI protocol; see fuzz_wire.h. */
#include "fuzz_wire.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	return fuzz_wire(&ag_llm_wire_openai, data, size);
}
