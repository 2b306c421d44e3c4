/* worth -- tables of names; the first part of the path that is bulky decides. */
#include "ask/worth.h"

#include "ask/index_cut.h"

static const char *const docs[] = {
	"docs", "doc", "wiki", "documentation", "guide", "guides", "manual", "handbook", "help",
};

/* Names that mean the same in most projects. "lib", "bin" and "data" do not: the last is bulky for files of data only. */
static const char *const bulky[] = {
	"build",
	"dist",
	"out",
	"target",
	"vendor",
	"vendored",
	"third_party",
	"thirdparty",
	"3rdparty",
	"external",
	"deps",
	"node_modules",
	"bower_components",
	"generated",
	"__generated__",
	"gen",
	"coverage",
	"htmlcov",
	"snapshots",
	"__snapshots__",
	"fixtures",
	"testdata",
	"datasets",
	"dataset",
	"dumps",
	"logs",
	"tmp",
	"cache",
	"minified",
	"site-packages",
	"_build",
	"_site",
	"Pods",
	"DerivedData",
	"obj",
	"artifacts",
};

static const char *const bulky_ends[] = {
	".lock",         "-lock.json", "-lock.yaml",   ".min.js",  ".min.css",   ".map",
	".snap",         ".sum",       ".csv",         ".tsv",     ".ndjson",    ".jsonl",
	".log",          ".dump",      ".har",         ".geojson", ".parquet",   ".svg",
	".po",           ".patch",     ".diff",        ".pb.go",   "_pb2.py",    ".pb.cc",
	".pb.h",         ".g.dart",    ".designer.cs", ".ipynb",   ".bundle.js", ".generated.ts",
	".generated.go", ".xml",
};

static bool is_in(ag_str name, const char *const *list, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (ag_str_ieq(name, ag_str_c(list[i])))
			return true;
	}
	return false;
}

ag_worth ag_worth_of_folder(ag_str name)
{
	if (is_in(name, bulky, AG_NELEM(bulky)) || ag_str_starts(name, AG_S("cmake-build")) ||
	    ag_str_starts(name, AG_S("build-")))
		return AG_WORTH_BULKY;
	return is_in(name, docs, AG_NELEM(docs)) ? AG_WORTH_DOCS : AG_WORTH_SOURCE;
}

ag_worth ag_worth_of_file(ag_str name)
{
	/* A build file that all projects of its kind have. */
	if (ag_str_eqc(name, "pom.xml"))
		return AG_WORTH_SOURCE;
	for (size_t i = 0; i < AG_NELEM(bulky_ends); i++) {
		if (ag_str_ends(name, ag_str_c(bulky_ends[i])))
			return AG_WORTH_BULKY;
	}
	if (ag_str_starts(name, AG_S("CHANGELOG")) || ag_str_starts(name, AG_S("CHANGES")))
		return AG_WORTH_SOURCE;
	return ag_index_is_prose(name) ? AG_WORTH_DOCS : AG_WORTH_SOURCE;
}

ag_worth ag_worth_of_path(ag_str path)
{
	ag_str rest = path;
	ag_worth best = AG_WORTH_SOURCE;

	for (;;) {
		const ag_str part = ag_str_split(&rest, '/');
		const bool is_last = !rest.ptr;
		const ag_worth w = is_last ? ag_worth_of_file(part) : ag_worth_of_folder(part);

		if (w == AG_WORTH_BULKY)
			return w;
		/* What is in docs/ is documentation, code of it as well. */
		if (w == AG_WORTH_DOCS)
			best = w;
		if (is_last)
			return best;
	}
}
