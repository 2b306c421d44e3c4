/* root_parts -- what the files of root share: the handle, finding a path beneath it, and why one is refused. */
#ifndef AG_ASK_ROOT_PARTS_H
#define AG_ASK_ROOT_PARTS_H

#include <pthread.h>
#include <sys/stat.h>

#include "ask/ignore.h"
#include "ask/root.h"

#define AG_ROOT_ORIGIN "ask.root"

typedef struct ag_root_inode {
	uint64_t dev, ino;
} ag_root_inode;

/* The rules of one folder; NULL: it has none. */
typedef struct ag_root_rules {
	ag_str folder;
	const ag_ignore *rules;
	bool is_used;
} ag_root_rules;

#define AG_ROOT_MAX_ABOVE 16 /* folders between a root and the repository that it is a part of */

/* The .gitignore of a folder above the root. */
typedef struct ag_root_above {
	ag_str prefix; /* from there to the root: "services/shop" */
	const ag_ignore *rules;
} ag_root_above;

struct ag_root {
	int fd; /* O_PATH */
	ag_arena *arena;
	ag_str path;
	uint64_t dev;
	bool by_hand; /* no openat2 here, or no /proc */
	bool allow_ignored;
	ag_root_above above[AG_ROOT_MAX_ABOVE]; /* the nearest first */
	size_t nabove;
	/* What is learnt while it is read; with lock. */
	pthread_mutex_t lock;
	ag_root_inode *secrets;
	size_t nsecret;
	bool has_learnt; /* the inodes of files with secret names are among them */
	/* root_rules.c: rules of folders that were asked for, by their path; a hash table. */
	ag_arena *rules_arena;
	ag_root_rules *rules;
	size_t nrules, crules;
	const ag_ignore *exclude; /* .git/info/exclude */
	bool has_exclude;         /* it was looked for */
};

/* --- root_path.c: the words of a path --- */

/* Components, joined by one slash; false: refused, *ret_why says why ("leads upwards"). */
bool ag_root_normal_path(ag_str path, ag_arena *arena, ag_str *ret, bool *ret_must_be_folder,
                         const char **ret_why);
/* At most 160 bytes of a name from outside that may stand in a message: one line, no control characters. */
typedef struct ag_root_shown {
	char text[168];
} ag_root_shown;
ag_root_shown ag_root_show(ag_str path);
ag_str ag_root_join(ag_arena *arena, ag_str folder, ag_str name);
/* The folder above; "" of a name in the root. */
ag_str ag_root_parent(ag_str path);
ag_str ag_root_last_name(ag_str path);

/* --- root_open.c: beneath the root, whatever happens to the tree meanwhile --- */

typedef struct ag_root_fd {
	int fd; /* O_PATH: nothing was opened for reading yet */
	struct stat st;
	ag_str real; /* beneath the root, without links */
} ag_root_fd;

/* Does openat2 work here, and can names be asked of descriptors? */
bool ag_root_can_openat2(int fd);
/* 0, or errno: EXDEV leads out, ELOOP too many links, ESTALE changes all the time. Closed by the caller (fd). */
int ag_root_open_beneath(const ag_root *r, ag_str path, bool follow, ag_arena *arena,
                         ag_root_fd *ret);
/* For reading; the same file, or ESTALE. -1 and errno. */
int ag_root_open_for_reading(const ag_root *r, const ag_root_fd *f);

/* --- root_rules.c: .gitignore of the folders --- */

/* The rules of the folders above the root that are of its repository. They are read once, with the root: later the kernel may
 * forbid it. */
void ag_root_load_above(ag_root *r);
/* Of the path alone: the folders above it are not ignored. ret_where: ".gitignore:3"; may be NULL */
bool ag_root_is_ignored_here(ag_root *r, ag_str path, bool is_folder, ag_arena *arena,
                             ag_str *ret_where);
bool ag_root_is_ignored(ag_root *r, ag_str path, bool is_folder, ag_arena *arena,
                        ag_str *ret_where);

/* --- root_project.c --- */

/* Not beyond it: what stands there is no project. */
bool ag_root_is_home_or_top(int dir);

/* --- root_find.c: may it be seen? --- */

typedef enum ag_root_verdict {
	AG_ROOT_FOUND,
	AG_ROOT_MISSING,
	AG_ROOT_OUTSIDE,
	AG_ROOT_LOOP,
	AG_ROOT_SECRET,
	AG_ROOT_IGNORED,
	AG_ROOT_FAILED, /* errno in `native` */
} ag_root_verdict;

typedef struct ag_root_found {
	ag_root_fd at; /* at.fd >= 0 only of AG_ROOT_FOUND */
	ag_root_stat stat;
	ag_root_verdict verdict;
	const char *why; /* of a secret: "a file of passwords" */
	ag_str where;    /* of an ignored one: ".gitignore:3" */
	int native;
} ag_root_found;

/* path is a normal one; in arena. Closed with ag_root_release(). */
void ag_root_find(ag_root *r, ag_str path, ag_arena *arena, ag_root_found *ret);
void ag_root_release(ag_root_found *f); /* for AG_AUTO */
/* Checks the words of the path, finds it, and says in err what is wrong. */
ag_status ag_root_get(ag_root *r, const ag_ctx *ctx, ag_str path, ag_arena *arena,
                      ag_root_found *ret, ag_err *err);
ag_root_stat ag_root_stat_of(const struct stat *st, ag_str path);
/* Is this inode that of a secret? Of files with several names those with secret ones are looked for first. */
bool ag_root_is_secret_inode(ag_root *r, const struct stat *st);
/* By name, as it is called and as it is. */
bool ag_root_is_secret_name(ag_str called, ag_str real, bool is_folder, const char **ret_why);

/* --- root_dir.c: the entries of one folder --- */

#define AG_ROOT_MAX_NAMES_READ \
	200000u /* of one folder: 100,000 files are read, ten million are not */

/* Names of an O_PATH folder but "." and "..", sorted; is_cut: there are more. 0 or errno. */
int ag_root_names(const ag_root *r, const ag_root_fd *dir, size_t max, ag_arena *arena,
                  ag_str **ret, size_t *nret, bool *ret_cut);

/* --- root_near.c: what the caller may have meant --- */

/* "wiki/github.md", or "" */
ag_str ag_root_near(ag_root *r, const ag_ctx *ctx, ag_str path, ag_arena *arena);

#endif
