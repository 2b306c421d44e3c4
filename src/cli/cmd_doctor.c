/* argus doctor: what Argus runs on, where each setting came from, and what to do about what is broken.
 *
 * Facts are collected first and rendered once, as text or JSON. Nothing is changed: a store that does not exist
 * yet is not made. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "app/oidc.h"
#include "app/retention.h"
#include "audit/audit.h"
#include "base/fernet.h"
#include "base/sandbox.h"
#include "cli/cli.h"
#include "mongo/mongo.h"
#include "oidc/oidc.h"
#include "report/human.h"
#include "sql/sqlite_child.h"
#include "store/identity.h"
#include "store/ledger.h"

#define MAX_FACTS        224
#define ISSUER_MS        15000
#define LOW_DISK         (100u * 1000 * 1000)
#define LARGE_LOG        (64 << 20)
#define MAX_ROWS_CHECKED 1000000u /* of the audit table: some seconds */

extern char **environ;

static const ag_option options[] = {
	{ .setting = "output_format" },
	{ .setting = "store", .help = "the store to look at" },
};

typedef enum health { GOOD, WARN, BROKEN } health;

typedef struct fact {
	const char *group;
	ag_str name, value, origin, advice;
	health health;
} fact;

typedef struct report {
	ag_cli *c;
	ag_arena *arena;
	fact facts[MAX_FACTS];
	size_t n;
	bool broken;
} report;

static fact *add(report *r, const char *group, ag_str name, ag_str value)
{
	fact *f = &r->facts[r->n < MAX_FACTS - 1 ? r->n++ : r->n];

	*f = (fact){ .group = group, .name = name, .value = value };
	return f;
}

static void broken(report *r, fact *f, health h, ag_str advice)
{
	f->health = h;
	f->advice = advice;
	r->broken = r->broken || h == BROKEN;
}

static void versions(report *r)
{
	char libc[64] = "";

	add(r, "versions", AG_S("argus"), AG_S(AG_VERSION));
#ifdef AG_BUILT_WITH
	add(r, "versions", AG_S("libraries"), AG_S(AG_BUILT_WITH));
#endif
#ifdef __clang__
	add(r, "versions", AG_S("compiler"), AG_S("clang " __clang_version__));
#else
	add(r, "versions", AG_S("compiler"), AG_S("gcc " __VERSION__));
#endif
	if (confstr(_CS_GNU_LIBC_VERSION, libc, sizeof(libc)))
		add(r, "versions", AG_S("C library"), ag_str_dup(r->arena, ag_str_c(libc)));
}

/* --- the store --- */

static void store_file(report *r, const char *path)
{
	struct stat st;
	fact *f;

	if (stat(path, &st))
		return;
	add(r, "store", AG_S("size"), ag_human_bytes((uint64_t)st.st_size, r->arena));
	if (st.st_mode & 077) {
		f = add(r, "store", AG_S("rights"),
		        ag_str_printf(r->arena, "%04o", (unsigned)(st.st_mode & 07777)));
		broken(r, f, WARN,
		       ag_str_printf(r->arena, "others can read it: chmod 600 %s", path));
	}
}

static void disk(report *r, const char *folder)
{
	struct statvfs fs;
	uint64_t left;
	fact *f;

	if (statvfs(folder, &fs))
		return;
	left = (uint64_t)fs.f_bavail * fs.f_frsize;
	f = add(r, "store", AG_S("disk"),
	        ag_str_printf(r->arena, "%.*s free", AG_FMT(ag_human_bytes(left, r->arena))));
	if (left < LOW_DISK)
		broken(r, f, left ? WARN : BROKEN,
		       AG_S("make room, or move the store with --store"));
}

/* The nearest folder above `path` that exists must be writable. */
static void store_to_come(report *r, const char *path)
{
	char folder[PATH_MAX];
	fact *f;

	snprintf(folder, sizeof(folder), "%s", path);
	do {
		char *slash = strrchr(folder, '/');

		if (slash == folder)
			slash++;
		else if (!slash)
			slash = folder + (size_t)snprintf(folder, sizeof(folder), ".");
		*slash = '\0';
	} while (access(folder, F_OK) && strcmp(folder, "/") != 0 && strcmp(folder, ".") != 0);
	f = add(r, "store", AG_S("state"), AG_S("will be made by the first audit"));
	if (access(folder, W_OK | X_OK))
		broken(r, f, BROKEN,
		       ag_str_printf(
			       r->arena,
			       "%s is not writable: set ARGUS_STORE to a path that is, or use "
			       "--store memory:",
			       folder));
	disk(r, folder);
}

