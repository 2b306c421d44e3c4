/* Descriptions of the routes of conversations: /api/chat, /api/threads, /api/start. */
#include "analyst/analyst.h"
#include "server/route_doc.h"
#include "store/feedback.h"
#include "store/threads.h"

/* --- shapes --- */

static const ag_doc_field problem[] = {
	{ "type", "string", "always \"about:blank\": the status says which kind", NULL, false },
	{ "title", "string", "the status in words", NULL, false },
	{ "status", "integer", NULL, NULL, false },
	{ "detail", "string", "what failed", NULL, false },
	{ "hint", "string", "what to do", NULL, true },
	{ "reference", "string", "names this answer in the server's log", NULL, false },
};

static const ag_doc_field project_name[] = {
	{ "id", "string", NULL, NULL, false },
	{ "name", "string", NULL, NULL, false },
};

static const ag_doc_field start[] = {
	{ "version", "string", "of the program", NULL, false },
	{ "demo", "boolean", "a script answers, not a model", NULL, false },
	{ "user", "string", NULL, NULL, false },
	{ "starters", "[string]", "questions to begin with", NULL, false },
	{ "projects", "[ProjectName]", "those that the caller may ask about", NULL, false },
};

static const ag_doc_field thread[] = {
	{ "id", "string", "the client's id of the thread", NULL, false },
	{ "title", "string", NULL, NULL, false },
	{ "project", "string", "id of the project that it asks about", NULL, false },
	{ "created_at", "time", NULL, NULL, false },
	{ "updated_at", "time", NULL, NULL, false },
	{ "viewed_at", "time?", NULL, NULL, false },
	{ "unread", "boolean", "it changed after it was viewed", NULL, false },
	{ "running", "boolean", "this process is answering a question of it", NULL, false },
};

static const ag_doc_field thread_list[] = {
	{ "threads", "[Thread]", "last changed first", NULL, false },
	AG_DOC_NEXT,
};

static const ag_doc_field query[] = {
	{ "name", "string", "\"r1\"; of a query that returned a table", NULL, true },
	{ "tool", "string", NULL, NULL, false },
	{ "sql", "string", NULL, NULL, true },
	{ "ok", "boolean", NULL, NULL, false },
	{ "error", "string", NULL, NULL, true },
	{ "class", "string", "of the error", NULL, true },
	{ "tables", "[string]", "that it reads", NULL, true },
	{ "filters", "[string]", "its conditions", NULL, true },
	{ "metric", "string", "the metric of the project that it computes", NULL, true },
	{ "columns", "[string]", NULL, NULL, true },
	{ "row_count", "integer", NULL, NULL, true },
	{ "truncated", "boolean", "there were more rows", NULL, true },
	{ "at", "time", NULL, NULL, true },
	{ "latency_ms", "integer", NULL, NULL, true },
};

static const ag_doc_field figure[] = {
	{ "at", "integer", "first byte in the answer's UTF-8", NULL, false },
	{ "len", "integer", "bytes", NULL, false },
	{ "text", "string", NULL, NULL, false },
	{ "verdict", "string", "where the number comes from", NULL, false },
	{ "why", "string", NULL, NULL, true },
	{ "result", "string", "the query that has it: \"r1\"", NULL, true },
	{ "row", "integer", "from 1", NULL, true },
	{ "column", "string", NULL, NULL, true },
	{ "metric", "string", NULL, NULL, true },
	{ "value", "string", "as the database returned it", NULL, true },
	{ "computation", "integer", "from 1", NULL, true },
	{ "critique", "string", NULL, NULL, true },
};

static const ag_doc_field learning_used[] = {
	{ "id", "string", NULL, NULL, false },
	{ "text", "string", NULL, NULL, false },
};

static const ag_doc_field usage[] = {
	{ "model_calls", "integer", NULL, NULL, false },
	{ "input_tokens", "integer", NULL, NULL, false },
	{ "output_tokens", "integer", NULL, NULL, false },
	{ "usd", "number", NULL, NULL, false },
};

static const ag_doc_field answer[] = {
	{ "agent", "string", NULL, NULL, false },
	{ "answer", "string?", "null: it was stopped, or failed, before it had one", NULL, false },
	{ "status", "string", "\"ok\", \"cancelled\" and others", NULL, false },
	{ "why", "string", NULL, NULL, false },
	{ "question", "string", NULL, NULL, false },
	{ "thread", "string", NULL, NULL, false },
	{ "turn", "string", NULL, NULL, false },
	{ "project", "string", NULL, NULL, false },
	{ "model", "string", NULL, NULL, false },
	{ "demo", "boolean", NULL, NULL, true },
	{ "queries", "[Query]", NULL, NULL, false },
	{ "learnings", "[LearningUsed]", NULL, NULL, false },
	{ "figures", "[Figure]", "absent when they cannot be checked", NULL, true },
	{ "doubt", "string", "what the check of the answer found", NULL, false },
	{ "replaced", "[string]", "texts that were sent back", NULL, false },
	{ "usage", "Usage", NULL, NULL, false },
};

