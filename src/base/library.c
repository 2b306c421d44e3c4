/* dlopen, and a table filled name by name: what is missing is told by its name. */
#include "base/library.h"

#include <dlfcn.h>

#define ORIGIN "base.library"

ag_status ag_library_load(const char *file, const char *what, const ag_library_function *functions,
                          size_t n, void *table, ag_err *err)
{
	void *library = dlopen(file, RTLD_LAZY | RTLD_LOCAL);

	if (!library) {
		const char *why = dlerror();

		return ag_fail(err, AG_UNAVAILABLE, ORIGIN, "%s cannot be loaded: %s", what,
		               why ? why : file);
	}
	for (size_t i = 0; i < n; i++) {
		void *address = dlsym(library, functions[i].name);

		if (!address)
			return ag_fail(err, AG_UNAVAILABLE, ORIGIN, "%s, %s, has no %s", what, file,
			               functions[i].name);
		/* POSIX lets a function's address travel in a void *, C does not: so it is copied. */
		memcpy((char *)table + functions[i].offset, &address, sizeof(address));
	}
	return AG_OK;
}
