/* fiber -- the stacks, and what the sanitizers are told about them. The switch itself is fiber_switch.S. */
#include "base/fiber.h"

#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#ifdef AG_HAS_ASAN
#include <sanitizer/common_interface_defs.h>
#endif
#ifdef AG_HAS_TSAN
#include <sanitizer/tsan_interface.h>
#endif

struct ag_fiber {
	void *sp;      /* of the fiber while it is left; of who entered it while it runs */
	char *mapping; /* a page that nobody may touch, then the stack */
	size_t npage, nstack;
	void (*run)(void *arg);
	void *arg;
	bool has_returned;
#ifdef AG_HAS_ASAN
	void *own_fake, *other_fake;
	const void *other_stack;
	size_t nother;
#endif
#ifdef AG_HAS_TSAN
	void *own_state, *other_state;
#endif
};

#if defined(__x86_64__) || defined(__aarch64__)
#define HAS_SWITCH true
void ag_fiber_switch(void **ret_from, void *to);
void ag_fiber_begin(void);
#else /* there is none, so nothing of it is called */
#define HAS_SWITCH                    false
#define ag_fiber_switch(ret_from, to) AG_ASSERT(!(to))
#endif

/* --- the sanitizers --- */

static AG_ALWAYS_INLINE void before_enter(ag_fiber *f)
{
#ifdef AG_HAS_ASAN
	__sanitizer_start_switch_fiber(&f->other_fake, f->mapping + f->npage, f->nstack);
#elif defined(AG_HAS_TSAN)
	f->other_state = __tsan_get_current_fiber();
	__tsan_switch_to_fiber(f->own_state, 0);
#else
	(void)f;
#endif
}

static AG_ALWAYS_INLINE void after_enter(ag_fiber *f)
{
#ifdef AG_HAS_ASAN
	__sanitizer_finish_switch_fiber(f->own_fake, &f->other_stack, &f->nother);
#else
	(void)f;
#endif
}

static AG_ALWAYS_INLINE void before_leave(ag_fiber *f)
{
#ifdef AG_HAS_ASAN
	__sanitizer_start_switch_fiber(&f->own_fake, f->other_stack, f->nother);
#elif defined(AG_HAS_TSAN)
	__tsan_switch_to_fiber(f->other_state, 0);
#else
	(void)f;
#endif
}

static AG_ALWAYS_INLINE void after_leave(const ag_fiber *f)
{
#ifdef AG_HAS_ASAN
	__sanitizer_finish_switch_fiber(f->other_fake, NULL, NULL);
#else
	(void)f;
#endif
}

/* --- life --- */

static void leave(ag_fiber *f)
{
	before_leave(f);
	ag_fiber_switch(&f->sp, f->sp);
	after_enter(f);
}

/* On the fiber's stack, and never left for good. */
static void live(ag_fiber *f)
{
	after_enter(f);
	for (;;) {
		f->run(f->arg);
		f->has_returned = true;
		leave(f);
	}
}

/* What ag_fiber_switch() finds when it enters the stack for the first time. */
static void lay_stack(ag_fiber *f)
{
	uintptr_t *top = (uintptr_t *)(void *)(f->mapping + f->npage + f->nstack);

#if defined(__x86_64__)
	*--top = 0; /* the ABI wants 16 bytes before the call */
	*--top = 0;
	*--top = (uintptr_t)ag_fiber_begin;
	*--top = 0;               /* rbp */
	*--top = (uintptr_t)f;    /* rbx */
	*--top = (uintptr_t)live; /* r12 */
	top -= 3;                 /* r13 to r15: zero, as all of a new mapping */
#elif defined(__aarch64__)
	top -= 20;
	top[0] = (uintptr_t)f;               /* x19 */
	top[1] = (uintptr_t)live;            /* x20 */
	top[11] = (uintptr_t)ag_fiber_begin; /* x30 */
#else
	(void)live;
#endif
	f->sp = top;
}

ag_fiber *ag_fiber_new(size_t stack_bytes, void (*run)(void *arg), void *arg)
{
	const size_t npage = (size_t)sysconf(_SC_PAGESIZE);
	const size_t nstack = (stack_bytes + npage - 1) / npage * npage;
	char *mapping;
	ag_fiber *f;

	if (!HAS_SWITCH)
		return NULL;
	mapping = (char *)mmap(NULL, npage + nstack, PROT_READ | PROT_WRITE,
	                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK | MAP_NORESERVE, -1, 0);
	if (mapping == MAP_FAILED)
		return NULL;
	if (mprotect(mapping, npage, PROT_NONE)) {
		munmap(mapping, npage + nstack);
		return NULL;
	}
	f = (ag_fiber *)ag_xcalloc(1, sizeof(*f));
	f->mapping = mapping;
	f->npage = npage;
	f->nstack = nstack;
	f->run = run;
	f->arg = arg;
	lay_stack(f);
#ifdef AG_HAS_TSAN
	f->own_state = __tsan_create_fiber(0);
#endif
	return f;
}

ag_fiber *ag_fiber_free(ag_fiber *f)
{
	if (!f)
		return NULL;
#ifdef AG_HAS_TSAN
	__tsan_destroy_fiber(f->own_state);
#endif
	munmap(f->mapping, f->npage + f->nstack);
	free(f);
	return NULL;
}

bool ag_fiber_enter(ag_fiber *f)
{
	f->has_returned = false;
	before_enter(f);
	ag_fiber_switch(&f->sp, f->sp);
	after_leave(f);
	return f->has_returned;
}

void ag_fiber_leave(ag_fiber *f)
{
	leave(f);
}