static const char *const status_kinds[] = { "replaced", "void", "retryable-error", NULL };
static const ag_doc_field status[] = {
	{ "kind", "string", NULL, status_kinds, false },
	{ "part", "string", "id of the part that is meant", NULL, false },
	{ "reason", "string", NULL, NULL, false },
};

static const char *const of_step[] = { "step-start", NULL };
static const char *const of_text[] = { "text", "reasoning", NULL };
static const char *const of_answer[] = { "data-answer", NULL };
static const char *const of_status[] = { "data-status", NULL };
static const char *const of_artifact[] = { "data-artifact", NULL };
static const char *const tool_states[] = { "input-available", "output-available", "output-error",
	                                   NULL };

static const ag_doc_field step_part[] = { { "type", "string", NULL, of_step, false } };
static const ag_doc_field text_part[] = {
	{ "type", "string", NULL, of_text, false },
	{ "text", "string", NULL, NULL, false },
	{ "state", "string", NULL, NULL, true },
};
static const ag_doc_field tool_part[] = {
	{ "type", "string", "\"tool-\" and the name of the tool", NULL, false },
	{ "toolCallId", "string", NULL, NULL, false },
	{ "state", "string", NULL, tool_states, false },
	{ "input", "any", NULL, NULL, false },
	{ "output", "any", NULL, NULL, true },
	{ "errorText", "string", NULL, NULL, true },
};
static const ag_doc_field answer_part[] = {
	{ "type", "string", NULL, of_answer, false },
	{ "id", "string", NULL, NULL, true },
	{ "data", "Answer", NULL, NULL, false },
};
static const ag_doc_field status_part[] = {
	{ "type", "string", NULL, of_status, false },
	{ "id", "string", NULL, NULL, true },
	{ "data", "Status", NULL, NULL, false },
};
static const ag_doc_field artifact_part[] = {
	{ "type", "string", NULL, of_artifact, false },
	{ "id", "string", "of the artifact", NULL, false },
	{ "data", "object", "what the tool returned", NULL, false },
};

static const char *const verdicts[] = { "up", "down", NULL };
static const ag_doc_field said[] = {
	{ "verdict", "string", NULL, verdicts, false },
	{ "reason", "string", "\"\" = none", NULL, false },
};

static const ag_doc_field message_metadata[] = {
	{ "versions", "[string]",
	  "of a question: the turns that answer it or what it was before, oldest first", NULL,
	  true },
	{ "feedback", "Said", "of an answer: what the caller said of it", NULL, true },
};

#define FEEDBACK_FIELDS                                                    \
	{ "turn", "string", "the message id of the answer", NULL, false }, \
		{ "verdict", "string", NULL, verdicts, false },            \
		{ "reason", "string", NULL, NULL, false },                 \
		{ "created_at", "time", NULL, NULL, false },               \
	{                                                                  \
		"updated_at", "time", NULL, NULL, false                    \
	}

static const ag_doc_field feedback[] = { FEEDBACK_FIELDS };

static const ag_doc_field feedback_row[] = {
	FEEDBACK_FIELDS,
	{ "user", "string", NULL, NULL, false },
	{ "thread", "string", "id of the thread's runs", NULL, false },
	{ "question", "string", "its beginning; \"\" = the turn was purged", NULL, false },
};

static const ag_doc_field feedback_list[] = {
	{ "feedback", "[FeedbackRow]", "last changed first", NULL, false },
	AG_DOC_NEXT,
};

static const char *const roles[] = { "user", "assistant", NULL };
static const ag_doc_field message[] = {
	{ "id", "string", NULL, NULL, false },
	{ "role", "string", NULL, roles, false },
	{ "parts", "[StepPart|TextPart|ToolPart|AnswerPart|StatusPart|ArtifactPart]", NULL, NULL,
	  false },
	{ "metadata", "MessageMetadata", "what is said of it beside its words", NULL, true },
};

static const ag_doc_field message_list[] = {
	{ "thread", "Thread", NULL, NULL, false },
	{ "messages", "[Message]", "oldest first", NULL, false },
	AG_DOC_NEXT,
};

static const ag_doc_field chat_question[] = {
	{ "id", "string", "the client's id of the thread: 1 to 128 printable characters", NULL,
	  true },
	{ "messages", "[object]", "of the AI SDK; the last one is the question", NULL, true },
	{ "message", "object", "the question alone", NULL, true },
	{ "trigger", "string",
	  "\"regenerate-message\": another answer instead of the one of messageId", NULL, true },
	{ "messageId", "string", "the question that is edited, or the answer that is replaced",
	  NULL, true },
	{ "sql", "string", "a statement that answers the question: no model is asked", NULL, true },
	{ "projectId", "string", "the project that is meant", NULL, true },
	{ "data", "object", "projectId and threadId, in the older form", NULL, true },
};