/* How many of the passwords can be decrypted; SIZE_MAX when the key is not valid. */
static size_t count_readable(const report *r, const ag_project_row *p, size_t n)
{
	const ag_var *var = ag_settings_var(&r->c->app.settings, "DB_CREDENTIAL_KEY");
	ag_fernet_key key;
	size_t ngood = 0;

	if (!var || ag_fernet_key_read(var->value, &key, NULL))
		return SIZE_MAX;
	for (size_t i = 0; i < n; i++) {
		ag_buf plain = AG_BUF_INIT(AG_FERNET_MAX_PLAIN);

		ngood += p[i].secret.len && !ag_fernet_open(&key, p[i].secret, &plain, NULL);
		if (plain.ptr)
			explicit_bzero(plain.ptr, plain.cap);
		ag_buf_release(&plain);
	}
	return ngood;
}

/* Projects whose passwords cannot be read do not answer: better known now. */
static void projects(report *r, ag_store *store)
{
	ag_project_row *p;
	size_t n, nsecret = 0, ngood;
	fact *f;

	if (ag_store_projects(store, r->arena, &p, &n, NULL) || !n)
		return;
	for (size_t i = 0; i < n; i++)
		nsecret += p[i].secret.len > 0;
	f = add(r, "store", AG_S("projects"),
	        ag_str_printf(r->arena, "%zu, %zu with a password", n, nsecret));
	ngood = nsecret ? count_readable(r, p, n) : 0;
	if (ngood == SIZE_MAX)
		broken(r, f, BROKEN,
		       AG_S("their passwords are encrypted: set DB_CREDENTIAL_KEY to the key that "
		            "`argus project key` printed"));
	else if (ngood < nsecret)
		broken(r, f, BROKEN,
		       ag_str_printf(r->arena,
		                     "DB_CREDENTIAL_KEY does not decrypt %zu of the passwords: set "
		                     "the key that they were encrypted with",
		                     nsecret - ngood));
}

/* What a person can do about a damaged file. The log belongs to it: a new store must not find it. `sqlite3 .recover` is no
 * advice: the shell of Debian 12 cannot do it. */
static ag_str repair(report *r, const char *path)
{
	if (!path)
		return AG_S(
			"end all that use it; restore a backup of the database, or REINDEX it when "
			"only an index is damaged");
	return ag_str_printf(r->arena,
	                     "end all that use it; move it away, with %s-wal if that is there: "
	                     "`mv %s %s.damaged`; then put a copy of an earlier day in its place. "
	                     "Without a copy the next command makes a new store",
	                     path, path, path);
}

/* The first fault of a list that may have several lines. */
static ag_str first_line(ag_str s)
{
	const ptrdiff_t head = ag_str_find(s, '\n');
	ag_str rest = s;

	if (head > 0 && ag_str_starts(s, AG_S("***"))) /* "*** in database main ***" */
		ag_str_split(&rest, '\n');
	return ag_str_split(&rest, '\n');
}

static void whole(report *r, ag_store *store, const char *path)
{
	ag_err err = { 0 };
	ag_str *faults;
	size_t n;
	fact *f = add(r, "store", path ? AG_S("file") : AG_S("tables"), AG_S("whole"));

	if (ag_store_check(store, r->arena, &faults, &n, &err)) {
		f->value = ag_str_dup(r->arena, ag_str_c(err.msg));
		broken(r, f, BROKEN, ag_str_dup(r->arena, ag_str_c(err.hint)));
	} else if (n) {
		f->value = ag_str_printf(r->arena, "damaged: %.*s", AG_FMT(first_line(faults[0])));
		broken(r, f, BROKEN, repair(r, path));
	}
}

