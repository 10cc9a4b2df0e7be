import { neededKeys } from "@/lib/agent/workflows/llm-agent";
import type { AgentPart, AgentTree } from "@/lib/protocol/agents";
import type { AgentNode, LlmNode } from "./agent-definition";
import { localize } from "./agents";
import type { ParsedAgent } from "./parse-agent";

/** A definition as it is drawn. */
export function treeOf(parsed: ParsedAgent): AgentTree {
  const { agent, state = {}, result = null } = parsed.definition;
  return { state, result, agent: partOf(agent, ["agent"], parsed) };
}

function partOf(node: AgentNode, path: readonly PropertyKey[], parsed: ParsedAgent): AgentPart {
  const { type, description } = node;
  return {
    type,
    name: nameOf(node, parsed),
    line: parsed.placeOf(path).line,
    ...(description !== undefined && { description: localize(description, "") }),
    ...(node.type === "llm" && ofModel(node)),
    ...("maxIterations" in node && node.maxIterations !== undefined && { maxIterations: node.maxIterations }),
    ...("agents" in node && {
      parts: node.agents.map((agent, at) => partOf(agent, [...path, "agents", at], parsed)),
    }),
  };
}

function nameOf(node: AgentNode, { definition }: ParsedAgent): string {
  if (node.type === "use") return node.agent;
  return node.name ?? (node === definition.agent ? definition.name : "");
}

function ofModel({ instruction, model, effort, outputKey, tools, exitLoop }: LlmNode): Partial<AgentPart> {
  const reads = [...new Set(neededKeys(instruction))];
  return {
    ...(model !== undefined && { model }),
    ...(effort !== undefined && { effort }),
    ...(reads.length > 0 && { reads }),
    ...(outputKey !== undefined && { outputKey }),
    ...(tools !== undefined && tools !== "all" && { tools }),
    ...(exitLoop && { exitLoop }),
  };
}