const ag_doc_shape ag_doc_chat_shapes[] = {
	{ "Problem", "A refusal (RFC 9457).", problem, AG_NELEM(problem), false },
	{ "ProjectName", NULL, project_name, AG_NELEM(project_name), false },
	{ "Start", "What a page needs first.", start, AG_NELEM(start), false },
	{ "Thread", "A conversation.", thread, AG_NELEM(thread), false },
	{ "ThreadList", NULL, thread_list, AG_NELEM(thread_list), false },
	{ "Query", "A statement of an answer.", query, AG_NELEM(query), false },
	{ "Figure", "A number in an answer.", figure, AG_NELEM(figure), false },
	{ "LearningUsed", NULL, learning_used, AG_NELEM(learning_used), false },
	{ "Usage", "What the model was asked.", usage, AG_NELEM(usage), false },
	{ "Answer", "An answer with what it rests on.", answer, AG_NELEM(answer), false },
	{ "Status", "A part was replaced, or the model is asked again.", status, AG_NELEM(status),
	  false },
	{ "StepPart", NULL, step_part, AG_NELEM(step_part), false },
	{ "TextPart", NULL, text_part, AG_NELEM(text_part), false },
	{ "ToolPart", NULL, tool_part, AG_NELEM(tool_part), false },
	{ "AnswerPart", NULL, answer_part, AG_NELEM(answer_part), false },
	{ "StatusPart", NULL, status_part, AG_NELEM(status_part), false },
	{ "ArtifactPart", NULL, artifact_part, AG_NELEM(artifact_part), false },
	{ "Said", NULL, said, AG_NELEM(said), false },
	{ "Feedback", "What the caller said of an answer.", feedback, AG_NELEM(feedback), false },
	{ "FeedbackRow", NULL, feedback_row, AG_NELEM(feedback_row), false },
	{ "FeedbackList", NULL, feedback_list, AG_NELEM(feedback_list), false },
	{ "MessageMetadata", NULL, message_metadata, AG_NELEM(message_metadata), false },
	{ "Message", "A UIMessage of the AI SDK.", message, AG_NELEM(message), false },
	{ "MessageList", NULL, message_list, AG_NELEM(message_list), false },
	{ "ChatQuestion", "What the useChat hook of the AI SDK sends.", chat_question,
	  AG_NELEM(chat_question), true },
	{ NULL, NULL, NULL, 0, false },
};

/* --- routes --- */

static const ag_param at_thread[] = {
	{ .name = "id",
	  .type = AG_PARAM_STRING,
	  .required = true,
	  .help = "id of the thread",
	  .min = 1,
	  .max = AG_THREAD_MAX_NAME },
};

const ag_route_doc ag_doc_start = {
	.name = "getStart",
	.tag = "about",
	.summary = "What a page needs first",
	.gives = "Start",
};

const ag_route_doc ag_doc_openapi = {
	.name = "getOpenapi",
	.tag = "about",
	.summary = "This document",
	.media = AG_DOC_JSON,
};

#define STREAM "text/event-stream"

const ag_route_doc ag_doc_ask = {
	.name = "ask",
	.tag = "chat",
	.retry = AG_DOC_RETRY_DONE,
	.summary = "Ask a question; the answer is a UI message stream of the AI SDK, version 1",
	.help = "The last message is the question. Earlier ones are not read: the store has them. An answer goes on when its "
		"reader leaves. A question that is edited, or whose answer is wanted again, replaces its turn and those after it; "
		"they stay as versions.",
	.takes = "ChatQuestion",
	.media = STREAM,
	.other = { { 404, "the thread belongs to somebody else" },
	           { 409,
	             "the thread is answering a question, or the question was changed meanwhile" } },
};

const ag_route_doc ag_doc_resume = {
	.name = "resume",
	.tag = "chat",
	.summary = "Read the answer under way, from its beginning",
	.at = at_thread,
	.nat = AG_NELEM(at_thread),
	.media = STREAM,
	.other = { { 204, "no answer is under way" } },
};

const ag_route_doc ag_doc_stop = {
	.name = "stop",
	.tag = "chat",
	.summary = "End the answer under way, and its SQL",
	.at = at_thread,
	.nat = AG_NELEM(at_thread),
	.status = 202,
};

static const ag_param threads_query[] = {
	{ .name = "q", .type = AG_PARAM_STRING, .help = "words of the title" },
	{ .name = "project", .type = AG_PARAM_STRING, .help = "threads of this project only" },
};

