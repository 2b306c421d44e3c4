/* ui_stream -- a turn of a conversation as parts of the AI SDK's UI message stream, version 1.
 *
 * The parts are made from the events of the turn's log, so that whoever follows a turn, reads it again, or reads it from another
 * process gets the same ones. Only the types and keys that ai 6.0.3 knows are used, because it refuses others.
 * source  https://ai-sdk.dev/docs/ai-sdk-ui/stream-protocol, and the code of npm's ai 6.0.3 and 6.0.326 */
#ifndef AG_SERVER_UI_STREAM_H
#define AG_SERVER_UI_STREAM_H

#include "base/arena.h"
#include "base/json.h"
#include "run/event.h"

typedef enum ag_ui_type {
	AG_UI_START,           /* id: of the message */
	AG_UI_START_STEP,      /* a reply of the model, and what its calls gave */
	AG_UI_TEXT_START,      /* id */
	AG_UI_TEXT_DELTA,      /* id, text */
	AG_UI_TEXT_END,        /* id */
	AG_UI_REASONING_START, /* as of texts */
	AG_UI_REASONING_DELTA,
	AG_UI_REASONING_END,
	AG_UI_TOOL_INPUT,  /* id: of the call; name; json: its input */
	AG_UI_TOOL_OUTPUT, /* id; json: what it gave */
	AG_UI_TOOL_ERROR,  /* id; text: why it failed */
	AG_UI_DATA,        /* name: "data-status"; id: of the part, "" = none; json */
	AG_UI_ERROR,       /* text */
	AG_UI_ABORT,
	AG_UI_FINISH_STEP,
	AG_UI_FINISH /* name: why */
} ag_ui_type;

/* Texts are borrowed until the function that gets the chunk returns. */
typedef struct ag_ui_chunk {
	ag_ui_type type;
	ag_str id, name, text, json;
	bool is_transient; /* of data: not kept with the message */
} ag_ui_chunk;

/* One JSON object on one line. */
void ag_ui_chunk_json(const ag_ui_chunk *c, ag_buf *out);

#define AG_UI_MAX_CALLS 1024u /* of a turn that may be under way at once */

typedef struct ag_ui_stream {
	void (*emit)(void *arg, const ag_ui_chunk *c);
	void *arg;
	ag_arena *scratch;
	bool is_started, is_over;
	bool in_step, has_reply; /* the reply of the step is a proposal already */
	unsigned ntext, nreasoning;
	char open[24];      /* id of the text or reasoning that is open, "" = none */
	bool is_reasoning;  /* the open one */
	char last_text[24]; /* the newest text */
	ag_buf shown;       /* of the reply's text */
	ag_buf thoughts;    /* of the reply, that were shown */
	ag_str error;       /* of an error event; in texts */
	bool has_final;     /* the final words are there */
	ag_arena *texts;    /* lives as long as the turn */
	struct ag_ui_call *calls;
} ag_ui_stream;

void ag_ui_stream_init(ag_ui_stream *s, void (*emit)(void *arg, const ag_ui_chunk *c), void *arg);
void ag_ui_stream_release(ag_ui_stream *s);
/* A piece of what the model thinks, while it does; before the event of its reply. */
void ag_ui_stream_think(ag_ui_stream *s, ag_str piece);
/* The turn's answer with where it comes from (analyst/answer.h), as a part; before the event that ends the turn. */
void ag_ui_stream_answer(ag_ui_stream *s, ag_str json);
/* The next event of the turn. */
void ag_ui_stream_event(ag_ui_stream *s, const ag_event *ev);
/* Events of a turn from its first one on. What the model thought comes before what it said, as it did when the turn ran. */
void ag_ui_stream_replay(ag_ui_stream *s, const ag_event *events, size_t n);
/* The turn ended without its last event. why: one sentence. */
void ag_ui_stream_break(ag_ui_stream *s, ag_str why);

/* --- ui_message.c --- */

/* Parts of one message, as a reader of the stream has them at its end. */
typedef struct ag_ui_message {
	ag_arena *arena; /* the caller's */
	bool hides_thoughts;
	ag_str id;
	ag_str metadata; /* a JSON object; "" = none */
	struct ag_ui_part *first, **last;
} ag_ui_message;

void ag_ui_message_init(ag_ui_message *m, ag_arena *arena);
/* emit of a stream; arg: an ag_ui_message */
void ag_ui_message_take(void *arg, const ag_ui_chunk *c);
/* {"id":…,"role":"assistant","parts":[…]}; nothing when it has no part */
void ag_ui_message_write(const ag_ui_message *m, ag_jw *w);

#endif
