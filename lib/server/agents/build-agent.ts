import type { BudgetUsage } from "@/lib/agent/budget-usage";
import type { ToolBox } from "@/lib/agent/ports";
import { withRepeatCheck } from "@/lib/agent/with-repeat-check";
import { llmAgent } from "@/lib/agent/workflows/llm-agent";
import { loopAgent } from "@/lib/agent/workflows/loop-agent";
import { parallelAgent } from "@/lib/agent/workflows/parallel-agent";
import { sequentialAgent } from "@/lib/agent/workflows/sequential-agent";
import type { Agent } from "@/lib/agent/workflows/types";
import { notRun } from "@/lib/protocol/history";
import { runLimits } from "@/lib/protocol/run-limits";
import { exactPattern, matchesGlob } from "@/lib/protocol/tool-rules";
import type { AgentDefinition, AgentNode } from "./agent-definition";
import { customAgents, resultAgent } from "./custom-agents";

/** Rounds of a loop that names no limit: it has an exit. */
const defaultRounds = runLimits.agent.rounds;

/** Server and own name of a tool, by its qualified name. */
export type Origin = (qualifiedName: string) => { server: string; tool: string } | undefined;

/** What the agents of a run are built with. */
export interface AgentSetting {
  originOf: Origin;
  budgetUsage: BudgetUsage;
}

/** The agent that a checked definition describes; `use` has been replaced by what it names. */
export function buildAgent({ name, agent, result }: AgentDefinition, setting: AgentSetting): Agent {
  const built = build(agent.type === "sequential" ? { ...agent, name: agent.name ?? name } : agent, setting);
  if (result === undefined) return built;
  const parts = agent.type === "sequential" ? children(agent, setting) : [built];
  return sequentialAgent(name, [...parts, resultAgent(result)]);
}

function build(node: AgentNode, setting: AgentSetting): Agent {
  switch (node.type) {
    case "llm": {
      const { name, instruction, outputKey, includeContents, exitLoop, tools = "all" } = node;
      return llmAgent({
        name,
        instruction,
        ...(outputKey && { outputKey }),
        ...(includeContents && { includeContents }),
        ...(exitLoop && { canExitLoop: true }),
        ...(tools !== "all" && { tools: (all) => narrowed(all, tools, setting) }),
      });
    }
    case "sequential":
      return sequentialAgent(node.name ?? "sequence", children(node, setting));
    case "loop":
      return loopAgent(node.name, children(node, setting), node.maxIterations ?? defaultRounds);
    case "parallel":
      return parallelAgent(node.name, children(node, setting));
    case "custom": {
      const custom = customAgents.get(node.name);
      if (custom) return custom;
      throw new Error(`There is no custom agent ${node.name}.`);
    }
    case "use":
      throw new Error(`The agent ${node.agent} has not been put in its place.`);
  }
}

const children = ({ agents }: { agents: AgentNode[] }, setting: AgentSetting) =>
  agents.map((agent) => build(agent, setting));

/** What an agent may not use is as if it were not there. */
function narrowed(
  all: ToolBox | undefined,
  tools: "none" | string[],
  { originOf, budgetUsage }: AgentSetting,
): ToolBox | undefined {
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
  const box: ToolBox = {
    list: () => all.list().filter(({ name }) => allowed(name)),
    call: (call, context) =>
      allowed(call.name)
        ? all.call(call, context)
        : Promise.resolve(notRun(call.id, `Not run: this agent may not use ${call.name}.`)),
  };
  return withRepeatCheck(box, budgetUsage);
}