const ag_route_doc ag_doc_list_threads = {
	.name = "listThreads",
	.tag = "threads",
	.summary = "The caller's threads, last changed first",
	.query = threads_query,
	.nquery = AG_NELEM(threads_query),
	.gives = "ThreadList",
	.is_list = true,
};

const ag_route_doc ag_doc_get_thread = {
	.name = "getThread",
	.tag = "threads",
	.summary = "One thread",
	.at = at_thread,
	.nat = AG_NELEM(at_thread),
	.gives = "Thread",
};

static const ag_param rename_body[] = {
	{ .name = "title",
	  .type = AG_PARAM_STRING,
	  .required = true,
	  .help = "the new title, blanks at its ends left out",
	  .min = 1,
	  .max = 200,
	  .in_chars = true },
};

const ag_route_doc ag_doc_rename_thread = {
	.name = "renameThread",
	.tag = "threads",
	.summary = "Rename a thread",
	.at = at_thread,
	.nat = AG_NELEM(at_thread),
	.body = rename_body,
	.nbody = AG_NELEM(rename_body),
	.gives = "Thread",
};

const ag_route_doc ag_doc_delete_thread = {
	.name = "deleteThread",
	.tag = "threads",
	.summary = "Delete a thread",
	.at = at_thread,
	.nat = AG_NELEM(at_thread),
	.status = 204,
};

static const ag_param messages_query[] = {
	{ .name = "version",
	  .type = AG_PARAM_STRING,
	  .help = "a turn: the thread as it was with this version of its question" },
};

const ag_route_doc ag_doc_list_messages = {
	.name = "listMessages",
	.tag = "threads",
	.summary =
		"The messages of a thread, as they were shown; a page has the last turns, the next page those before",
	.at = at_thread,
	.nat = AG_NELEM(at_thread),
	.query = messages_query,
	.nquery = AG_NELEM(messages_query),
	.gives = "MessageList",
	.is_list = true,
};

const ag_route_doc ag_doc_view_thread = {
	.name = "viewThread",
	.tag = "threads",
	.summary = "Mark a thread as read",
	.at = at_thread,
	.nat = AG_NELEM(at_thread),
	.gives = "Thread",
};

static const ag_param branch_body[] = {
	{ .name = "turn",
	  .type = AG_PARAM_STRING,
	  .required = true,
	  .help = "the message id of the answer that is the last one of the copy" },
};

const ag_route_doc ag_doc_branch_thread = {
	.name = "branchThread",
	.tag = "threads",
	.summary = "Copy a thread up to and with an answer",
	.at = at_thread,
	.nat = AG_NELEM(at_thread),
	.body = branch_body,
	.nbody = AG_NELEM(branch_body),
	.status = 201,
	.gives = "Thread",
};

static const ag_param at_turn[] = {
	{ .name = "id",
	  .type = AG_PARAM_STRING,
	  .required = true,
	  .help = "id of the thread",
	  .min = 1,
	  .max = AG_THREAD_MAX_NAME },
	{ .name = "turn",
	  .type = AG_PARAM_STRING,
	  .required = true,
	  .help = "the message id of the answer" },
};
static const ag_param feedback_body[] = {
	{ .name = "verdict",
	  .type = AG_PARAM_STRING,
	  .required = true,
	  .help = "is the answer good?",
	  .one_of = verdicts },
	{ .name = "reason",
	  .type = AG_PARAM_STRING,
	  .help = "why",
	  .max = AG_FEEDBACK_MAX_REASON / 4,
	  .in_chars = true },
};

const ag_route_doc ag_doc_put_feedback = {
	.name = "putFeedback",
	.tag = "threads",
	.summary = "Say what you think of an answer, or change what you said",
	.at = at_turn,
	.nat = AG_NELEM(at_turn),
	.body = feedback_body,
	.nbody = AG_NELEM(feedback_body),
	.gives = "Feedback",
	.other = { { 409, "the answer is still being written" } },
};

const ag_route_doc ag_doc_delete_feedback = {
	.name = "deleteFeedback",
	.tag = "threads",
	.summary = "Take back what you said of an answer",
	.at = at_turn,
	.nat = AG_NELEM(at_turn),
	.status = 204,
};

static const ag_param at_project_feedback[] = {
	{ .name = "project",
	  .type = AG_PARAM_STRING,
	  .required = true,
	  .help = "id of the project" },
};
static const ag_param of_feedback[] = {
	{ .name = "verdict",
	  .type = AG_PARAM_STRING,
	  .help = "only of this verdict",
	  .one_of = verdicts },
};

const ag_route_doc ag_doc_list_feedback = {
	.name = "listFeedback",
	.tag = "threads",
	.summary = "What people say of the answers of a project, for its admins",
	.at = at_project_feedback,
	.nat = AG_NELEM(at_project_feedback),
	.query = of_feedback,
	.nquery = AG_NELEM(of_feedback),
	.is_list = true,
	.gives = "FeedbackList",
};
