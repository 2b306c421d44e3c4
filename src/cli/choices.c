/* Arguments are read from the usage line: "[RUN [FINDING tp|fp|need_info]] [options]". Alternatives are separated by " | ";
 * the k-th word of each is one choice for argument k. A word in capitals names a kind, other words are literal. */
#include "cli/choices.h"

static void add_word(ag_buf *words, ag_str word)
{
	ag_str rest = ag_buf_view(words);

	while (rest.len) {
		if (ag_str_eq(ag_str_split(&rest, ' '), word))
			return;
	}
	if (words->len)
		ag_buf_addc(words, ' ');
	ag_buf_add(words, word);
}

static ag_str end_words(ag_buf *words, ag_arena *arena)
{
	const ag_str ret = ag_buf_dup(arena, words);

	ag_buf_release(words);
	return ret;
}

ag_str ag_choices_commands(ag_arena *arena)
{
	ag_buf words = AG_BUF_INIT(4096);
	size_t n;
	const ag_command *const *list = ag_cli_commands(&n);

	for (size_t i = 0; i < n; i++)
		add_word(&words, ag_str_c(list[i]->name));
	return end_words(&words, arena);
}

/* --- options --- */

static bool is_taken(const ag_command *cmd, const ag_setting *row, size_t choice)
{
	return row->offset != offsetof(ag_settings, output_format) ||
	       ag_cli_takes_format(cmd, (ag_output_format)choice);
}

/* Of a number or a text nothing is offered: one word alone, like "none", would be inserted at once.
 * cmd: leave out what this command refuses; NULL = nothing. */
static void words_of_setting(const ag_command *cmd, const ag_setting *row, ag_buf *words)
{
	for (size_t i = 0; row->type == AG_SET_CHOICE && row->one_of[i]; i++) {
		if (!cmd || is_taken(cmd, row, i))
			add_word(words, ag_str_c(row->one_of[i]));
	}
	if (row->type == AG_SET_BOOL) {
		add_word(words, AG_S("true"));
		add_word(words, AG_S("false"));
	}
}

ag_choices ag_choices_of_setting(const ag_setting *row, ag_arena *arena)
{
	ag_buf words = AG_BUF_INIT(4096);
	ag_choices ret = { AG_CHOICE_ANY, { 0 } };

	words_of_setting(NULL, row, &words);
	if (words.len)
		ret.kind = AG_CHOICE_WORDS;
	ret.words = end_words(&words, arena);
	return ret;
}

static ag_choice_kind kind_of_option(ag_str arg)
{
	static const char *const files[] = { "FILE", "URI", "REPORT" };

	for (size_t i = 0; i < AG_NELEM(files); i++) {
		if (ag_str_eqc(arg, files[i]))
			return AG_CHOICE_FILES;
	}
	return ag_str_eqc(arg, "DIR")         ? AG_CHOICE_FOLDERS
	       : ag_str_eqc(arg, "KEY=VALUE") ? AG_CHOICE_SETTING
	                                      : AG_CHOICE_ANY;
}

ag_choices ag_choices_of_option(const ag_command *cmd, const ag_option *o, ag_arena *arena)
{
	ag_choices ret = { kind_of_option(ag_str_c(o->arg)), { 0 } };
	ag_buf words = AG_BUF_INIT(4096);
	ag_str rest = ag_str_c(o->values);

	while (rest.len)
		add_word(&words, ag_str_split(&rest, ' '));
	if (!words.len && o->setting && ret.kind == AG_CHOICE_ANY)
		words_of_setting(cmd,
		                 &ag_settings_table(
					 &(size_t){ 0 })[ag_settings_find(ag_str_c(o->setting))],
		                 &words);
	if (words.len && ret.kind == AG_CHOICE_ANY)
		ret.kind = AG_CHOICE_WORDS;
	ret.words = end_words(&words, arena);
	return ret;
}

bool ag_choices_option(const ag_command *cmd, size_t nth, ag_option *ret)
{
	for (size_t i = 0; ag_cli_option(cmd, i, ret); i++) {
		if (ret->help && nth-- == 0)
			return true;
	}
	return false;
}

/* --- arguments --- */

static void add_argument(ag_str word, ag_choices *ret, ag_buf *words, ag_arena *arena)
{
	static const char *const files[] = { "SOURCE", "SOURCE...", "FILE" };

	for (size_t i = 0; i < AG_NELEM(files); i++) {
		if (ag_str_eqc(word, files[i]))
			ret->kind = AG_CHOICE_FILES;
	}
	if (ag_str_starts(word, AG_S("RUN"))) {
		add_word(words, AG_S("last"));
	} else if (ag_str_eqc(word, "COMMAND")) {
		for (ag_str rest = ag_choices_commands(arena); rest.len;)
			add_word(words, ag_str_split(&rest, ' '));
	} else if (word.len && word.ptr[0] >= 'a' && word.ptr[0] <= 'z') {
		while (word.len)
			add_word(words, ag_str_split(&word, '|'));
	}
}

/* The usage without brackets and "[options]". */
static ag_str plain_usage(const ag_command *cmd, ag_arena *arena)
{
	ag_str usage = ag_str_c(cmd->usage), ret;
	ag_buf out = AG_BUF_INIT(4096);

	AG_ASSERT(usage.ptr);
	if (ag_str_ends(usage, AG_S("[options]")))
		usage.len -= strlen("[options]");
	for (size_t i = 0; i < usage.len; i++) {
		if (usage.ptr[i] != '[' && usage.ptr[i] != ']')
			ag_buf_addc(&out, usage.ptr[i]);
	}
	ret = ag_buf_dup(arena, &out);
	ag_buf_release(&out);
	return ret;
}

bool ag_choices_of_argument(const ag_command *cmd, size_t nth, ag_arena *arena, ag_choices *ret)
{
	ag_str rest = plain_usage(cmd, arena);
	ag_buf words = AG_BUF_INIT(4096);
	bool is_there = false, is_option = false;
	size_t at = 0;

	*ret = (ag_choices){ AG_CHOICE_ANY, { 0 } };
	while (rest.len) {
		const ag_str word = ag_str_split(&rest, ' ');

		if (ag_str_eqc(word, "|")) {
			at = 0;
			is_option = false;
		} else if (ag_str_starts(word, AG_S("-"))) {
			is_option = true; /* "create --user USER": no arguments after it */
		} else if (word.len && !is_option &&
		           (at++ == nth || (at <= nth && ag_str_ends(word, AG_S("..."))))) {
			is_there = true;
			add_argument(word, ret, &words, arena);
		}
	}
	if (words.len && ret->kind == AG_CHOICE_ANY)
		ret->kind = AG_CHOICE_WORDS;
	ret->words = end_words(&words, arena);
	return is_there;
}
