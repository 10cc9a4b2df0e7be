import { neededKeys } from "@/lib/agent/workflows/llm-agent";
import type { AgentNode } from "./agent-definition";
import { AgentFileError, type ParsedAgent } from "./parse-agent";

export type AgentFiles = ReadonlyMap<string, ParsedAgent>;

/** What a definition can name that stands outside of it. */
export interface Known {
  files: AgentFiles;
  custom: ReadonlySet<string>;
  /** Why a model cannot be asked; undefined for one that can. */
  faultOfModel(model: string): string | undefined;
}

/** Of an agent, with what it uses of other files. */
const maxParts = 500;
/** Of the instructions of these parts, in UTF-16 code units: a run keeps all of them. */
const maxInstructions = 1_000_000;

/** Where a part stands; `root` and `rootPath` name the place in the file that is checked. */
interface Place {
  source: ParsedAgent;
  path: PropertyKey[];
  rootPath: PropertyKey[];
  inLoop: boolean;
  /** Files that lead here. */
  through: string[];
}

/**
 * Finds what a schema cannot: cycles, duplicate names, states that nothing sets, loops that nobody can leave, models that
 * are not there. What is wrong in a file that this one uses is told at the line that uses it, too.
 */
export function checkAgent(parsed: ParsedAgent, known: Known): void {
  new Check(parsed, known).run();
}

type FileFault = (message: string, ...more: PropertyKey[]) => AgentFileError;
type Group = Extract<AgentNode, { agents: AgentNode[] }>;

class Check {
  private parts = 0;
  private instructions = 0;

  constructor(
    private readonly root: ParsedAgent,
    private readonly known: Known,
  ) {}

  run(): void {
    const { definition } = this.root;
    const place = {
      source: this.root,
      path: ["agent"],
      rootPath: ["agent"],
      inLoop: false,
      through: [definition.name],
    };
    const keys = new Set(Object.keys(definition.state ?? {}));
    this.check(definition.agent, place, keys);
    const { result } = definition;
    if (result !== undefined && !keys.has(result))
      throw new AgentFileError(
        this.root.file,
        this.root.placeOf(["result"]),
        `no agent puts out {${result}}, which is to be the result.`,
      );
  }

  /** Checks a part; `keys` holds what has been put out before it, and gets what it puts out. */
  private check(node: AgentNode, place: Place, keys: Set<string>): void {
    const fileFault: FileFault = (message, ...more) => this.faultAt(place, message, more);
    if (++this.parts > maxParts) throw fileFault(`with what it uses it has more than ${maxParts} parts.`);
    switch (node.type) {
      case "llm":
        this.checkLlm(node, place, keys, fileFault);
        return;
      case "custom":
        if (!this.known.custom.has(node.name))
          throw fileFault(
            `there is no custom agent ${node.name}; there are ${[...this.known.custom].join(", ")}.`,
            "name",
          );
        return;
      case "use":
        this.checkUsed(node.agent, place, keys, fileFault);
        return;
      case "sequential":
      case "loop":
      case "parallel":
        this.checkGroup(node, place, keys, fileFault);
    }
  }

  private faultAt({ source, path, rootPath }: Place, message: string, more: PropertyKey[]): AgentFileError {
    const at = source.placeOf([...path, ...more]);
    if (source === this.root) return new AgentFileError(source.file, at, message);
    const fault = new AgentFileError(source.file, at, message);
    const here = { ...this.root.placeOf(rootPath), message: fault.message };
    return Object.assign(fault, { problems: [here] });
  }

  private checkLlm(
    node: Extract<AgentNode, { type: "llm" }>,
    place: Place,
    keys: Set<string>,
    fileFault: FileFault,
  ): void {
    this.instructions += node.instruction.length;
    if (this.instructions > maxInstructions)
      throw fileFault(
        `with what it uses its instructions have more than ${maxInstructions} characters.`,
        "instruction",
      );
    const missing = neededKeys(node.instruction).find((key) => !keys.has(key));
    if (missing)
      throw fileFault(
        `${node.name} needs {${missing}}, and no agent before it puts it out; write {${missing}?} where it may be missing.`,
        "instruction",
      );
    if (node.exitLoop && !place.inLoop)
      throw fileFault(`${node.name} can leave a loop, and there is none around it.`, "exitLoop");
    const fault = node.model !== undefined && this.known.faultOfModel(node.model);
    if (fault) throw fileFault(`${node.name} cannot ask its model: ${fault}`, "model");
    if (node.outputKey) keys.add(node.outputKey);
  }

  private checkUsed(name: string, place: Place, keys: Set<string>, fileFault: FileFault): void {
    const used = this.known.files.get(name);
    if (!used) throw fileFault(`there is no agent ${name} to use.`, "agent");
    if (place.through.includes(name))
      throw fileFault(`${[...place.through, name].join(" → ")} would never end.`, "agent");
    for (const key of Object.keys(used.definition.state ?? {})) keys.add(key);
    const inside = { ...place, source: used, path: ["agent"], through: [...place.through, name] };
    this.check(used.definition.agent, inside, keys);
  }

  private checkGroup(node: Group, place: Place, keys: Set<string>, fileFault: FileFault): void {
    const names = node.agents.map((agent) => (agent.type === "use" ? agent.agent : agent.name));
    const twice = names.findIndex((name, at) => name !== undefined && names.indexOf(name) !== at);
    if (twice >= 0)
      throw fileFault(
        `two agents here are called ${names[twice]}; each needs a name of its own.`,
        "agents",
        twice,
      );
    const isLoop = node.type === "loop";
    if (isLoop && node.maxIterations === undefined && !node.agents.some(canLeave))
      throw fileFault(
        `the loop ${node.name} has no exit: give it maxIterations, or one of its agents exitLoop: true.`,
      );
    const before = new Set(keys);
    for (const [at, agent] of node.agents.entries()) {
      const own = node.type === "parallel" ? new Set(before) : keys;
      const path = [...place.path, "agents", at];
      const isHere = place.source === this.root;
      const inside = {
        ...place,
        path,
        rootPath: isHere ? path : place.rootPath,
        inLoop: place.inLoop || isLoop,
      };
      this.check(agent, inside, own);
      for (const key of own) keys.add(key);
    }
  }
}

function canLeave(node: AgentNode): boolean {
  if (node.type === "llm") return node.exitLoop === true;
  if (node.type === "custom") return true;
  return "agents" in node && node.type !== "loop" && node.agents.some(canLeave);
}
