/* Descriptions of the routes of questions about files: /api/ask. */
#include "ask/ask.h"
#include "server/route_doc.h"
#include "store/identity.h"

static const char *const statuses[] = { "running",   "ok",          "partial", "failed",
	                                "cancelled", "interrupted", NULL };

/* --- shapes --- */

static const ag_doc_field progress[] = {
	{ "phase", "string", "what takes long: \"reading\"", NULL, false },
	{ "done", "integer", NULL, NULL, false },
	{ "total", "integer", "0 = unknown", NULL, false },
	{ "unit", "string", "of both: \"files\"", NULL, false },
};

#define QUESTION                                                                        \
	{ "id", "string", "of the question and of its run", NULL, false },              \
		{ "project", "string", NULL, NULL, false },                             \
		{ "question", "string", "its beginning", NULL, false },                 \
		{ "status", "string", NULL, statuses, false },                          \
		{ "is_stopping", "boolean", "somebody wants it to stop", NULL, false }, \
		{ "asked_at", "time", NULL, NULL, false },                              \
		{ "answered_at", "time?", "null = it is under way", NULL, false },      \
	{                                                                               \
		"usd", "number", "that the model costs", NULL, false                    \
	}

static const ag_doc_field question[] = { QUESTION };

static const ag_doc_field question_list[] = {
	{ "questions", "[Question]", "the caller's own; newest first", NULL, false },
	AG_DOC_NEXT,
};

static const ag_doc_field citation[] = {
	{ "path", "string", "of the file, in the project's folder", NULL, false },
	{ "anchor", "string", "of the section; \"\" = none", NULL, false },
	{ "title", "string", "of the section", NULL, false },
	{ "line", "integer", "first line of the section or quote; 0 = the whole file", NULL,
	  false },
	{ "last_line", "integer", NULL, NULL, false },
	{ "quote", "string", "text of the file there", NULL, false },
	{ "sha256", "string", "of the file as it was read", NULL, false },
};

static const ag_doc_field call[] = {
	{ "tool", "string", NULL, NULL, false },
	{ "args", "object", NULL, NULL, false },
	{ "result", "string", "as the model read it", NULL, false },
	{ "ok", "boolean", NULL, NULL, false },
	{ "sha256", "string", "of the result", NULL, false },
};

static const ag_doc_field answer[] = {
	{ "answer", "string", "Markdown", NULL, false },
	{ "source", "string", "the first citation, an API request, or a folder; \"\" = none", NULL,
	  false },
	{ "tool_calls", "[AskCall]", "in their order", NULL, false },
	{ "citations", "[AskCitation]", "each was proven against the file", NULL, false },
	{ "status", "string", NULL, NULL, false },
	{ "why", "string", NULL, NULL, false },
	{ "mode", "string", "model, or offline: the index answered", NULL, false },
	{ "question", "string", "all of it", NULL, false },
	{ "root", "string", "name of the project's folder", NULL, false },
	{ "run", "string", NULL, NULL, false },
	{ "usage", "object", "model_calls, input_tokens, output_tokens, usd", NULL, false },
};

static const ag_doc_field answered[] = {
	QUESTION,
	{ "why", "string", "why there is no answer, or only a part of it; \"\" = there is", NULL,
	  false },
	{ "progress", "AskProgress", "while something takes long", NULL, true },
	{ "answer", "AskAnswer", "when there is one", NULL, true },
};

static const ag_doc_field event[] = {
	{ "seq", "integer", NULL, NULL, false },
	{ "type", "string", "docs/events.md", NULL, false },
	{ "at", "time", NULL, NULL, false },
	{ "action", "string", NULL, NULL, true },
	{ "tool", "string", NULL, NULL, true },
	{ "args", "string", "of a tool that begins, as JSON; its beginning", NULL, true },
	{ "ok", "boolean", "of a tool's output", NULL, true },
	{ "latency_ms", "integer", NULL, NULL, true },
	{ "summary", "string", "of a tool's output", NULL, true },
	{ "status", "string", NULL, NULL, true },
	{ "why", "string", NULL, NULL, true },
	{ "message", "string", "of an error", NULL, true },
};

