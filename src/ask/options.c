/* The options of a question: every one with its type, limits, default, flag and help. Read the table.
 *
 * lint: table. A row is the home of an option: its name in argus.yaml and the environment, its flag, its argument of
 * ask_project and its help follow from it, and its value is written into the field that it names. */
#include "ask/options.h"

#define FIELD(name) \
	.offset = offsetof(ag_ask_choices, name), .size = sizeof(((ag_ask_choices *)0)->name)

static const char *const ask_formats[] = { "json", "text", "markdown", NULL };
static const char *const sandboxes[] = { "auto", "off", "required", NULL };

const ag_setting ag_ask_options[] = {
	{ "ask", "root", AG_SET_TEXT, .unset = "auto", .fallback = "auto", FIELD(root),
	  .help = "The project's folder: nothing outside of it is read. auto: the current folder, or the "
	          "nearest one above that has .git or argus.yaml.",
	  .flag = "root", .flag_arg = "DIR",
	  .flag_help = "the project's folder (default: the one you are in)" },
	{ "ask", "ask_api", AG_SET_BOOL, .fallback = "true", FIELD(api),
	  .help = "The project has a running HTTP API that may be asked. It needs a key: ARGUS_API_KEY or "
	          "LMS_API_KEY.",
	  .flag = "no-api", .flag_value = "false",
	  .flag_help = "do not ask the project's API: no key is needed" },
	{ "ask", "api_base_url", AG_SET_TEXT, .unset = "auto", .fallback = "auto", FIELD(api_base),
	  .help = "Where it runs. auto: AGENT_API_BASE_URL, else http://localhost:42002.",
	  .flag = "api-base", .flag_arg = "URL", .flag_help = "where the project's API runs" },
	{ "ask", "read_only", AG_SET_BOOL, .fallback = "false", FIELD(read_only),
	  .help = "Send only GET and HEAD to the API.", .flag = "read-only",
	  .flag_help = "send only GET and HEAD to it" },
	{ "ask", "api_methods", AG_SET_TEXT, .unset = "auto", .fallback = "auto",
	  FIELD(api_methods),
	  .help = "Methods that the API gets, like GET,HEAD,POST; GET and HEAD always are. auto: what the "
	          "question itself orders (\"delete item 5\"). Taken from a flag, the environment, or a file "
	          "named by --config only; read_only is stronger.",
	  .flag = "api-methods", .flag_arg = "LIST",
	  .flag_help =
	          "send it these methods, like GET,HEAD,POST (default: GET, HEAD and what the question orders)" },
	{ "ask", "ask_calls", AG_SET_COUNT, .min = 1, .max = 100, .fallback = "10", FIELD(calls),
	  .help = "Tool calls for one question; then the model must answer with what it has.",
	  .flag = "budget", .flag_arg = "N", .flag_help = "tool calls (default 10)" },
	{ "ask", "ask_deadline", AG_SET_NUMBER, .min = 1, .max = 3600, .fallback = "55",
	  FIELD(deadline), .help = "Seconds after which the answer is there, whole or partial.",
	  .flag = "deadline", .flag_arg = "SECONDS",
	  .flag_help = "the answer is there by then, whole or partial (default 55)" },
	{ "ask", "ask_format", AG_SET_CHOICE, .one_of = ask_formats, .fallback = "json",
	  FIELD(format), .help = "One JSON object on one line, text for people, or Markdown.",
	  .flag = "format", .flag_arg = "FORMAT", .flag_help = "json (default), text or markdown" },
	{ "ask", "ask_offline", AG_SET_BOOL, .fallback = "false", FIELD(offline),
	  .help = "Ask no model: answer with the best section of the project's own files.",
	  .flag = "offline", .flag_help = "ask no model: the best section of the project's files",
	  .in_call = true },
	{ "ask", "read_bytes", AG_SET_COUNT, .min = 2048, .max = 1048576, .fallback = "32768",
	  FIELD(read_bytes),
	  .help = "Bytes of a file that one call of read_file shows. Less for a model with a small "
	          "context." },
	{ "ask", "sandbox", AG_SET_CHOICE, .one_of = sandboxes, .fallback = "auto", FIELD(sandbox),
	  .help = "Let the kernel forbid all that a question does not need: other files, other ports, "
	          "starting programs. auto: as far as the kernel can. required: else do not begin. off is "
	          "taken from a flag, the environment, or a file named by --config only." },
	{ 0 },
};
