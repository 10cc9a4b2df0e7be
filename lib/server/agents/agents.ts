import { type AgentItem, type AgentList, type BothLanguages, saidIn } from "@/lib/protocol/agents";
import { HttpError } from "@/lib/server/http/errors";
import { type AgentDefinition, type AgentNode, agentName, type Localized } from "./agent-definition";
import { type AgentDeps, judge, readFolder } from "./agent-folder";
import type { AgentFiles } from "./check-agent";

/** The agents that can be chosen, and what is wrong with files that cannot be used. */
export async function listAgents(deps: AgentDeps): Promise<AgentList & { nextCursor: null }> {
  const { good, files, faults } = judge(deps, await readFolder(deps));
  const items = [...good.values()].map(({ definition }): AgentItem => {
    const { name, title, description } = definition;
    const { state = {} } = withUsed(definition, files);
    return { id: name, name: localize(title, name), description: localize(description, ""), state };
  });
  const broken = faults.map(({ file, message: error }) => ({ id: idOf(file), file, error }));
  return { items, nextCursor: null, errors: broken.map(({ error }) => error), broken };
}

/** The id under which a file is edited that has no name of its own. */
function idOf(file: string): string | null {
  const id = file.replace(/\.ya?ml$/, "");
  return agentName.safeParse(id).success ? id : null;
}

/** A text in both languages, the same where it has only one. */
export function localize(text: Localized | undefined, otherwise: string): BothLanguages {
  if (text === undefined) return { en: otherwise, ja: otherwise };
  return typeof text === "string" ? { en: text, ja: text } : { en: text.en, ja: text.ja ?? text.en };
}

/** With the agents of other files in the places that name them, and what these begin with: a run keeps what it began with. */
function withUsed(definition: AgentDefinition, files: AgentFiles): AgentDefinition {
  let state = { ...definition.state };
  const put = (node: AgentNode): AgentNode => {
    if (node.type === "use") {
      const used = files.get(node.agent)?.definition;
      state = { ...used?.state, ...state };
      const agent = used ? put(used.agent) : node;
      return agent.type === "sequential" ? { ...agent, name: node.agent } : agent;
    }
    return "agents" in node ? { ...node, agents: node.agents.map(put) } : node;
  };
  const agent = put(definition.agent);
  return { ...definition, state, agent };
}

/**
 * The definition that a request names, with the state that it begins with; 404 when there is none, 422 with what is wrong
 * in its file, 400 for a state that it does not take. `before`: what an earlier answer began with, as far as it still does.
 */
export async function findAgent(
  deps: AgentDeps,
  id: string,
  given: Readonly<Record<string, string>> = {},
  before: Readonly<Record<string, string>> = {},
): Promise<AgentDefinition> {
  const { good, files, faults } = judge(deps, await readFolder(deps));
  const found = good.get(id);
  if (found) return withState(withUsed(found.definition, files), given, before);
  const broken = faults.find(({ file }) => idOf(file) === id);
  if (broken) throw new HttpError(422, "agent_broken", broken.message);
  const known = [...good.keys()].join(", ");
  throw new HttpError(
    404,
    "not_found",
    known
      ? `agent: there is no agent ${id}; there are ${known}.`
      : `agent: there is no agent ${id}; there are none.`,
  );
}

function withState(
  definition: AgentDefinition,
  given: Readonly<Record<string, string>>,
  before: Readonly<Record<string, string>>,
): AgentDefinition {
  const { name, state = {} } = definition;
  const keys = Object.keys(state).join(", ");
  for (const key of Object.keys(given))
    if (!Object.hasOwn(state, key))
      throw stateError(
        key,
        keys
          ? `state.${key}: the agent ${name} takes no such key; it takes ${keys}.`
          : `state.${key}: the agent ${name} takes no such key; it takes none.`,
      );
  const begun = { ...state, ...saidIn(state, before), ...given };
  for (const [key, value] of Object.entries(begun))
    if (value === null) throw stateError(key, `state.${key}: the agent ${name} needs it to begin.`);
  return { ...definition, state: begun };
}

const stateError = (key: string, message: string) =>
  new HttpError(400, "invalid_input", message, { issues: [{ path: `state.${key}`, message }] });