static const ag_doc_field event_list[] = {
	{ "events", "[AskEvent]", NULL, NULL, false },
	{ "last", "integer", "for ?after= of the next request", NULL, false },
	{ "progress", "AskProgress", "while something takes long", NULL, true },
	{ "question", "Question", NULL, NULL, false },
};

static const ag_doc_field lines[] = {
	{ "path", "string", NULL, NULL, false },
	{ "anchor", "string", NULL, NULL, false },
	{ "title", "string", NULL, NULL, false },
	{ "line", "integer", "first cited line; 0 = the whole file is cited", NULL, false },
	{ "last_line", "integer", NULL, NULL, false },
	{ "first", "integer", "number of the first of the lines", NULL, false },
	{ "lines", "[string]", "as they are now; a long line is cut", NULL, false },
	{ "of", "integer", "lines of the file", NULL, false },
	{ "is_changed", "boolean", "the file is not what the answer was made from", NULL, false },
};

static const ag_doc_field setup[] = {
	{ "project", "string", NULL, NULL, false },
	{ "has_folder", "boolean", "questions about it can be answered", NULL, false },
	{ "has_api", "boolean", "its HTTP API is read as well", NULL, false },
	{ "has_model", "boolean", "else the index of its files answers", NULL, false },
	{ "max_seconds", "number", "that a question may take", NULL, false },
	{ "starters", "[string]", "questions to begin with", NULL, false },
	{ "can_choose", "boolean", "the caller may choose folder and API", NULL, false },
	{ "folder", "string", "for administrators, else \"\"", NULL, false },
	{ "api_base", "string", "the same", NULL, false },
	{ "folders", "[string]", "that may be chosen, and those below them; the same", NULL,
	  false },
	{ "apis", "[string]", "addresses that may be chosen; the same", NULL, false },
};

const ag_doc_shape ag_doc_ask_shapes[] = {
	{ "Question", "A question about a project's files.", question, AG_NELEM(question), false },
	{ "QuestionList", NULL, question_list, AG_NELEM(question_list), false },
	{ "Answered", "A question with its answer.", answered, AG_NELEM(answered), false },
	{ "AskProgress", NULL, progress, AG_NELEM(progress), false },
	{ "AskAnswer", "As `argus ask` prints it.", answer, AG_NELEM(answer), true },
	{ "AskCall", "A call of a tool.", call, AG_NELEM(call), true },
	{ "AskCitation", NULL, citation, AG_NELEM(citation), true },
	{ "AskEvent", "What a run did.", event, AG_NELEM(event), false },
	{ "AskEventList", NULL, event_list, AG_NELEM(event_list), false },
	{ "CitedLines", "The lines that a citation names, with those around them.", lines,
	  AG_NELEM(lines), false },
	{ "AskSetup", "What questions of a project are answered from.", setup, AG_NELEM(setup),
	  false },
	{ NULL, NULL, NULL, 0, false },
};

/* --- parameters --- */

#define OF_PROJECT                                                        \
	{                                                                 \
		.name = "project", .type = AG_PARAM_STRING,               \
		.help = "id of the project; without it the caller's own", \
		.max = AG_IDENTITY_MAX_NAME                               \
	}
#define QUESTION_ID                                                      \
	{                                                                \
		.name = "id", .type = AG_PARAM_STRING, .required = true, \
		.help = "of the question", .min = 36, .max = 36          \
	}

