import type { ToolBox } from "@/lib/agent/ports";
import { llmAgent } from "@/lib/agent/workflows/llm-agent";
import { loopAgent } from "@/lib/agent/workflows/loop-agent";
import { parallelAgent } from "@/lib/agent/workflows/parallel-agent";
import { sequentialAgent } from "@/lib/agent/workflows/sequential-agent";
import type { Agent } from "@/lib/agent/workflows/types";
import { exactPattern, matchesGlob } from "@/lib/protocol/tool-rules";
import type { AgentDefinition, AgentNode } from "./agent-definition";
import { customAgents, resultAgent } from "./custom-agents";

/** Rounds of a loop that names no limit: it has an exit. */
const defaultRounds = 10;

/** Server and own name of a tool, by its qualified name. */
export type Origin = (qualifiedName: string) => { server: string; tool: string } | undefined;

/** The agent that a checked definition describes; `use` has been replaced by what it names. */
export function buildAgent({ name, agent, result }: AgentDefinition, originOf: Origin): Agent {
  const built = build(agent.type === "sequential" ? { ...agent, name: agent.name ?? name } : agent, originOf);
  if (result === undefined) return built;
  const parts = agent.type === "sequential" ? children(agent, originOf) : [built];
  return sequentialAgent(name, [...parts, resultAgent(result)]);
}

function build(node: AgentNode, originOf: Origin): Agent {
  switch (node.type) {
    case "llm": {
      const { name, instruction, outputKey, includeContents, exitLoop, tools = "all" } = node;
      return llmAgent({
        name,
        instruction,
        ...(outputKey && { outputKey }),
        ...(includeContents && { includeContents }),
        ...(exitLoop && { canExitLoop: true }),
        ...(tools !== "all" && { tools: (all) => narrowed(all, tools, originOf) }),
      });
    }
    case "sequential":
      return sequentialAgent(node.name ?? "sequence", children(node, originOf));
    case "loop":
      return loopAgent(node.name, children(node, originOf), node.maxIterations ?? defaultRounds);
    case "parallel":
      return parallelAgent(node.name, children(node, originOf));
    case "custom": {
      const custom = customAgents.get(node.name);
      if (custom) return custom;
      throw new Error(`There is no custom agent ${node.name}.`);
    }
    case "use":
      throw new Error(`The agent ${node.agent} has not been put in its place.`);
  }
}

const children = ({ agents }: { agents: AgentNode[] }, originOf: Origin) =>
  agents.map((agent) => build(agent, originOf));

/** What an agent may not use is as if it were not there. */
function narrowed(all: ToolBox | undefined, tools: "none" | string[], originOf: Origin): ToolBox | undefined {
  if (!all || tools === "none") return undefined;
  const allowed = (name: string) => {
    // Built-in ones (the search among many tools, …) read nothing of anybody's.
    if (name.startsWith("meguri__")) return true;
    const origin = originOf(name);
    return (
      origin !== undefined &&
      tools.some((glob) => matchesGlob(glob, exactPattern(origin.server, origin.tool)))
    );
  };
  return {
    list: () => all.list().filter(({ name }) => allowed(name)),
    call: (call, context) =>
      allowed(call.name)
        ? all.call(call, context)
        : Promise.resolve({
            id: call.id,
            status: "error",
            content: [{ type: "text", text: `Not run: this agent may not use ${call.name}.` }],
          }),
  };
}
