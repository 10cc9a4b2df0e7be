import { neededKeys } from "@/lib/agent/workflows/llm-agent";
import type { AgentNode } from "./agent-definition";
import { AgentFileError, type ParsedAgent } from "./parse-agent";

type Files = ReadonlyMap<string, ParsedAgent>;

interface Place {
  source: ParsedAgent;
  path: PropertyKey[];
  inLoop: boolean;
  /** Files that lead here. */
  through: string[];
}

/** Finds what a schema cannot: cycles, duplicate names, states that nothing sets, loops that nobody can leave. */
export function checkAgent(parsed: ParsedAgent, files: Files, custom: ReadonlySet<string>): void {
  const place = { source: parsed, path: ["agent"], inLoop: false, through: [parsed.definition.name] };
  const keys = new Set<string>();
  check(parsed.definition.agent, place, keys, { files, custom });
  const { result } = parsed.definition;
  if (result !== undefined && !keys.has(result))
    throw new AgentFileError(
      `agents/${parsed.file}:${parsed.lineOf(["result"])}: no agent puts out {${result}}, which is to be the result.`,
    );
}

interface Known {
  files: Files;
  custom: ReadonlySet<string>;
}

/** Checks a part; `keys` holds what has been put out before it, and gets what it puts out. */
function check(node: AgentNode, place: Place, keys: Set<string>, known: Known): void {
  const fileFault: FileFault = (message, ...more) => {
    const { source, path } = place;
    return new AgentFileError(`agents/${source.file}:${source.lineOf([...path, ...more])}: ${message}`);
  };
  switch (node.type) {
    case "llm": {
      const missing = neededKeys(node.instruction).find((key) => !keys.has(key));
      if (missing)
        throw fileFault(
          `${node.name} needs {${missing}}, and no agent before it puts it out; write {${missing}?} where it may be missing.`,
          "instruction",
        );
      if (node.exitLoop && !place.inLoop)
        throw fileFault(`${node.name} can leave a loop, and there is none around it.`, "exitLoop");
      if (node.outputKey) keys.add(node.outputKey);
      return;
    }
    case "custom":
      if (!known.custom.has(node.name))
        throw fileFault(
          `there is no custom agent ${node.name}; there are ${[...known.custom].join(", ")}.`,
          "name",
        );
      return;
    case "use": {
      const used = known.files.get(node.agent);
      if (!used) throw fileFault(`there is no agent ${node.agent} to use.`, "agent");
      if (place.through.includes(node.agent))
        throw fileFault(`${[...place.through, node.agent].join(" → ")} would never end.`, "agent");
      const inside = { ...place, source: used, path: ["agent"], through: [...place.through, node.agent] };
      check(used.definition.agent, inside, keys, known);
      return;
    }
    case "sequential":
    case "loop":
    case "parallel":
      checkGroup(node, place, keys, known, fileFault);
  }
}

type FileFault = (message: string, ...more: PropertyKey[]) => AgentFileError;
type Group = Extract<AgentNode, { agents: AgentNode[] }>;

function checkGroup(node: Group, place: Place, keys: Set<string>, known: Known, fileFault: FileFault): void {
  const names = node.agents.map((agent) => (agent.type === "use" ? agent.agent : agent.name));
  const twice = names.findIndex((name, at) => name !== undefined && names.indexOf(name) !== at);
  if (twice >= 0)
    throw fileFault(
      `two agents here are called ${names[twice]}; each needs a name of its own.`,
      "agents",
      twice,
    );
  const isLoop = node.type === "loop";
  if (isLoop && node.maxIterations === undefined && !node.agents.some((agent) => canLeave(agent, known)))
    throw fileFault(
      `the loop ${node.name} has no exit: give it maxIterations, or one of its agents exitLoop: true.`,
    );
  const before = new Set(keys);
  for (const [at, agent] of node.agents.entries()) {
    const own = node.type === "parallel" ? new Set(before) : keys;
    const inside = { ...place, path: [...place.path, "agents", at], inLoop: place.inLoop || isLoop };
    check(agent, inside, own, known);
    for (const key of own) keys.add(key);
  }
}

function canLeave(node: AgentNode, known: Known): boolean {
  if (node.type === "llm") return node.exitLoop === true;
  if (node.type === "custom") return true;
  return "agents" in node && node.type !== "loop" && node.agents.some((agent) => canLeave(agent, known));
}