static const ag_param at_question[] = { QUESTION_ID };
static const ag_param at_citation[] = {
	QUESTION_ID,
	{ .name = "n",
	  .type = AG_PARAM_INT,
	  .required = true,
	  .help = "of the citation in the answer, from 1",
	  .min = 1,
	  .max = 10000 },
};
static const ag_param of_project[] = { OF_PROJECT };
static const ag_param of_events[] = {
	{ .name = "after",
	  .type = AG_PARAM_INT,
	  .help = "events with a greater seq; \"last\" of the answer before" },
};
static const ag_param of_citation[] = {
	{ .name = "context",
	  .type = AG_PARAM_INT,
	  .min = 0,
	  .max = 100,
	  .help = "lines before and after the cited ones; 8" },
};
static const ag_param ask_body[] = {
	OF_PROJECT,
	{ .name = "question",
	  .type = AG_PARAM_STRING,
	  .required = true,
	  .min = 1,
	  .max = AG_ASK_MAX_QUESTION_BYTES,
	  .help = "in plain words" },
	{ .name = "offline",
	  .type = AG_PARAM_BOOL,
	  .help = "ask no model: the best section of the project's files" },
	{ .name = "seconds",
	  .type = AG_PARAM_INT,
	  .min = 1,
	  .max = 3600,
	  .help = "after which the answer is there, whole or partial; at most the server's own limit" },
};
static const ag_param setup_body[] = {
	OF_PROJECT,
	{ .name = "folder",
	  .type = AG_PARAM_STRING,
	  .max = 4096,
	  .help = "one that the server allows, or one below it; \"\" = none" },
	{ .name = "api_base",
	  .type = AG_PARAM_STRING,
	  .max = 2000,
	  .help = "an address that the server allows; \"\" = none" },
};

#define NO_PROJECT                              \
	{                                       \
		404, "there is no such project" \
	}

/* --- routes --- */

const ag_route_doc ag_doc_list_questions = {
	.name = "listQuestions",
	.tag = "ask",
	.summary = "The caller's questions about the files of a project",
	.query = of_project,
	.nquery = AG_NELEM(of_project),
	.is_list = true,
	.gives = "QuestionList",
	.other = { NO_PROJECT },
};
const ag_route_doc ag_doc_ask_files = {
	.name = "askProject",
	.tag = "ask",
	.summary = "Ask a question about a project's documentation and code",
	.help = "It is answered by the agent of `argus ask`, or by the index of the files where there is no model. Follow "
		"its events until it is over, then get it.",
	.body = ask_body,
	.nbody = AG_NELEM(ask_body),
	.wrong = 422,
	.status = 202,
	.gives = "Question",
	.other = { NO_PROJECT, { 409, "the project has no folder, or it is gone" } },
};
const ag_route_doc ag_doc_get_question = {
	.name = "getQuestion",
	.tag = "ask",
	.summary = "A question, and its answer when there is one",
	.help = "The answer is the object that `argus ask` prints.",
	.at = at_question,
	.nat = AG_NELEM(at_question),
	.gives = "Answered",
};
const ag_route_doc ag_doc_ask_events = {
	.name = "listQuestionEvents",
	.tag = "ask",
	.summary = "What has been done for a question since",
	.at = at_question,
	.nat = AG_NELEM(at_question),
	.query = of_events,
	.nquery = AG_NELEM(of_events),
	.gives = "AskEventList",
};
const ag_route_doc ag_doc_stop_question = {
	.name = "stopQuestion",
	.tag = "ask",
	.summary = "End a question that is under way",
	.at = at_question,
	.nat = AG_NELEM(at_question),
	.status = 202,
	.gives = "Question",
	.other = { { 409, "it is over, or another process answers it" } },
};
const ag_route_doc ag_doc_ask_citation = {
	.name = "getCitedLines",
	.tag = "ask",
	.summary = "The lines that a citation of an answer names",
	.help = "They are read from the project's folder now; a file with keys in it is never read.",
	.at = at_citation,
	.nat = AG_NELEM(at_citation),
	.query = of_citation,
	.nquery = AG_NELEM(of_citation),
	.gives = "CitedLines",
	.other = { { 409, "the file is no text any more" } },
};
const ag_route_doc ag_doc_get_ask_setup = {
	.name = "getAskSetup",
	.tag = "ask",
	.summary = "What questions of a project are answered from",
	.query = of_project,
	.nquery = AG_NELEM(of_project),
	.gives = "AskSetup",
	.other = { NO_PROJECT },
};
const ag_route_doc ag_doc_put_ask_setup = {
	.name = "putAskSetup",
	.tag = "ask",
	.summary = "Choose the folder and the API that questions are answered from",
	.help = "For administrators of a project of the store. The settings ask_folders and ask_apis of the server say "
		"what may be chosen.",
	.body = setup_body,
	.nbody = AG_NELEM(setup_body),
	.wrong = 422,
	.gives = "AskSetup",
	.other = { NO_PROJECT, { 409, "the project stands in argus.yaml" } },
};
