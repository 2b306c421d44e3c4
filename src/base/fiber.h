/* fiber -- work on a stack of its own, which can be left in the middle and entered again, on another thread as well.
 *
 * What is on such a stack may have moved to another thread after any call that leaves it: it holds no mutex then, and nothing
 * keeps the address of a thread-local variable. The compiler would keep that of errno, which glibc declares constant: the
 * build takes the word out of its headers (meson.build). */
#ifndef AG_BASE_FIBER_H
#define AG_BASE_FIBER_H

#include <stdbool.h>

#include "base/compiler.h"

typedef struct ag_fiber ag_fiber;

/* run(arg) is called each time when the fiber is entered after it had returned. NULL: no memory, or this processor is not
 * known; the caller does the work on its own stack. */
ag_fiber *ag_fiber_new(size_t stack_bytes, void (*run)(void *arg), void *arg);
/* Not in the middle of run(). Accepts NULL, returns NULL. */
ag_fiber *ag_fiber_free(ag_fiber *f);
/* Begins run(), or goes on with it, until it returns (true) or leaves (false). */
AG_CHECK bool ag_fiber_enter(ag_fiber *f);
/* Within run(): back to who entered it. Returns when the fiber is entered again. */
void ag_fiber_leave(ag_fiber *f);

#endif