/* A chain that does not hold is a change from outside, or damage that SQLite does not see. */
static void audit_table(report *r, ag_store *store)
{
	const ag_ledger_query newest = { .after_seq = UINT64_MAX, .limit = 1 };
	ag_ledger_check k = { 0 };
	ag_ledger_row *row;
	ag_err err = { 0 };
	size_t n;
	fact *f;

	if (ag_store_ledger_rows(store, &newest, r->arena, &row, &n, &err)) {
		f = add(r, "store", AG_S("audit table"), ag_str_dup(r->arena, ag_str_c(err.msg)));
		broken(r, f, BROKEN, ag_str_dup(r->arena, ag_str_c(err.hint)));
		return;
	}
	if (!n)
		return;
	f = add(r, "store", AG_S("audit table"), AG_S(""));
	if (row->seq > MAX_ROWS_CHECKED) {
		f->value = ag_str_printf(r->arena,
		                         "%llu rows were written; `argus log --verify` checks them",
		                         (unsigned long long)row->seq);
	} else if (ag_store_ledger_verify(store, r->arena, &k, &err)) {
		f->value = ag_str_dup(r->arena, ag_str_c(err.msg));
		broken(r, f, BROKEN, ag_str_dup(r->arena, ag_str_c(err.hint)));
	} else if (k.broken_at) {
		f->value = ag_str_printf(r->arena, "broken: %.*s", AG_FMT(k.why));
		broken(r, f, BROKEN,
		       AG_S("somebody changed the table, or the file is damaged: keep a copy of the "
		            "store, and compare with a head that you noted: `argus log --verify "
		            "--head ROW:HASH`"));
	} else {
		f->value = ag_str_printf(r->arena, "%.*s row%s, the chain is whole",
		                         AG_FMT(ag_human_count(k.nrow, r->arena)),
		                         k.nrow == 1 ? "" : "s");
	}
}

/* The log shrinks when nobody reads an older state of the store. */
static void write_ahead_log(report *r, const char *path)
{
	struct stat st;
	fact *f;

	if (stat(ag_str_cstr(r->arena, ag_str_printf(r->arena, "%s-wal", path)), &st) ||
	    !st.st_size)
		return;
	f = add(r, "store", AG_S("write-ahead log"),
	        ag_human_bytes((uint64_t)st.st_size, r->arena));
	if (st.st_size > LARGE_LOG)
		broken(r, f, WARN,
		       AG_S("a process keeps an old state of the store open, so the log grows: find it "
		            "with `fuser`, and end it"));
}

static void retention(report *r, ag_store *store)
{
	const uint64_t days = r->c->app.settings.retention_days;
	const int64_t last_ms = ag_app_retained_ms(store, r->arena);
	char at[AG_TIME_MAX_TEXT];

	if (!days) {
		add(r, "store", AG_S("retention"),
		    AG_S("off: only `argus purge` removes old runs"));
		return;
	}
	if (last_ms)
		ag_time_format(at, last_ms / 1000 * 1000);
	add(r, "store", AG_S("retention"),
	    ag_str_printf(r->arena, "%llu days, last looked at: %s", (unsigned long long)days,
	                  last_ms ? at : "never"));
}

static void store_open(report *r, const char *path)
{
	ag_err err = { 0 };
	ag_run_row *rows;
	ag_store *store;
	size_t n;
	fact *f = add(r, "store", AG_S("state"), AG_S("healthy"));

	if (!ag_app_store(&r->c->app, &store, &err) &&
	    !ag_store_runs(store, AG_S(""), 1, 0, r->arena, &rows, &n, &err)) {
		if (!n)
			f->value = AG_S("healthy, no runs yet");
		whole(r, store, path);
		audit_table(r, store);
		if (path)
			write_ahead_log(r, path);
		retention(r, store);
		projects(r, store);
		return;
	}
	f->value = ag_str_dup(r->arena, ag_str_c(err.msg));
	broken(r, f, BROKEN,
	       ag_store_is_damaged(&err) ? repair(r, path)
	                                 : ag_str_dup(r->arena, ag_str_c(err.hint)));
}

static void store(report *r)
{
	ag_str uri = AG_S("");
	ag_err err = { 0 };
	const char *path;
	fact *f;

	if (ag_app_store_uri(&r->c->app, &uri, &err)) {
		f = add(r, "store", AG_S("place"), ag_str_dup(r->arena, ag_str_c(err.msg)));
		broken(r, f, BROKEN, ag_str_dup(r->arena, ag_str_c(err.hint)));
		return;
	}
	add(r, "store", AG_S("place"), ag_store_shown(uri, r->arena));
	if (ag_app_has_old_database(&r->c->app))
		add(r, "store", AG_S("POSTGRES_URL"),
		    AG_S("names the store; the database of the project \"default\" is ARGUS_DATABASE"));
	if (ag_str_starts(uri, AG_S("postgres"))) {
		store_open(r, NULL);
		return;
	}
	if (ag_str_starts(uri, AG_S("memory:"))) {
		f = add(r, "store", AG_S("state"), AG_S("in memory"));
		broken(r, f, WARN, AG_S("runs are forgotten at exit"));
		return;
	}
	if (ag_str_starts(uri, AG_S("sqlite:")))
		uri = ag_str_make(uri.ptr + 7, uri.len - 7);
	path = ag_str_cstr(r->arena, uri);
	if (access(path, F_OK) && errno == ENOENT) {
		store_to_come(r, path);
		return;
	}
	store_open(r, path);
	store_file(r, path);
}

