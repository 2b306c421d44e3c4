/* term -- what the terminal can do: width, colours, characters. Asked once, at start; colours again when the settings are
 * known. */
#ifndef AG_CLI_TERM_H
#define AG_CLI_TERM_H

#include <stdbool.h>
#include <stddef.h>

#include "app/settings.h"

typedef struct ag_term {
	bool out_is_tty, err_is_tty;
	bool colour, err_colour; /* on standard output, on standard error */
	bool can_redraw;         /* standard error can show a progress line */
	bool utf8;
	size_t width; /* of standard output; 100 when it is no terminal */
	size_t err_width;
	char charset[32];      /* of the locale: "UTF-8" */
	const char *why_plain; /* why standard output has no colours, NULL when it has */
} ag_term;

/* Colours as with AG_COLOR_AUTO. */
void ag_term_init(ag_term *t);
/* Columns that standard error has at this moment. */
size_t ag_term_err_columns(void);
/* Decide about colours: by the setting, unless it is auto; else by NO_COLOR, CLICOLOR_FORCE, and the terminal, in this order. */
void ag_term_choose_color(ag_term *t, ag_color setting);

#endif
