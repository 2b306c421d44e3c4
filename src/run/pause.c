/* pause -- which work runs on this thread. */
#include "run/pause.h"

#include "base/compiler.h"

static _Thread_local ag_pauser *here;

/* Neither is inlined: their callers may go on on another thread, and would keep the address of `here`. */
AG_NOINLINE ag_pauser *ag_pauser_here(void)
{
	return here;
}

AG_NOINLINE void ag_pauser_set(ag_pauser *p)
{
	here = p;
}