/* --- settings --- */

static void settings(report *r)
{
	const ag_settings *s = &r->c->app.settings;
	size_t n;
	const ag_setting *t = ag_settings_table(&n);
	fact *f;

	f = add(r, "settings", AG_S("file"),
	        r->c->app.config_file.len ? r->c->app.config_file
	                                  : AG_S("none (./" AG_CONFIG_NAME ")"));
	if (r->c->settings_err.status) {
		f->value = ag_str_dup(r->arena, ag_str_c(r->c->settings_err.msg));
		broken(r, f, BROKEN,
		       r->c->settings_err.hint[0]
		               ? ag_str_dup(r->arena, ag_str_c(r->c->settings_err.hint))
		               : AG_S("mend it; every other command refuses to start"));
	}
	for (size_t i = 0; i < n; i++) {
		f = add(r, "settings", ag_str_c(t[i].key), ag_settings_text(s, (int)i, r->arena));
		f->origin = s->where[i];
	}
}

/* Rows under "ignore:"; one that is over should be removed or renewed. */
static void ignores(report *r)
{
	const ag_settings *s = &r->c->app.settings;
	const int64_t now = s->audit.catalogue.as_of_ms ? s->audit.catalogue.as_of_ms
	                                                : ag_clock_wall(r->c->app.ctx.clock);

	for (size_t i = 0; i < s->nignore; i++) {
		const ag_ignore *row = &s->ignores[i];
		fact *f = add(r, "settings", AG_S("ignore"),
		              ag_str_printf(r->arena, "%.*s %.*s %.*s: %.*s",
		                            AG_FMT(row->source.len ? row->source : AG_S("*")),
		                            AG_FMT(row->path.len ? row->path : AG_S("*")),
		                            AG_FMT(row->category.len ? row->category : AG_S("*")),
		                            AG_FMT(row->reason)));

		f->origin = row->where;
		if (ag_ignore_is_over(row, now))
			broken(r, f, WARN, AG_S("it has expired: remove it, or set another until"));
	}
}

/* ARGUS_SEDE is no setting: it does nothing, and nobody would notice. */
static void strangers(report *r)
{
	static const char *const known[] = { "ARGUS_PROMPT_DIR", "ARGUS_FAULT",
		                             "ARGUS_SOURCE_ROOT" };
	char envs[AG_SETTINGS_MAX][AG_SETTING_ENV_MAX];
	const char *names[AG_SETTINGS_MAX];
	size_t n;
	const ag_setting *t = ag_settings_table(&n);

	for (size_t i = 0; i < n; i++) {
		ag_setting_env(&t[i], envs[i]);
		names[i] = envs[i];
	}
	for (char **e = environ; *e; e++) {
		ag_str value = ag_str_c(*e), name = ag_str_split(&value, '=');
		bool is_known = !ag_str_starts(name, AG_S("ARGUS_"));
		const char *near;

		is_known = is_known || ag_settings_wants_var(&r->c->app.settings, name);
		for (size_t i = 0; i < n; i++)
			is_known = is_known || ag_str_eqc(name, names[i]);
		for (size_t i = 0; i < AG_NELEM(known); i++)
			is_known = is_known || ag_str_eqc(name, known[i]);
		if (is_known)
			continue;
		near = ag_str_nearest(name, names, n);
		broken(r, add(r, "settings", ag_str_dup(r->arena, name), AG_S("is no setting")),
		       WARN,
		       near ? ag_str_printf(r->arena, "did you mean %s?", near)
		            : AG_S("it does nothing here"));
	}
}

