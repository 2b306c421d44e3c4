/* choices -- what may come where an option or a command expects a word: files, folders, or words of a list.
 *
 * Read from the rows of commands, options and settings, for the completions of the shells (completion*.c). */
#ifndef AG_CLI_CHOICES_H
#define AG_CLI_CHOICES_H

#include "cli/cli.h"

typedef enum ag_choice_kind {
	AG_CHOICE_ANY,   /* nothing that could be listed */
	AG_CHOICE_WORDS, /* only the words */
	AG_CHOICE_FILES, /* files and folders, and the words */
	AG_CHOICE_FOLDERS,
	AG_CHOICE_SETTING /* KEY= of a setting */
} ag_choice_kind;

typedef struct ag_choices {
	ag_choice_kind kind;
	ag_str words; /* with one blank between; "" = none */
} ag_choices;

/* The value of an option that takes one. */
ag_choices ag_choices_of_option(const ag_command *cmd, const ag_option *o, ag_arena *arena);
ag_choices ag_choices_of_setting(const ag_setting *row, ag_arena *arena);
/* Argument nth of a command, from 0, as its usage has it. False: it takes no such argument. */
#define AG_CHOICES_REPEATED \
	1000 /* no usage lists so many: only an argument that repeats is there */
bool ag_choices_of_argument(const ag_command *cmd, size_t nth, ag_arena *arena, ag_choices *ret);
/* Options of a command that help lists, without the common ones: the n-th. False: there are not so many. */
bool ag_choices_option(const ag_command *cmd, size_t nth, ag_option *ret);
/* "audit verify inspect" */
ag_str ag_choices_commands(ag_arena *arena);

/* The completion of a shell, as a script. */
void ag_completion_bash(ag_buf *out);
void ag_completion_zsh(ag_buf *out);
void ag_completion_fish(ag_buf *out);

#endif
