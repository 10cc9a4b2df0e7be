import type { BudgetUsage } from "@/lib/agent/budget-usage";
import type { Provider, ToolBox } from "@/lib/agent/ports";
import { withKnobs } from "@/lib/agent/with-knobs";
import { withRepeatCheck } from "@/lib/agent/with-repeat-check";
import { llmAgent } from "@/lib/agent/workflows/llm-agent";
import { loopAgent } from "@/lib/agent/workflows/loop-agent";
import { parallelAgent } from "@/lib/agent/workflows/parallel-agent";
import { sequentialAgent } from "@/lib/agent/workflows/sequential-agent";
import type { Agent } from "@/lib/agent/workflows/types";
import { notRun } from "@/lib/protocol/history";
import { runLimits } from "@/lib/protocol/run-limits";
import { exactPattern, matchesGlob } from "@/lib/protocol/tool-rules";
import type { AgentDefinition, AgentNode, LlmNode } from "./agent-definition";
import { customAgents, resultAgent } from "./custom-agents";

/** Rounds of a loop that names no limit: it has an exit. */
const defaultRounds = runLimits.agent.rounds;

/** Server and own name of a tool, by its qualified name. */
export type Origin = (qualifiedName: string) => { server: string; tool: string } | undefined;

/** What the agents of a run are built with. */
export interface AgentSetting {
  originOf: Origin;
  budgetUsage: BudgetUsage;
  /** Those that agents name, as far as they are there. */
  models?: ReadonlyMap<string, Provider>;
}

/** The agent that a checked definition describes; `use` has been replaced by what it names. */
export function buildAgent({ name, agent, result }: AgentDefinition, setting: AgentSetting): Agent {
  const built = build(agent.type === "sequential" ? { ...agent, name: agent.name ?? name } : agent, setting);
  if (result === undefined) return built;
  const parts = agent.type === "sequential" ? children(agent, setting) : [built];
  return sequentialAgent(name, [...parts, resultAgent(result)]);
}

function build(node: AgentNode, setting: AgentSetting, inLoop = false): Agent {
  switch (node.type) {
    case "llm":
      return buildLlm(node, setting, inLoop);
    case "sequential":
      return sequentialAgent(node.name ?? "sequence", children(node, setting, inLoop));
    case "loop":
      return loopAgent(node.name, children(node, setting, true), node.maxIterations ?? defaultRounds);
    case "parallel":
      return parallelAgent(node.name, children(node, setting, inLoop));
    case "custom": {
      const custom = customAgents.get(node.name);
      if (custom) return custom;
      throw new Error(`There is no custom agent ${node.name}.`);
    }
    case "use":
      throw new Error(`The agent ${node.agent} has not been put in its place.`);
  }
}

const children = ({ agents }: { agents: AgentNode[] }, setting: AgentSetting, inLoop = false) =>
  agents.map((agent) => build(agent, setting, inLoop));

function buildLlm(node: LlmNode, setting: AgentSetting, inLoop: boolean): Agent {
  const { name, instruction, outputKey, includeContents, exitLoop, tools = "all", model, effort } = node;
  return llmAgent({
    name,
    instruction,
    inLoop,
    provider: (ofRun) =>
      withKnobs((model && setting.models?.get(model)) || ofRun, { ...(effort && { effort }) }),
    ...(outputKey && { outputKey }),
    ...(includeContents && { includeContents }),
    ...(exitLoop && { canExitLoop: true }),
    ...(tools !== "all" && { tools: (all) => narrowed(all, tools, setting) }),
  });
}

/** The models that parts of a definition name. */
export function modelsIn(node: AgentNode): ReadonlySet<string> {
  if (node.type === "llm") return new Set(node.model === undefined ? [] : [node.model]);
  return new Set("agents" in node ? node.agents.flatMap((agent) => [...modelsIn(agent)]) : []);
}

/** What an agent may not use is as if it were not there. */
function narrowed(
  all: ToolBox | undefined,
  tools: "none" | string[],
  { originOf, budgetUsage }: AgentSetting,
): ToolBox | undefined {
  if (!all || tools === "none") return undefined;
  const allowed = (name: string) => {
    const origin = originOf(name);
    // Built-in ones (the search among many tools, …) read what the person gave to the conversation. A server may be called like them.
    if (!origin) return name.startsWith("meguri__");
    return tools.some((glob) => matchesGlob(glob, exactPattern(origin.server, origin.tool)));
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