/* What `argus ask`, and the processes that read SQLite databases, can be kept from on this machine. */
static void sandbox(report *r)
{
	ag_sandbox_report s;
	ag_str landlock;
	fact *f;

	ag_sandbox_probe(&s);
	landlock = s.files ? ag_str_printf(r->arena, "Landlock ABI %d (%s)", s.landlock_abi,
	                                   s.ports ? "files, ports" : "files")
	                   : AG_S("no Landlock");
	f = add(r, "surroundings", AG_S("sandbox"),
	        ag_str_printf(r->arena, "%.*s; %s", AG_FMT(landlock),
	                      s.starts_nothing ? "seccomp (starting programs)" : "no seccomp"));
	if (s.missing[0])
		broken(r, f, WARN, ag_str_dup(r->arena, ag_str_c(s.missing)));
}

/* Can they be started? */
static void sqlite_sources(report *r)
{
	ag_sqlite_child *child;
	ag_err err = { 0 };
	fact *f;

	if (!ag_sqlite_child_start(&child, &err)) {
		ag_sqlite_child_end(child);
		add(r, "surroundings", AG_S("SQLite sources"),
		    AG_S("read in processes of their own, inside the sandbox"));
		return;
	}
	f = add(r, "surroundings", AG_S("SQLite sources"), ag_str_dup(r->arena, ag_str_c(err.msg)));
	broken(r, f, WARN, ag_str_dup(r->arena, ag_str_c(err.hint)));
}

/* Its library is loaded when a server is addressed, so one that is missing is no fault before. */
static void mongodb_sources(report *r)
{
	const char *version;
	ag_err err = { 0 };
	fact *f;

	if (!ag_mongo_library(&version, &err)) {
		add(r, "surroundings", AG_S("MongoDB sources"),
		    ag_str_printf(r->arena, "read with libmongoc %s", version));
		return;
	}
	f = add(r, "surroundings", AG_S("MongoDB sources"),
	        ag_str_dup(r->arena, ag_str_c(err.msg)));
	broken(r, f, WARN, ag_str_dup(r->arena, ag_str_c(err.hint)));
}

/* Does the issuer answer, and with keys that can check a signature? Nobody is asked when none is set. */
static void issuer(report *r)
{
	const ag_ctx ctx = { .clock = r->c->app.ctx.clock,
		             .deadline_ms = ag_clock_mono(r->c->app.ctx.clock) + ISSUER_MS,
		             .cancel = r->c->app.ctx.cancel,
		             .nthread = 1 };
	ag_server_oidc o;
	ag_err err = { 0 };
	size_t nkey;
	fact *f;
	ag_status st = ag_app_oidc(&r->c->app, &o, &err);

	if (!st && !o.provider)
		return;
	f = add(r, "surroundings", AG_S("OpenID Connect"), AG_S(""));
	if (!st)
		st = ag_oidc_probe(o.provider, &ctx, &nkey, &err);
	if (!st) {
		f->value = ag_str_printf(r->arena, "%.*s answers, with %zu key%s",
		                         AG_FMT(ag_oidc_issuer(o.provider)), nkey,
		                         nkey == 1 ? "" : "s");
	} else {
		f->value = ag_str_dup(r->arena, ag_str_c(err.msg));
		broken(r, f, BROKEN,
		       err.hint[0]
		               ? ag_str_dup(r->arena, ag_str_c(err.hint))
		               : AG_S("nobody can sign in by it: see oidc_issuer in docs/guide/serve.md"));
	}
	if (o.provider && !o.sign_up.len && !o.links_email)
		broken(r,
		       add(r, "surroundings", AG_S("OpenID Connect, accounts"),
		           AG_S("only people who signed in by it before get in")),
		       WARN, AG_S("set oidc_sign_up or oidc_link_email"));
	ag_oidc_free(o.provider);
}

static void surroundings(report *r)
{
	const ag_term *t = &r->c->term;
	const char *term = getenv("TERM");

	add(r, "surroundings", AG_S("threads"),
	    ag_str_printf(r->arena, "%u", r->c->app.ctx.nthread));
	add(r, "surroundings", AG_S("terminal"),
	    t->out_is_tty
	            ? ag_str_printf(r->arena, "%s, %zu columns", term ? term : "unknown", t->width)
	            : AG_S("none"));
	add(r, "surroundings", AG_S("colours"),
	    t->colour ? AG_S("yes") : ag_str_printf(r->arena, "no: %s", t->why_plain));
	add(r, "surroundings", AG_S("character set"),
	    ag_str_printf(r->arena, "%s%s", t->charset,
	                  t->utf8 ? "" : "; other characters are written as \\u"));
	sandbox(r);
	sqlite_sources(r);
	mongodb_sources(r);
	issuer(r);
}

