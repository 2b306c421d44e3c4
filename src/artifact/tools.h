/* tools -- create_artifact, update_artifact, list_artifacts: what a model does with artifacts (reference analyst.md 2.3). */
#ifndef AG_ARTIFACT_TOOLS_H
#define AG_ARTIFACT_TOOLS_H

#include "agent/tool.h"
#include "artifact/artifact.h"

#define AG_ARTIFACT_TOOL_CREATE "create_artifact"
#define AG_ARTIFACT_TOOL_UPDATE "update_artifact"
#define AG_ARTIFACT_TOOL_LIST   "list_artifacts"
/* The frame of the first two. Its view: {"kind","title","code","data":{…},"failed":[{"name","error"}],"cut":["sales"]}; code is what
 * the frame of that kind takes (web/frame/messages.ts). */
#define AG_ARTIFACT_FRAME "ui://argus/artifact"

/* env: an ag_artifact_prover, NULL = figures are not looked at. The agent's rows have no project_id; list_artifacts, which a
 * viewer may call, is the first. */
extern const ag_tool_set ag_artifact_tools, ag_artifact_agent_tools;

#endif
