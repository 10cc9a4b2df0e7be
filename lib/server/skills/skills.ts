import { McpConfigError } from "@/lib/mcp/config/config-fault";
import type { McpPool } from "@/lib/mcp/mcp-pool";
import type { McpSkillItem } from "@/lib/protocol/mcp-offers";
import { showInvisible } from "@/lib/protocol/show-invisible";
import type { SkillItem, SkillList } from "@/lib/protocol/skills";
import { SkillFault } from "./parse-skill";
import { readSkillFile, readSkillFolder, type SkillFolder, type SkillFolderDeps } from "./skill-folder";

export interface SkillDeps extends SkillFolderDeps {
  pool: { library: Pick<McpPool["library"], "skills" | "readSkill"> };
}

/** A skill as it was listed, and how it is read as it is now. */
export interface Skill extends SkillItem {
  /** Another one means that it has changed; undefined where its server does not say. */
  version: string | undefined;
  /** By default its `SKILL.md`; throws `SkillFault`. */
  read(file: string | undefined, signal: AbortSignal): Promise<Pick<Skill, "version"> & { text: string }>;
}

/** Of a server's description, in UTF-16 code units. */
const maxDescription = 1_024;

/** The skills of this machine, then those of the servers, with what is broken on this machine. */
export async function findSkills(
  deps: SkillDeps,
): Promise<{ skills: Skill[]; broken: SkillFolder["faults"] }> {
  const { skills, faults } = await readSkillFolder(deps);
  return {
    skills: [
      ...skills.map(({ folder, ...head }) => ({
        ...head,
        server: null,
        read: (file: string | undefined) => readSkillFile(deps, folder, file),
      })),
      ...skillsOfServers(deps),
    ],
    broken: faults,
  };
}

export async function listSkills(deps: SkillDeps): Promise<SkillList & { nextCursor: null }> {
  const { skills, broken } = await findSkills(deps);
  return {
    items: skills.map(({ name, description, server }) => ({ name, description, server })),
    broken,
    nextCursor: null,
  };
}

function skillsOfServers(deps: SkillDeps): Skill[] {
  const taken = new Set<string>();
  return deps.pool.library.skills().map((item) => {
    const plain = showInvisible(`${item.server}/${item.name}`);
    let name = plain;
    for (let count = 2; taken.has(name); count++) name = `${plain}-${count}`;
    taken.add(name);
    return {
      name,
      description: showInvisible(item.description.replace(/\s+/g, " ").trim()).slice(0, maxDescription),
      server: item.server,
      version: item.digest ?? undefined,
      read: (file, signal) => readOfServer(deps, item, file, signal),
    };
  });
}

/** The pool has checked it against the entry that the server lists now. */
async function readOfServer(
  { pool }: SkillDeps,
  { server, uri }: McpSkillItem,
  file: string | undefined,
  signal: AbortSignal,
): ReturnType<Skill["read"]> {
  try {
    const content = await pool.library.readSkill(server, uri, file, signal);
    const text = content.map((part) => (part.type === "text" ? part.text : "")).join("\n");
    if (text === "") throw new SkillFault("It holds no text.");
    const listed = pool.library.skills().find((item) => item.server === server && item.uri === uri);
    return { text, version: listed?.digest ?? undefined };
  } catch (cause) {
    if (cause instanceof McpConfigError) throw new SkillFault(sentence(cause.message));
    throw cause;
  }
}

const sentence = (message: string): string => (/[.!?]$/.test(message) ? message : `${message}.`);
