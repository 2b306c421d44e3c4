/* fuzz -- what every fuzz target defines.
 *
 * To add a target: write tests/fuzz/fuzz_<name>.c with this function, add <name> to fuzz_targets
 * in tests/meson.build and some small inputs to tests/fuzz/corpus/<name>/ (a dictionary may stand
 * in tests/fuzz/<name>.dict). An input that broke something stays in the corpus for good. */
#ifndef AG_TESTS_FUZZ_H
#define AG_TESTS_FUZZ_H

#include <stddef.h>
#include <stdint.h>

/* Feeds the bytes to the code under test; returns 0. Must not keep state between calls. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif
