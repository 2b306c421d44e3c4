/* manifest -- versions and licences, from the files that declare them.
 *
 * No format is parsed whole. In a manifest a name and its version are in one line, or the version is a few lines below the
 * name (lock files, pom.xml, tables of TOML). A line counts when the name is in it as whole words and a version follows; the
 * fewer other words are between them, the better. So the same few rules read all formats, and a format that is not quite as
 * expected gives no answer instead of a wrong one.
 *
 * Order: what is asked, which files, lines, ag_manifest_ask(). */
#include "ask/manifest.h"

#include <stdlib.h>

#define MAX_MANIFESTS  200u
#define MAX_FILE_BYTES (1u << 20) /* a lock file is long; what follows is not read */
#define MAX_WALK       50000u
#define MAX_NAME_WORDS 4u
#define MAX_BETWEEN    4u /* words between a name and its version */
#define MAX_BELOW      6u /* lines between a name and its version */
#define MAX_LINE       400u

/* --- what is asked --- */

typedef enum subject { NOTHING, VERSION, LICENCE } subject;

typedef struct wish {
	subject subject;
	ag_str name[MAX_NAME_WORDS]; /* in small letters; none = the project itself */
	size_t nname;
	bool is_exact; /* "the exact version": what is locked */
	ag_str low;    /* the question in small letters */
} wish;

static bool is_word_byte(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       (unsigned char)c >= 0x80;
}

/* Signs that belong to a name: "C++", "C#", "@types/node". */
static bool is_name_byte(char c)
{
	return is_word_byte(c) || c == '+' || c == '#';
}

static bool next_word(ag_str s, size_t *pos, ag_str *ret)
{
	size_t i = *pos, begin;

	while (i < s.len && !is_word_byte(s.ptr[i]))
		i++;
	begin = i;
	while (i < s.len && (is_word_byte(s.ptr[i]) || (i > begin && is_name_byte(s.ptr[i]))))
		i++;
	*pos = i;
	*ret = ag_str_make(s.ptr + begin, i - begin);
	return i > begin;
}

static bool is_one_of(ag_str word, const char *const *list, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (ag_str_ieq(word, ag_str_c(list[i])))
			return true;
	}
	return false;
}

/* Words that end a name: "version of express does the server use". */
static const char *const not_names[] = {
	"does",    "do",      "is",        "are",      "we",       "the",        "a",
	"an",      "our",     "use",       "used",     "uses",     "using",      "need",
	"needs",   "needed",  "require",   "required", "requires", "run",        "runs",
	"running", "install", "installed", "in",       "on",       "for",        "by",
	"with",    "and",     "to",        "at",       "has",      "have",       "should",
	"must",    "can",     "it",        "its",      "this",     "that",       "there",
	"which",   "what",    "version",   "of",       "i",        "you",        "my",
	"your",    "exact",   "minimum",   "minimal",  "lowest",   "oldest",     "least",
	"current", "latest",  "supported", "library",  "package",  "dependency", "framework",
	"module",  "was",     "will",      "image",    "database", "language",   "declared",
	"pinned",  "locked",  "please",    "tell",     "me",       "from",       "depend",
	"depends", "under",   "server",    "builds",   "build",    "expected",   "specified",
	"or",      "release", "these",     "those",
};

/* Words for the project itself. */
static const char *const own[] = { "project",    "program", "application", "app",      "software",
	                           "repository", "repo",    "code",        "package",  "service",
	                           "platform",   "tool",    "product",     "codebase", "product" };

static ag_str in_small(ag_str s, ag_arena *arena)
{
	char *out = ag_str_cstr(arena, s);

	for (size_t i = 0; i < s.len; i++) {
		if (out[i] >= 'A' && out[i] <= 'Z')
			out[i] = (char)(out[i] | 0x20);
	}
	return ag_str_make(out, s.len);
}

static void add_name(wish *w, ag_str word)
{
	if (w->nname < MAX_NAME_WORDS)
		w->name[w->nname++] = word;
}

/* The words from i on that may be a name. */
static void take_name(wish *w, const ag_str *words, size_t n, size_t i)
{
	while (i < n && is_one_of(words[i], not_names, AG_NELEM(not_names)) && !w->nname)
		i++;
	while (i < n && !is_one_of(words[i], not_names, AG_NELEM(not_names)))
		add_name(w, words[i++]);
}

/* "which python version": the words right before. */
static void take_name_before(wish *w, const ag_str *words, size_t i)
{
	size_t first = i;

	while (first && !is_one_of(words[first - 1], not_names, AG_NELEM(not_names)) &&
	       i - first < MAX_NAME_WORDS)
		first--;
	while (first < i)
		add_name(w, words[first++]);
}

static bool is_own(const wish *w)
{
	return w->nname == 1 && is_one_of(w->name[0], own, AG_NELEM(own));
}

/* "Which version will be dropped next" is about what was or will be done, and no manifest says that. */
static bool tells_of_change(const ag_str *words, size_t n)
{
	static const char *const of_time[] = { "will",      "next",       "future", "upcoming",
		                               "previous",  "previously", "before", "since",
		                               "until",     "longer",     "did",    "drop",
		                               "drops",     "add",        "adds",   "fix",
		                               "fixes",     "last",       "first",  "newest",
		                               "introduce", "introduces" };
	static const char *const of_use[] = { "used",      "needed",    "required", "installed",
		                              "supported", "pinned",    "locked",   "declared",
		                              "expected",  "specified", "based",    "recommended",
		                              "tested",    "embedded",  "bundled" };

	for (size_t i = 0; i < n; i++) {
		if (is_one_of(words[i], of_time, AG_NELEM(of_time)))
			return true;
		if (words[i].len > 4 && ag_str_ends(words[i], AG_S("ed")) &&
		    !is_one_of(words[i], of_use, AG_NELEM(of_use)))
			return true;
	}
	return false;
}

/* "which version of X", "what X version", "X version?"; what is about versions otherwise is not for manifests. */
static void read_version(wish *w, const ag_str *words, size_t n)
{
	static const char *const asks[] = { "which", "what", "whats",   "minimum",
		                            "exact", "the",  "minimal", "lowest" };
	bool is_asking = false;
	size_t at = n;

	for (size_t i = 0; i < n; i++) {
		is_asking |= i < 6 && is_one_of(words[i], asks, AG_NELEM(asks));
		if (at == n &&
		    (ag_str_eqc(words[i], "version") || ag_str_eqc(words[i], "versions")))
			at = i;
		/* "Which matplotlib release", not "which release" */
		if (at == n && i >= 2 && ag_str_eqc(words[i], "release") &&
		    !is_one_of(words[i - 1], not_names, AG_NELEM(not_names)))
			at = i;
	}
	if (at == n || !is_asking || tells_of_change(words, n) ||
	    (n && (ag_str_eqc(words[0], "how") || ag_str_eqc(words[0], "why"))))
		return;
	w->subject = VERSION;
	if (at + 1 < n && ag_str_eqc(words[at + 1], "of"))
		take_name(w, words, n, at + 2);
	else
		take_name_before(w, words, at);
	/* "which version is express", "what version does the project have" */
	if (!w->nname)
		take_name(w, words, n, at + 1);
	if (is_own(w))
		w->nname = 0;
}

/* Only a question about the project's own licence. */
static void read_licence(wish *w, const ag_str *words, size_t n)
{
	static const char *const plain[] = { "license",   "licence",   "licensed", "licenced",
		                             "licensing", "published", "released", "distributed",
		                             "terms",     "kind" };
	bool is_licence = false;

	for (size_t i = 0; i < n; i++) {
		is_licence |= i < n &&
		              (ag_str_eqc(words[i], "license") || ag_str_eqc(words[i], "licence") ||
		               ag_str_eqc(words[i], "licensed") ||
		               ag_str_eqc(words[i], "licenced"));
		if (!is_one_of(words[i], plain, AG_NELEM(plain)) &&
		    !is_one_of(words[i], own, AG_NELEM(own)) &&
		    !is_one_of(words[i], not_names, AG_NELEM(not_names)))
			return;
	}
	if (is_licence && n &&
	    (ag_str_eqc(words[0], "which") || ag_str_eqc(words[0], "what") ||
	     ag_str_eqc(words[0], "under") || n <= 2))
		w->subject = LICENCE;
}

static void read_wish(ag_str question, ag_arena *arena, wish *w)
{
	static const char *const exact[] = { "exact",     "exactly",  "locked",
		                             "installed", "resolved", "pinned" };
	ag_str words[60], word;
	size_t n = 0;

	*w = (wish){ .low = in_small(question, arena) };
	for (size_t pos = 0; n < AG_NELEM(words) && next_word(w->low, &pos, &word);) {
		/* "Stripe's library" */
		if (ag_str_eqc(word, "s") && word.ptr > w->low.ptr && word.ptr[-1] == '\'')
			continue;
		words[n++] = word;
		w->is_exact |= is_one_of(word, exact, AG_NELEM(exact));
	}
	read_version(w, words, n);
	if (w->subject == NOTHING)
		read_licence(w, words, n);
	/* "Node.js" is "node", "js". */
	if (w->nname == 2 && ag_str_eqc(w->name[1], "js"))
		w->nname = 1;
}

/* Other names of the same thing in manifests. */
static const char *const aliases[] = {
	"node nodejs",    "postgres postgresql", "go golang",  "rust rustc",
	"python python3", "kubernetes k8s",      "cpp c++",    "mongo mongodb",
	"ts typescript",  "sqlite sqlite3",      "dotnet net", "jdk java openjdk",
};

static bool is_name_word(ag_str have, ag_str want)
{
	if (ag_str_ieq(have, want))
		return true;
	for (size_t i = 0; i < AG_NELEM(aliases); i++) {
		bool has_want = false, has_have = false;

		for (ag_str rest = ag_str_c(aliases[i]); rest.ptr;) {
			const ag_str one = ag_str_split(&rest, ' ');

			has_want |= ag_str_ieq(one, want);
			has_have |= ag_str_ieq(one, have);
		}
		if (has_want && has_have)
			return true;
	}
	return false;
}

/* --- which files --- */

typedef enum form {
	DECLARES, /* a line has name and version */
	LOCKS,
	IMAGES, /* only lines with an image count */
	TOOL    /* the file itself is about one tool: .nvmrc */
} form;

static const struct {
	const char *name; /* of the file; "*" in front: it ends so */
	form form;
	const char *language, *tool;
} manifests[] = {
	{ "package.json", DECLARES, "json", NULL },
	{ "pyproject.toml", DECLARES, "toml", NULL },
	{ "requirements.txt", DECLARES, "", NULL },
	{ "*requirements.txt", DECLARES, "", NULL },
	{ "setup.cfg", DECLARES, "ini", NULL },
	{ "setup.py", DECLARES, "python", NULL },
	{ "Pipfile", DECLARES, "toml", NULL },
	{ "environment.yml", DECLARES, "yaml", NULL },
	{ "Cargo.toml", DECLARES, "toml", NULL },
	{ "rust-toolchain.toml", TOOL, "toml", "rust" },
	{ "rust-toolchain", TOOL, "", "rust" },
	{ "go.mod", DECLARES, "", NULL },
	{ "pom.xml", DECLARES, "xml", NULL },
	{ "build.gradle", DECLARES, "groovy", NULL },
	{ "build.gradle.kts", DECLARES, "kotlin", NULL },
	{ "*.csproj", DECLARES, "xml", NULL },
	{ "Gemfile", DECLARES, "ruby", NULL },
	{ "*.gemspec", DECLARES, "ruby", NULL },
	{ "composer.json", DECLARES, "json", NULL },
	{ "CMakeLists.txt", DECLARES, "cmake", NULL },
	{ "meson.build", DECLARES, "meson", NULL },
	{ "mix.exs", DECLARES, "elixir", NULL },
	{ "pubspec.yaml", DECLARES, "yaml", NULL },
	{ "Chart.yaml", DECLARES, "yaml", NULL },
	{ ".tool-versions", DECLARES, "", NULL },
	{ ".nvmrc", TOOL, "", "node" },
	{ ".node-version", TOOL, "", "node" },
	{ ".python-version", TOOL, "", "python" },
	{ "runtime.txt", TOOL, "", "python" },
	{ ".ruby-version", TOOL, "", "ruby" },
	{ ".java-version", TOOL, "", "java" },
	{ "Dockerfile", IMAGES, "dockerfile", NULL },
	{ "*.Dockerfile", IMAGES, "dockerfile", NULL },
	{ "docker-compose.yml", IMAGES, "yaml", NULL },
	{ "docker-compose.yaml", IMAGES, "yaml", NULL },
	{ "compose.yml", IMAGES, "yaml", NULL },
	{ "compose.yaml", IMAGES, "yaml", NULL },
	{ "package-lock.json", LOCKS, "json", NULL },
	{ "yarn.lock", LOCKS, "", NULL },
	{ "pnpm-lock.yaml", LOCKS, "yaml", NULL },
	{ "poetry.lock", LOCKS, "toml", NULL },
	{ "uv.lock", LOCKS, "toml", NULL },
	{ "Pipfile.lock", LOCKS, "json", NULL },
	{ "Cargo.lock", LOCKS, "toml", NULL },
	{ "go.sum", LOCKS, "", NULL },
	{ "Gemfile.lock", LOCKS, "", NULL },
	{ "composer.lock", LOCKS, "json", NULL },
};

typedef struct manifest {
	ag_str path;
	size_t row; /* of manifests[] */
	unsigned depth;
} manifest;

typedef struct finder {
	ag_arena *arena;
	manifest list[MAX_MANIFESTS];
	size_t n;
	bool is_cut;
} finder;

static ag_str base_of(ag_str path)
{
	size_t at = path.len;

	while (at && path.ptr[at - 1] != '/')
		at--;
	return ag_str_make(path.ptr + at, path.len - at);
}

static size_t row_of(ag_str path)
{
	const ag_str base = base_of(path);

	for (size_t i = 0; i < AG_NELEM(manifests); i++) {
		const char *name = manifests[i].name;

		if (name[0] == '*' ? ag_str_ends(base, ag_str_c(name + 1)) : ag_str_eqc(base, name))
			return i;
	}
	return AG_NELEM(manifests);
}

static ag_status on_file(void *arg, const ag_root_stat *file, ag_err *err)
{
	finder *f = arg;
	const size_t row = row_of(file->path);
	manifest *m;

	AG_IGNORE(err, "cannot fail");
	if (row == AG_NELEM(manifests))
		return AG_OK;
	if (f->n == MAX_MANIFESTS) {
		f->is_cut = true;
		return AG_OK;
	}
	m = &f->list[f->n++];
	*m = (manifest){ .path = ag_str_dup(f->arena, file->path), .row = row };
	for (size_t i = 0; i < file->path.len; i++)
		m->depth += file->path.ptr[i] == '/';
	return AG_OK;
}

/* --- lines --- */

typedef struct fact {
	ag_manifest_fact is;
	double score; /* less is better */
} fact;

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* A version at i: "3.11", ">=3", "v18", "16-alpine"; a bare number only where `bare` says that one is meant. */
static bool is_version_at(ag_str line, size_t i, bool bare)
{
	const char before = i ? line.ptr[i - 1] : ' ';
	size_t k = i;

	if (!is_digit(line.ptr[i]))
		return false;
	if (is_word_byte(before) && !(before == 'v' && (i < 2 || !is_word_byte(line.ptr[i - 2]))))
		return false;
	if (before == '.' || before == '/')
		return false;
	while (k < line.len && is_digit(line.ptr[k]))
		k++;
	if (k + 1 < line.len && line.ptr[k] == '.' &&
	    (is_digit(line.ptr[k + 1]) || line.ptr[k + 1] == 'x'))
		return true;
	return bare || strchr("=<>~^v", before) != NULL;
}

/* Words of a line up to its version: do they hold the name? Returns how many others they are; -1 = no. */
static int words_around(ag_str line, const wish *w, bool bare, size_t *ret_version)
{
	size_t nother = 0, at = 0, pos = 0, version = line.len;
	ag_str word;

	while (next_word(line, &pos, &word)) {
		const size_t begin = (size_t)(word.ptr - line.ptr);

		if (at == w->nname) {
			size_t k = begin;

			while (k < line.len && !is_digit(line.ptr[k]) && k < begin + 1 &&
			       line.ptr[k] == 'v')
				k++;
			if (k < line.len && is_version_at(line, k, bare)) {
				version = k;
				break;
			}
			if (++nother > MAX_BETWEEN)
				return -1;
			continue;
		}
		if (is_name_word(word, w->name[at])) {
			at++;
		} else {
			nother += 1 + at;
			at = at && is_name_word(word, w->name[0]);
		}
	}
	*ret_version = version;
	return at == w->nname && version < line.len ? (int)nother : -1;
}

static bool is_comment(ag_str line)
{
	const ag_str t = ag_str_trim(line);

	return ag_str_starts(t, AG_S("//")) || ag_str_starts(t, AG_S("# ")) ||
	       ag_str_starts(t, AG_S("<!--")) || ag_str_starts(t, AG_S("/*"));
}

static bool is_image_line(ag_str line)
{
	const ag_str t = ag_str_trim(line);

	return ag_str_starts(t, AG_S("image:")) || ag_str_starts(t, AG_S("FROM ")) ||
	       ag_str_starts(t, AG_S("ARG ")) || ag_str_starts(t, AG_S("ENV "));
}

/* Does the line end in the name, so that its version may follow below: `name = "tokio"`, `"node_modules/lodash": {`? */
static bool ends_in_name(ag_str line, const wish *w)
{
	ag_str words[32], word, t = ag_str_trim(line);
	size_t n = 0, k = 0;

	/* </artifactId> says nothing. */
	if (ag_str_starts(t, AG_S("<"))) {
		ag_str rest = t;

		ag_str_split(&rest, '>');
		t = ag_str_split(&rest, '<');
	}
	for (size_t pos = 0; n < AG_NELEM(words) && next_word(t, &pos, &word);)
		words[n++] = word;
	if (!w->nname || n < w->nname)
		return false;
	for (; k < w->nname; k++) {
		if (!is_name_word(words[n - w->nname + k], w->name[k]))
			return false;
	}
	/* `name = "tokio"`, `[dependencies.tokio]`, `"node_modules/lodash"`, `lodash@^4:`; not a sentence. */
	return n - w->nname <= 3;
}

/* `version = "1.2"`, `<version>1.2</version>`, `"version": "1.2"` */
static bool is_version_line(ag_str line)
{
	const ag_str t = ag_str_trim(line);
	ag_str word = AG_S("");
	size_t pos = 0;

	if (!next_word(t, &pos, &word) || !ag_str_ieq(word, AG_S("version")))
		return false;
	for (size_t i = pos; i < t.len; i++) {
		if (is_version_at(t, i, true))
			return true;
	}
	return false;
}

/* Where the block of a name ends: an empty line, the next table. */
static bool ends_block(ag_str line)
{
	const ag_str t = ag_str_trim(line);

	return !t.len || t.ptr[0] == '[' || t.ptr[0] == '}';
}

static ag_str lines_from(const ag_str *lines, size_t first, size_t last)
{
	return ag_str_make(lines[first].ptr,
	                   (size_t)(lines[last].ptr + lines[last].len - lines[first].ptr));
}

static fact fact_of(const manifest *m, ag_str text, const ag_str *lines, size_t first, size_t last,
                    double score)
{
	return (fact){ .is = { .path = m->path,
		               .text = lines_from(lines, first, last),
		               .file_text = text,
		               .line = (unsigned)first + 1,
		               .last_line = (unsigned)last + 1,
		               .language = manifests[m->row].language },
		       .score = score };
}

/* The best line for the name; score < 0: none. */
static fact find_named(const manifest *m, const wish *w, ag_str text, const ag_str *lines, size_t n)
{
	const form kind = manifests[m->row].form;
	fact best = { .score = -1 };

	for (size_t i = 0; i < n; i++) {
		size_t version;
		int between;

		if (lines[i].len > MAX_LINE || is_comment(lines[i]))
			continue;
		if (kind == IMAGES && !is_image_line(lines[i]))
			continue;
		/* "postgres:16", "go 1.22", ".nvmrc": a number alone is a version there. */
		between = words_around(lines[i], w, kind == IMAGES || kind == LOCKS, &version);
		if (between < 0 && ends_in_name(lines[i], w) && kind != IMAGES) {
			for (size_t k = i + 1; k < n && k <= i + MAX_BELOW && !ends_block(lines[k]);
			     k++) {
				if (!is_version_line(lines[k]))
					continue;
				if (best.score < 0 || best.score > 1)
					best = fact_of(m, text, lines, i, k, 1);
				break;
			}
			continue;
		}
		if (between >= 0 && (best.score < 0 || best.score > between))
			best = fact_of(m, text, lines, i, i, between);
	}
	return best;
}

/* The project's own version or licence: the first such key of the file. */
static fact find_own(const manifest *m, const wish *w, ag_str text, const ag_str *lines, size_t n)
{
	const form kind = manifests[m->row].form;

	if (kind != DECLARES)
		return (fact){ .score = -1 };
	for (size_t i = 0; i < n && i < 60; i++) {
		const ag_str t = ag_str_trim(lines[i]);
		ag_str word = AG_S("");
		size_t pos = 0;

		if (lines[i].len > MAX_LINE || is_comment(lines[i]) || !next_word(t, &pos, &word))
			continue;
		if (w->subject == VERSION && is_version_line(lines[i]))
			return fact_of(m, text, lines, i, i, 0);
		if (w->subject == LICENCE &&
		    (ag_str_ieq(word, AG_S("license")) || ag_str_ieq(word, AG_S("licence"))) &&
		    t.len > pos + 3)
			return fact_of(m, text, lines, i, i, 0);
	}
	return (fact){ .score = -1 };
}

/* A file about one tool: its first line. */
static fact find_tool(const manifest *m, const wish *w, ag_str text, const ag_str *lines, size_t n)
{
	const char *tool = manifests[m->row].tool;

	for (size_t i = 0; tool && w->nname == 1 && i < n; i++) {
		if (!is_name_word(ag_str_c(tool), w->name[0]))
			break;
		for (size_t k = 0; k < lines[i].len && lines[i].len < MAX_LINE; k++) {
			if (is_version_at(lines[i], k, true))
				return fact_of(m, text, lines, i, i, 0);
		}
	}
	return (fact){ .score = -1 };
}

/* A folder of its path that the question names: "the worker". */
static bool is_named(ag_str path, ag_str low)
{
	ag_str rest = path;
	ag_str one;

	while (one = ag_str_split(&rest, '/'), rest.ptr) {
		for (size_t at = 0; one.len >= 3 && at + one.len <= low.len; at++) {
			if (ag_str_ieq(ag_str_make(low.ptr + at, one.len), one) &&
			    (!at || !is_word_byte(low.ptr[at - 1])) &&
			    (at + one.len == low.len || !is_word_byte(low.ptr[at + one.len])))
				return true;
		}
	}
	return ag_str_contains(low, base_of(path));
}

static ag_status look_into(ag_root *r, const ag_ctx *ctx, const manifest *m, const wish *w,
                           ag_arena *arena, fact *ret, ag_err *err)
{
	const form kind = manifests[m->row].form;
	ag_root_text file;
	ag_str *lines, low;
	size_t n = 0, lines_max = 1;
	ag_status st = ag_root_read(r, ctx, m->path, MAX_FILE_BYTES, arena, &file, err);

	*ret = (fact){ .score = -1 };
	if (st == AG_CANCELLED || st == AG_TIMEOUT)
		return st;
	if (st || file.is_binary)
		return AG_OK;
	for (size_t i = 0; i < file.text.len; i++)
		lines_max += file.text.ptr[i] == '\n';
	lines = ag_new_n(arena, ag_str, lines_max);
	for (ag_str rest = file.text; rest.ptr;)
		lines[n++] = ag_str_split(&rest, '\n');
	if (kind == TOOL)
		*ret = find_tool(m, w, file.text, lines, n);
	else if (w->nname)
		*ret = find_named(m, w, file.text, lines, n);
	else
		*ret = find_own(m, w, file.text, lines, n);
	if (ret->score < 0)
		return AG_OK;
	low = in_small(m->path, arena);
	ret->score += m->depth * 2;
	if (kind == LOCKS)
		ret->score += w->is_exact ? -20 : 20;
	if (is_named(low, w->low))
		ret->score -= 8;
	/* The score was less than 0 for "none". */
	ret->score += 100;
	return AG_OK;
}

