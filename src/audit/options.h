/* options -- what a user can choose about an audit. Each row's field is one of ag_audit_opts. */
#ifndef AG_AUDIT_OPTIONS_H
#define AG_AUDIT_OPTIONS_H

#include "agent/setting.h"

extern const ag_setting ag_audit_options[]; /* ends with a row without a key */

#endif
