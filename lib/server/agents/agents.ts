import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { AgentItem } from "@/lib/protocol/http";
import type { Env } from "@/lib/server/env";
import { HttpError } from "@/lib/server/http/errors";
import type { AgentDefinition, AgentNode, Localized } from "./agent-definition";
import { checkAgent } from "./check-agent";
import { customAgents } from "./custom-agents";
import { AgentFileError, type ParsedAgent, parseAgent } from "./parse-agent";

const maxFiles = 100;

/** The folder of workflow agents. */
interface AgentDeps {
  env: Pick<Env, "AGENTS_DIR">;
}

/** What is in `agents/`, and what is wrong with what cannot be used. Read each time: the files are few and small. */
async function readAgents({ env }: AgentDeps): Promise<{ good: ParsedAgent[]; errors: string[] }> {
  const dir = env.AGENTS_DIR;
  const names = (await readdir(dir).catch(() => [])).filter((name) => /\.ya?ml$/.test(name)).toSorted();
  const errors: string[] = [];
  const files = new Map<string, ParsedAgent>();
  for (const name of names.slice(0, maxFiles))
    await attempt(errors, async () => {
      const parsed = parseAgent(name, await readFile(join(dir, name), "utf8"));
      const before = files.get(parsed.definition.name);
      if (before)
        throw new AgentFileError(
          `agents/${name}:${parsed.lineOf(["name"])}: ${before.file} has an agent called ${parsed.definition.name} already.`,
        );
      files.set(parsed.definition.name, parsed);
    });
  const good: ParsedAgent[] = [];
  for (const parsed of files.values())
    await attempt(errors, async () => {
      checkAgent(parsed, files, new Set(customAgents.keys()));
      good.push({ ...parsed, definition: withUsed(parsed.definition, files) });
    });
  return { good, errors };
}

async function attempt(errors: string[], work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (cause) {
    if (!(cause instanceof AgentFileError)) throw cause;
    errors.push(cause.message);
  }
}

/** With the agents of other files in the places that name them: a run keeps what it began with. */
function withUsed(definition: AgentDefinition, files: ReadonlyMap<string, ParsedAgent>): AgentDefinition {
  const put = (node: AgentNode): AgentNode => {
    if (node.type === "use") {
      const used = files.get(node.agent)?.definition;
      const agent = used ? put(used.agent) : node;
      return agent.type === "sequential" ? { ...agent, name: node.agent } : agent;
    }
    return "agents" in node ? { ...node, agents: node.agents.map(put) } : node;
  };
  return { ...definition, agent: put(definition.agent) };
}

/** The agents that can be chosen, and the sentences about files that cannot be used. */
export async function listAgents(
  deps: AgentDeps,
): Promise<{ items: AgentItem[]; nextCursor: null; errors: string[] }> {
  const { good, errors } = await readAgents(deps);
  const items = good.map(({ definition: { name, title, description } }) => ({
    id: name,
    name: localize(title, name),
    description: localize(description, ""),
  }));
  return { items, nextCursor: null, errors };
}

const localize = (text: Localized | undefined, otherwise: string): AgentItem["name"] => {
  if (text === undefined) return { en: otherwise, ja: otherwise };
  return typeof text === "string" ? { en: text, ja: text } : { en: text.en, ja: text.ja ?? text.en };
};

/** The definition that a request names; 404 when there is none, 422 with what is wrong in its file. */
export async function findAgent(deps: AgentDeps, id: string): Promise<AgentDefinition> {
  const { good, errors } = await readAgents(deps);
  const found = good.find(({ definition }) => definition.name === id);
  if (found) return found.definition;
  const broken = errors.find((error) => error.startsWith(`agents/${id}.`));
  if (broken) throw new HttpError(422, "agent_broken", broken);
  const known = good.map(({ definition }) => definition.name).join(", ");
  throw new HttpError(
    404,
    "not_found",
    known
      ? `agent: there is no agent ${id}; there are ${known}.`
      : `agent: there is no agent ${id}; there are none.`,
  );
}
