/* ask_root_tree -- a project with everything in it that must not get out, for the tests of ask/root.h.
 *
 * CANARY stands in all that must not be seen: beside the root and in its secrets. No message and no text may hold it. A test
 * runs twice (TWICE): with openat2, and by hand. */
#ifndef AG_TESTS_ASK_ROOT_TREE_H
#define AG_TESTS_ASK_ROOT_TREE_H

#include <sys/socket.h>
#include <sys/un.h>

#include "ask/root_parts.h"
#include "ask_tree.h"

#define CANARY    "CANARY-8c1f"
#define KEY_BEGIN "-----BEGIN RSA " /* in two pieces: this file is no key */

static tree all;  /* r, r-secret: the tests' own */
static tree root; /* all/r */

static void make_files(void)
{
	static const char *const files[][2] = {
		{ "README.md", "the readme\n" },
		{ "wiki/a.md", "inside a\n" },
		{ "wiki/github.md", "inside github\n" },
		{ "wiki/key.txt", KEY_BEGIN "PRIVATE KEY-----\n" CANARY "\n" },
		{ "wiki/about-keys.md", "# Keys\n\n    " KEY_BEGIN "PRIVATE KEY-----\n" },
		{ "docs/guide.md", "the guide\n" },
		{ "sp ace/\xc3\xbc.md", "inside umlaut\n" },
		{ "notes..md", "two dots\n" },
		{ "a..b.md", "dots inside\n" },
		{ "empty.md", "" },
		{ ".env", CANARY },
		{ ".env.agent.secret", CANARY },
		{ ".env.docker.secret", CANARY },
		{ ".env.agent.example", "KEY=<placeholder>\n" },
		{ "x.pem", CANARY },
		{ ".netrc", CANARY },
		{ ".git/config", CANARY },
		{ ".git/info/exclude", "local.txt\n" },
		{ ".gitignore", "build/\n*.log\n\nignored-link\n" },
		{ "sub/.gitignore", "!kept.log\nprivate.txt\n" },
		{ "sub/kept.log", "kept log\n" },
		{ "sub/private.txt", CANARY },
		{ "sub/node_modules/x/index.js", "x\n" },
		{ "build/out.txt", CANARY },
		{ "other.log", CANARY },
		{ "local.txt", CANARY },
		{ "deep/one/two/three.md", "three\n" },
	};

	for (size_t i = 0; i < AG_NELEM(files); i++)
		tree_put(&root, files[i][0], files[i][1]);
	tree_put(&all, "r-secret/x", CANARY);
	tree_put_bytes(&root, "logo.png", "\x89PNG\r\n\x1a\n\0\0\0\rIHDR" CANARY, 27);
	tree_put(&root, "latin.txt", "caf\xe9 is one bad byte in a line of text\n");
}

static void make_links(void)
{
	static const char *const links[][2] = {
		{ "ok", "wiki/a.md" },
		{ "chain-in", "ok" },
		{ "chain-out", "lrel" },
		{ "deep/up", "../docs" },
		{ "dot", "." },
		{ "lrel", "../r-secret/x" },
		{ "lgone", "/nowhere/at/all" },
		{ "lgone-rel", "../nowhere" },
		{ "d", "/" },
		{ "up-and-in", "../r/wiki/a.md" },
		{ "loop-a", "loop-b" },
		{ "loop-b", "loop-a" },
		{ "loop-self", "loop-self" },
		{ "dangling", "wiki/nothing.md" },
		{ "through-file", "README.md/x" },
		{ "pub", ".env.agent.secret" },
		{ "pub-chain", "pub" },
		{ "gitlink", ".git" },
		{ "link-to-build", "build/out.txt" },
		{ "ignored-link", "README.md" },
		{ "dev-null", "/dev/null" },
		{ "proc-environ", "/proc/self/environ" },
	};
	char target[300];

	for (size_t i = 0; i < AG_NELEM(links); i++)
		tree_link(&root, links[i][1], links[i][0]);
	snprintf(target, sizeof(target), "%s/r-secret/x", all.dir);
	tree_link(&root, target, "l");
	tree_link(&root, tree_path(&root, "wiki/a.md"), "abs-in");
	assert_int_equal(link(tree_path(&root, ".env.agent.secret"), tree_path(&root, "hard")), 0);
	assert_int_equal(link(tree_path(&root, "x.pem"), tree_path(&root, "hard-unregistered")), 0);
}

