/* compiler -- the only place for compiler extensions (STYLE 3.1), and the assertion. */
#ifndef AG_BASE_COMPILER_H
#define AG_BASE_COMPILER_H

#include <stddef.h>

#define AG_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))
#define AG_CHECK             __attribute__((warn_unused_result))
#define AG_NORETURN          __attribute__((noreturn))
#define AG_UNUSED            __attribute__((unused))
#define AG_ALWAYS_INLINE     __attribute__((always_inline)) inline /* measured hot paths only */
/* Not inlined, and nothing about it is concluded from its body. */
#define AG_NOINLINE __attribute__((noinline))
#define AG_AUTO(fn) __attribute__((cleanup(fn)))

#define AG_LIKELY(x)   __builtin_expect(!!(x), 1)
#define AG_UNLIKELY(x) __builtin_expect(!!(x), 0)
#define AG_PREFETCH(p) __builtin_prefetch(p)

/* Ignore the result of an AG_CHECK function on purpose; the reason is read by people. */
#define AG_IGNORE(expr, reason)               \
	do {                                  \
		if (expr) {                   \
			(void)sizeof(reason); \
		}                             \
	} while (0)

#define AG_NELEM(a) (sizeof(a) / sizeof((a)[0]))

#if defined(__SANITIZE_ADDRESS__)
#define AG_HAS_ASAN 1
#elif defined(__SANITIZE_THREAD__)
#define AG_HAS_TSAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define AG_HAS_ASAN 1
#elif __has_feature(thread_sanitizer)
#define AG_HAS_TSAN 1
#endif
#endif

#ifdef __cplusplus
extern "C" {
#endif

AG_NORETURN void ag_assert_fail(const char *expr, const char *file, int line);
AG_NORETURN void ag_oom(void);

/* malloc and friends that print and abort when small memory runs out (STYLE 3.4). What an
 * outsider can make large is limited before it gets here. */
void *ag_xmalloc(size_t n);
void *ag_xcalloc(size_t n, size_t size);
void *ag_xrealloc(void *p, size_t n);

#ifdef __cplusplus
}
#endif

/* A bug in Argus, never bad input. On in release builds too. */
#define AG_ASSERT(x)                                            \
	do {                                                    \
		if (AG_UNLIKELY(!(x)))                          \
			ag_assert_fail(#x, __FILE__, __LINE__); \
	} while (0)

#endif
