/* announce -- does a reply only say what will be done ("I will look at the file.")? Small models often stop there. */
#ifndef AG_AGENT_ANNOUNCE_H
#define AG_AGENT_ANNOUNCE_H

#include "base/str.h"

/* has_called: a tool ran before this reply; then only a known phrase counts, and not a colon at the end alone. A wrong
 * answer costs one more question to the model, so the test is generous. */
bool ag_announces(ag_str text, bool has_called);

#endif