static void make_others(void)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	assert_int_equal(mkfifo(tree_path(&root, "fifo"), 0644), 0);
	snprintf(a.sun_path, sizeof(a.sun_path), "%s", tree_path(&root, "sock"));
	assert_int_equal(bind(fd, (struct sockaddr *)&a, sizeof(a)), 0);
	close(fd);
}

static int make_tree(void **state)
{
	(void)state;
	tree_make(&all, "root");
	assert_int_equal(chmod(all.dir, 0755), 0);
	snprintf(root.dir, sizeof(root.dir), "%.180s/r", all.dir);
	tree_mkdir(&root, "");
	make_files();
	make_links();
	make_others();
	return 0;
}

static int remove_tree(void **state)
{
	(void)state;
	tree_remove(&all);
	return 0;
}

/* state: "by hand" or NULL */
static ag_root *open_root(void **state)
{
	const ag_root_opts o = { .path = ag_str_c(root.dir), .no_openat2 = *state != NULL };
	ag_root *r = NULL;
	ag_err err = { 0 };

	if (ag_root_open(&o, &r, &err))
		fail_msg("%s", err.msg);
	assert_true(ag_root_add_secret(r, tree_path(&root, ".env.agent.secret")));
	return r;
}

static void holds_no_canary(ag_str s, const char *of)
{
	if (memmem(s.ptr ? s.ptr : "", s.len, CANARY, strlen(CANARY)))
		fail_msg("%s shows what nobody may see", of);
}

static void err_is_proper(const ag_err *err, const char *of)
{
	holds_no_canary(ag_str_c(err->msg), of);
	holds_no_canary(ag_str_c(err->hint), of);
	if (!err->msg[0] || strstr(err->msg, all.dir) ||
	    (strstr(err->msg, "r-secret") && !strstr(of, "r-secret")))
		fail_msg("%s: \"%s\"", of, err->msg);
	for (const char *p = err->msg; *p; p++)
		assert_true((unsigned char)*p >= ' ' && *p != 0x7f);
}

AG_UNUSED static ag_status read_it(ag_root *r, ag_str path, size_t limit, ag_arena *arena,
                                   ag_root_text *t, ag_err *err)
{
	int before = open_fds();
	ag_status st;

	*err = (ag_err){ 0 };
	*t = (ag_root_text){ 0 };
	st = ag_root_read(r, NULL, path, limit, arena, t, err);
	assert_int_equal(open_fds(), before);
	holds_no_canary(t->text, ag_str_cstr(arena, path));
	if (st)
		err_is_proper(err, ag_str_cstr(arena, path));
	return st;
}

AG_UNUSED static ag_status list_it(ag_root *r, ag_str path, ag_arena *arena, ag_root_list *l,
                                   ag_err *err)
{
	int before = open_fds();
	ag_status st;

	*err = (ag_err){ 0 };
	*l = (ag_root_list){ 0 };
	st = ag_root_list_dir(r, NULL, path, arena, l, err);
	assert_int_equal(open_fds(), before);
	if (st)
		err_is_proper(err, ag_str_cstr(arena, path));
	return st;
}

static char by_hand[] = "by hand";

/* clang-format off */
#define TWICE(fn) \
	{ #fn " (openat2)", fn, NULL, NULL, NULL }, \
	{ #fn " (by hand)", fn, NULL, NULL, by_hand }
/* clang-format on */

#endif