static int by_score(const void *a, const void *b)
{
	const fact *x = a, *y = b;

	if (x->score != y->score)
		return x->score < y->score ? -1 : 1;
	return ag_str_cmp(x->is.path, y->is.path);
}

static bool has_word(ag_str text, ag_str want)
{
	ag_str word;

	for (size_t pos = 0; next_word(text, &pos, &word);) {
		if (is_name_word(word, want) || is_name_word(want, word))
			return true;
	}
	return false;
}

/* The question asks more than what the line says: of which part of the project, in which case. */
static ag_str word_beyond(const wish *w, const ag_manifest_fact *f)
{
	static const char *const plain[] = {
		"test",      "tests",   "docker",   "compose",    "container",   "base",
		"runtime",   "time",    "backend",  "frontend",   "client",      "tools",
		"work",      "works",   "compile",  "compiling",  "building",    "want",
		"wants",     "expects", "pin",      "pins",       "list",        "lists",
		"written",   "here",    "now",      "today",      "exactly",     "currently",
		"actually",  "newer",   "older",    "ci",         "say",         "says",
		"set",       "file",    "license",  "licence",    "licensed",    "published",
		"released",  "terms",   "kind",     "any",        "if",          "licenced",
		"licensing", "lock",    "manifest", "production", "development", "distributed",
		"versions",  "whats",
	};
	ag_str word;

	for (size_t pos = 0; next_word(w->low, &pos, &word);) {
		bool is_known = word.len < 3 || is_one_of(word, not_names, AG_NELEM(not_names)) ||
		                is_one_of(word, own, AG_NELEM(own)) ||
		                is_one_of(word, plain, AG_NELEM(plain)) ||
		                has_word(f->path, word) || has_word(f->text, word);

		for (size_t i = 0; i < w->nname && !is_known; i++)
			is_known = ag_str_eq(word, w->name[i]);
		if (!is_known)
			return word;
	}
	return AG_S("");
}

ag_status ag_manifest_ask(ag_root *r, const ag_ctx *ctx, ag_str question, ag_arena *arena,
                          ag_manifest_answer *ret, ag_err *err)
{
	finder *f = ag_new(arena, finder);
	fact facts[MAX_MANIFESTS];
	bool is_cut = false;
	size_t n = 0;
	ag_status st;
	wish w;

	*ret = (ag_manifest_answer){ .name = AG_S(""), .beyond = AG_S("") };
	read_wish(question, arena, &w);
	if (w.subject == NOTHING)
		return AG_OK;
	ret->is_asked = true;
	if (w.nname)
		ret->name = ag_str_make(w.name[0].ptr,
		                        (size_t)(w.name[w.nname - 1].ptr - w.name[0].ptr) +
		                                w.name[w.nname - 1].len);
	f->arena = arena;
	st = ag_root_walk_by_worth(r, ctx, AG_S(""), MAX_WALK, on_file, f, &is_cut, err);
	for (size_t i = 0; i < f->n && !st; i++) {
		st = look_into(r, ctx, &f->list[i], &w, arena, &facts[n], err);
		n += !st && facts[n].score >= 0;
	}
	if (st)
		return st;
	if (n)
		qsort(facts, n, sizeof(*facts), by_score);
	for (size_t i = 0; i < n && ret->n < AG_MANIFEST_MAX_FACTS; i++) {
		/* A lock file says again what a manifest said, with every package of packages. */
		if (i && facts[i].score > facts[0].score + 15)
			break;
		ret->facts[ret->n++] = facts[i].is;
	}
	if (ret->n)
		ret->beyond = word_beyond(&w, &ret->facts[0]);
	ret->is_cut = is_cut || f->is_cut;
	return AG_OK;
}
