/* root -- the project's folder, opened once; the only way in which ask/ reads a file.
 *
 * Paths come from a model: relative, "/" between names, checked component by component and then opened beneath the root
 * by the kernel (openat2 RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS; without it name by name with O_NOFOLLOW, links resolved
 * by hand beneath the root). Everything that is decided is decided on the opened descriptor, so nothing can be swapped
 * between check and use. Only regular files and folders; O_NONBLOCK, so a FIFO cannot hold us.
 *
 * Refused (AG_DENIED, the reason in words, nothing of the target): ".." as a component, absolute paths, NUL, backslash,
 * bytes that are no UTF-8, more than AG_ROOT_MAX_PATH bytes, what leads out of the root, and secrets: by name
 * (ask/secret.h, any case, of the path as given and of what it really is), by .gitignore (ask/ignore.h), and by device
 * and inode of every file that keys were loaded from, so that links and hard links do not help.
 *
 * Any number of threads may read through one handle at the same time. ag_root_add_secret() is for the time before. */
#ifndef AG_ASK_ROOT_H
#define AG_ASK_ROOT_H

#include "base/arena.h"
#include "base/err.h"
#include "run/ctx.h"

#define AG_ROOT_MAX_PATH    4096u
#define AG_ROOT_MAX_NAMES   256u        /* components of a path */
#define AG_ROOT_MAX_FILE    (64u << 20) /* bytes of a file that are looked at */
#define AG_ROOT_MAX_ENTRIES 5000u       /* of one listing */

typedef struct ag_root ag_root;

typedef struct ag_root_opts {
	ag_str path;        /* "" = the current folder */
	bool no_openat2;    /* for tests: the way without the system call */
	bool allow_ignored; /* what .gitignore names may be read (never secrets) */
} ag_root_opts;

/* errors  AG_NOT_FOUND, AG_DENIED, AG_INVALID (no folder) */
AG_CHECK ag_status ag_root_open(const ag_root_opts *o, ag_root **ret, ag_err *err);
ag_root *ag_root_close(ag_root *r); /* accepts NULL, returns NULL */
/* Absolute, without links: for people and for the sandbox. */
ag_str ag_root_path(const ag_root *r);
/* This file holds keys: refuse it under whatever name. False when it cannot be looked at (then it need not be). */
bool ag_root_add_secret(ag_root *r, const char *path);
/* Device and inode of a secret. */
void ag_root_add_secret_inode(ag_root *r, uint64_t dev, uint64_t ino);

typedef enum ag_root_kind { AG_ROOT_FILE, AG_ROOT_FOLDER, AG_ROOT_OTHER } ag_root_kind;

typedef struct ag_root_stat {
	ag_root_kind kind;
	uint64_t size;
	int64_t mtime_ns;
	ag_str path; /* as it is called: without "./", "//" and a last slash; "" = the root */
} ag_root_stat;

typedef struct ag_root_text {
	ag_root_stat stat;
	ag_str text;    /* at most `limit` bytes from the beginning */
	bool is_cut;    /* the file is longer */
	bool is_binary; /* a NUL in the first 8 KiB, or no UTF-8: text is "" then */
} ag_root_text;

/* The beginning of a regular file. A byte-order mark is kept. What is not quite UTF-8 (a few bad bytes in text) is given
 * as it is; whoever prints it repairs it.
 * errors  AG_DENIED, AG_NOT_FOUND (with the nearest name there is, when one is near), AG_INVALID (a folder, or no
 *         regular file), AG_LIMIT never: it cuts; AG_CANCELLED, AG_TIMEOUT */
AG_CHECK ag_status ag_root_read(ag_root *r, const ag_ctx *ctx, ag_str path, size_t limit,
                                ag_arena *arena, ag_root_text *ret, ag_err *err);

typedef struct ag_root_entry {
	ag_str name;       /* of the entry, not its path */
	ag_root_kind kind; /* of what a link leads to; a link out of the root is OTHER */
	uint64_t size;
	int64_t mtime_ns;
} ag_root_entry;

typedef struct ag_root_list {
	const ag_root_entry *
		entries; /* by name, bytewise; secrets and .git are not in it, ignored ones neither */
	size_t n;
	size_t nhidden; /* secrets that were left out */
	bool is_cut;    /* more than AG_ROOT_MAX_ENTRIES */
} ag_root_list;

/* path "" or "." = the root. errors as ag_root_read; AG_INVALID for a file */
AG_CHECK ag_status ag_root_list_dir(ag_root *r, const ag_ctx *ctx, ag_str path, ag_arena *arena,
                                    ag_root_list *ret, ag_err *err);

/* Every readable regular file below `under` ("" = all; a file = that one), in the order of their paths. Links are not
 * followed: what they lead to comes under its own name. `file` and its path are good for the call only;
 * secrets, .git and ignored files are not shown, nor node_modules, .venv, __pycache__ and their kind (ask/ignore.h).
 * fn's anything but AG_OK ends the walk with it. At most max_files files (0 = 200,000): *ret_cut says there were more. */
AG_CHECK ag_status ag_root_walk(ag_root *r, const ag_ctx *ctx, ag_str under, size_t max_files,
                                ag_status (*fn)(void *arg, const ag_root_stat *file, ag_err *err),
                                void *arg, bool *ret_cut, ag_err *err);

/* The same, documentation first and bulky files and folders last (ask/worth.h): within a folder by worth and then by path, and
 * what is bulky when all else was shown. So max_files, and fn's own limits, cut off what is least likely to answer. */
AG_CHECK ag_status ag_root_walk_by_worth(ag_root *r, const ag_ctx *ctx, ag_str under,
                                         size_t max_files,
                                         ag_status (*fn)(void *arg, const ag_root_stat *file,
                                                         ag_err *err),
                                         void *arg, bool *ret_cut, ag_err *err);

/* The project that a folder belongs to: the folder itself when it has .git, argus.yaml, a .env file of ours, README*, wiki/
 * or docs/; else the nearest one above with .git, argus.yaml or .env.agent.secret, but neither the home folder nor /;
 * else the folder itself. Absolute, in arena. */
AG_CHECK ag_status ag_root_find_project(ag_str folder, ag_arena *arena, ag_str *ret, ag_err *err);

#endif
