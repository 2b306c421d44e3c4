/* argus export: what an audit learned, as rules for other tools. */
#include "ask/answer.h"
#include "cli/cli.h"
#include "cli/past.h"
#include "export/rules.h"
#include "query/extjson.h"
#include "report/human.h"

static const ag_option options[] = {
	{ "as", 0, "FORMAT", NULL, NULL,
	  "validator (MongoDB), jsonschema, dbt, gx (Great Expectations) or soda",
	  "validator jsonschema dbt gx soda" },
	{ "table", 0, "NAME", NULL, NULL,
	  "dbt, gx, soda: the table (default: the name of the collection)" },
	{ "flatten", 0, "TEXT", NULL, NULL,
	  "dbt, gx, soda: nested fields are columns; TEXT (_ or .) joins their names" },
	{ "from", 0, "SEVERITY", NULL, NULL,
	  "the least severity of a finding that becomes a rule (default: medium)",
	  "low medium high critical" },
	AG_PAST_STORE_OPTION,
};

enum { VALIDATOR, JSONSCHEMA, DBT, GX, SODA };

static const char *const formats[] = { "validator", "jsonschema", "dbt", "gx", "soda" };

static int print(ag_cli *c, const ag_export *r, size_t format)
{
	ag_buf out = AG_BUF_INIT(AG_LIMIT_OUTPUT);
	ag_str *left_out;
	size_t n;
	int code;

	switch (format) {
	case VALIDATOR: ag_export_validator(r, c->app.arena, &out, &left_out, &n); break;
	case JSONSCHEMA: ag_export_jsonschema(r, c->app.arena, &out, &left_out, &n); break;
	default:
		ag_export_table(r,
		                format == DBT  ? AG_EXPORT_DBT
		                : format == GX ? AG_EXPORT_GX
		                               : AG_EXPORT_SODA,
		                ag_cli_value(c, "table"), ag_cli_value(c, "flatten"), c->app.arena,
		                &out, &left_out, &n);
	}
	for (size_t i = 0; i < n; i++)
		ag_cli_note(c, "left out: %.*s", AG_FMT(left_out[i]));
	if (r->paths_left_out)
		ag_cli_note(c, "left out: %zu fields whose names no rule can hold",
		            r->paths_left_out);
	if (r->surveyed < r->documents)
		ag_cli_note(
			c,
			"the run looked at %.*s of %.*s: good documents that it did not see may "
			"break these rules; `argus audit` without --sample-size looks at all",
			AG_FMT(ag_human_count(r->surveyed, c->app.arena)),
			AG_FMT(ag_human_documents(r->documents, c->app.arena)));
	if (out.failed)
		return ag_cli_finish(c, &out, AG_EXIT_OK);
	/* YAML too: its texts are JSON strings, so that control characters are escaped alike. */
	code = ag_cli_print_json(c, ag_str_trim(ag_buf_view(&out))) ? AG_EXIT_OK : AG_EXIT_FAILED;
	ag_buf_release(&out);
	return code;
}

static int run(ag_cli *c)
{
	const ag_extjson_opts read = { .typed = true };
	const ag_str as = ag_cli_value(c, "as");
	ag_severity least = AG_MEDIUM;
	size_t format = 0;
	ag_err err = { 0 };
	ag_export rules;
	ag_str report;
	ag_val v;

	while (format < AG_NELEM(formats) && !ag_str_eqc(as, formats[format]))
		format++;
	if (!as.len)
		ag_cli_complain(c, "--as: which format? validator, jsonschema, dbt, gx or soda");
	else if (format == AG_NELEM(formats))
		ag_cli_complain(c,
		                "--as: want validator, jsonschema, dbt, gx or soda, not \"%.*s\"",
		                (int)(as.len < 60 ? as.len : 60), as.ptr);
	else if (format <= JSONSCHEMA && (ag_cli_has(c, "table") || ag_cli_has(c, "flatten")))
		ag_cli_complain(c, "--table and --flatten go with dbt, gx and soda");
	if (ag_cli_has(c, "from") && !ag_severity_parse(ag_cli_value(c, "from"), &least))
		ag_cli_complain(c, "--from: want low, medium, high or critical");
	if (ag_cli_refused(c))
		return AG_EXIT_USAGE;
	if (ag_app_report(&c->app, c->args[0], &report, &err) ||
	    ag_extjson_parse(report, &read, c->app.arena, &v, NULL, NULL, &err))
		return ag_cli_fail(c, &err);
	if (ag_answer_is(&v)) {
		AG_IGNORE(ag_fail(&err, AG_INVALID, "cli.export", "the run is an answer, no audit"),
		          "it is the error");
		return ag_cli_fail(c, &err);
	}
	if (ag_export_read(&v, least, c->app.arena, &rules, &err))
		return ag_cli_fail(c, &err);
	return print(c, &rules, format);
}

const ag_command ag_cmd_export = {
	.name = "export",
	.summary = "Turn what an audit learned into rules for other tools",
	.group = AG_GROUP_RUNS,
	.usage = "RUN --as validator|jsonschema|dbt|gx|soda [options]",
	.about =
		"RUN is an id of `argus runs`, the beginning of one, or \"last\". The rules are the types of "
		"each field, the fields that are always there, closed lists of values, and the findings: a "
		"document that breaks none of them is good. Wrong values, and null or a missing field where a "
		"finding says so, are refused.\n\n"
		"validator is a filter for MongoDB: `$jsonSchema`, and under `$nor` the evidence of findings "
		"that it cannot say. jsonschema is JSON Schema, draft 2020-12, for documents as plain or relaxed "
		"extended JSON. dbt, gx and soda are tests of a table that holds the collection; a nested field is a "
		"column only with --flatten. What a format cannot hold is listed on standard error.",
	.examples = "argus export last --as validator > validator.json # then collMod, or find()\n"
		    "argus export last --as jsonschema --from high # only what is surely wrong\n"
		    "argus export last --as dbt --table stg_orders --flatten _ # tests of a model",
	.options = options,
	.noption = AG_NELEM(options),
	.min_args = 1,
	.max_args = 1,
	.run = run,
};