/* --- rendering --- */

static void text(const report *r, ag_buf *out)
{
	ag_paint p = ag_cli_paint(r->c, out);
	const char *group = "";

	for (size_t i = 0; i < r->n; i++) {
		const fact *f = &r->facts[i];
		ag_ink ink = f->health == BROKEN ? AG_INK_RED
		             : f->health == WARN ? AG_INK_YELLOW
		                                 : AG_INK_PLAIN;

		if (strcmp(group, f->group) != 0) {
			if (i)
				ag_paint_nl(&p);
			group = f->group;
			ag_paint_lit(&p, AG_INK_BOLD, group);
			ag_paint_nl(&p);
		}
		if (f->health)
			ag_paint_sign(&p, ink, f->health == BROKEN ? AG_SIGN_BAD : AG_SIGN_WARN);
		ag_paint_to(&p, 2);
		ag_paint_text(&p, AG_INK_DIM, f->name);
		ag_paint_to(&p, 32);
		ag_paint_wrap(&p, ink, 32, f->value);
		if (f->origin.len) {
			ag_paint_lit(&p, AG_INK_PLAIN, "  ");
			ag_paint_wrap(&p, AG_INK_DIM, 32, f->origin);
		}
		ag_paint_nl(&p);
		if (f->advice.len) {
			ag_paint_to(&p, 32);
			ag_paint_sign(&p, AG_INK_DIM, AG_SIGN_ARROW);
			ag_paint_lit(&p, AG_INK_PLAIN, " ");
			ag_paint_wrap(&p, AG_INK_PLAIN, 34, f->advice);
			ag_paint_nl(&p);
		}
	}
	ag_paint_nl(&p);
	ag_paint_lit(&p, r->broken ? AG_INK_RED : AG_INK_GREEN,
	             r->broken ? "Something is broken: see above." : "All is well.");
	ag_paint_nl(&p);
}

/* {"ok":true,"facts":[{"group":…,"name":…,"value":…,"from":…,"health":"good","advice":…}]} */
static void json(const report *r, ag_buf *out)
{
	static const char *const names[] = { "good", "warning", "broken" };
	ag_jw w;

	ag_jw_init(&w, out, 2);
	ag_jw_obj(&w);
	ag_jw_kbool(&w, "ok", !r->broken);
	ag_jw_kkey(&w, "facts");
	ag_jw_arr(&w);
	for (size_t i = 0; i < r->n; i++) {
		const fact *f = &r->facts[i];

		ag_jw_obj(&w);
		ag_jw_kstr(&w, "group", ag_str_c(f->group));
		ag_jw_kstr(&w, "name", f->name);
		ag_jw_kstr(&w, "value", f->value);
		ag_jw_kstr(&w, "from", f->origin);
		ag_jw_kstr(&w, "health", ag_str_c(names[f->health]));
		ag_jw_kstr(&w, "advice", f->advice);
		ag_jw_obj_end(&w);
	}
	ag_jw_arr_end(&w);
	ag_jw_obj_end(&w);
}

static int run(ag_cli *c)
{
	report *r = ag_new(c->app.arena, report);
	ag_buf out = AG_BUF_INIT(AG_LIMIT_OUTPUT);
	int code;

	r->c = c;
	r->arena = c->app.arena;
	versions(r);
	store(r);
	settings(r);
	ignores(r);
	strangers(r);
	surroundings(r);
	code = r->broken ? AG_EXIT_FAILED : AG_EXIT_OK;
	if (!ag_cli_is_json(c)) {
		text(r, &out);
		return ag_cli_finish(c, &out, code);
	}
	json(r, &out);
	if (!ag_cli_print_json(c, ag_buf_view(&out)))
		code = AG_EXIT_FAILED;
	ag_buf_release(&out);
	return code;
}

const ag_command ag_cmd_doctor = {
	.name = "doctor",
	.summary = "Check the set-up, and say what is wrong",
	.group = AG_GROUP_SET_UP,
	.usage = "[options]",
	.about =
		"Versions, the store and its health, every setting with where it came from, the terminal. What "
		"is broken is marked, with what to do; then the exit code is 1. Nothing is changed.",
	.options = options,
	.noption = AG_NELEM(options),
	.flags = AG_COMMAND_EXPLAINS,
	.run = run,
};
