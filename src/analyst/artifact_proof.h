/* artifact_proof -- the figures of an artifact: proven by the results of the conversation, like those of an answer.
 *
 * Looked at are title, description, the words of Markdown, HTML and SVG, titles, notes and traces of a Plotly specification, and the
 * numbers of `data`. The code of a React component is not: what it writes depends on what it computes. */
#ifndef AG_ANALYST_ARTIFACT_PROOF_H
#define AG_ANALYST_ARTIFACT_PROOF_H

#include "analyst/proof.h"
#include "artifact/artifact.h"

/* p: of the turn; its results and those of the turns before prove. */
void ag_analyst_artifact_prover_init(ag_artifact_prover *prover, ag_analyst_proof *p);

#endif
