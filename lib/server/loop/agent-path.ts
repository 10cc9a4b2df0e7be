import type { AgentDefinition, AgentNode } from "@/lib/server/agents/agent-definition";
import type { RunOptions } from "@/lib/store/types";

/** Whether a path is that of an agent that asks a model. */
export function isModelAgent(workflow: RunOptions["workflow"], path: string): boolean {
  return nodesOn(workflow as AgentDefinition, path)?.at(-1)?.type === "llm";
}

/** Whether two agents run at the same time: in different branches of a `parallel`, in the same round of its loops. */
export function isBeside(workflow: RunOptions["workflow"], path: string, other: string): boolean {
  const parts = path.split("/");
  const others = other.split("/");
  const at = parts.findIndex((part, index) => part !== others[index]);
  if (at <= 0 || others[at] === undefined) return false;
  return nodesOn(workflow as AgentDefinition, path)?.[at - 1]?.type === "parallel";
}

/** The nodes on the way to a path (`document/refine.2/critic`), the outermost first; undefined where it names none. */
function nodesOn({ name, agent, result }: AgentDefinition, path: string): AgentNode[] | undefined {
  const isWrapped = result !== undefined && agent.type !== "sequential";
  const found: AgentNode[] = [isWrapped ? { type: "sequential", name, agents: [agent] } : agent];
  for (const part of path.split("/").slice(1)) {
    const at = found.at(-1);
    const own = part.replace(/\.\d+$/, "");
    const next = at && "agents" in at ? at.agents.find((node) => nameOf(node) === own) : undefined;
    if (!next) return undefined;
    found.push(next);
  }
  return found;
}

/** As `buildAgent` names it in paths. */
const nameOf = (node: AgentNode): string => (node.type === "use" ? node.agent : (node.name ?? "sequence"));
