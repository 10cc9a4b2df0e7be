import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { maxAgentCharacters } from "@/lib/protocol/agents";
import { type Providers, UnknownModelError } from "@/lib/providers/types";
import type { Env } from "@/lib/server/env";
import type { FolderTexts } from "@/lib/server/folder-copy";
import { type AgentFiles, checkAgent } from "./check-agent";
import { customAgents } from "./custom-agents";
import { AgentFileError, atStart, type ParsedAgent, parseAgent } from "./parse-agent";

/** The folder of workflow agents, and the models that they can name. */
export interface AgentDeps {
  env: Pick<Env, "AGENTS_DIR">;
  providers: Pick<Providers, "provider">;
}

/** A file as it is on disk; its text is absent where it is longer than is read. */
export interface AgentFileRead {
  file: string;
  text?: string;
  /** What it says, or what is wrong with it. */
  read: ParsedAgent | AgentFileError;
}

export const maxFiles = 100;

/** The files that can be read, for other instances to have them as well. */
export async function readAgentTexts(
  dir: string,
  warn: (message: string) => void,
): Promise<Map<string, FolderTexts>> {
  const texts = new Map<string, FolderTexts>();
  for (const { file, text, read } of await readFolder({ env: { AGENTS_DIR: dir } }))
    if (text !== undefined) texts.set(file, { [file]: text });
    else if (read instanceof AgentFileError) warn(`${join(dir, file)} is not taken up: ${read.message}`);
  return texts;
}

/** Every file of the folder, in the order of their names; of too many the first ones, and a fault at the next. */
export async function readFolder({ env }: Pick<AgentDeps, "env">): Promise<AgentFileRead[]> {
  const names = await namesIn(env.AGENTS_DIR);
  const read: AgentFileRead[] = [];
  for (const file of names.slice(0, maxFiles)) {
    const path = join(env.AGENTS_DIR, file);
    const text = await readBounded(path);
    if (typeof text === "string") read.push({ file, text, read: parseOnce(path, file, text) });
    else read.push({ file, read: new AgentFileError(file, atStart, text.problem) });
  }
  const next = names[maxFiles];
  if (next !== undefined) {
    const problem = `At most ${maxFiles} files are read, and ${names.length} are there; delete some, or move them away.`;
    read.push({ file: next, read: new AgentFileError(next, atStart, problem) });
  }
  return read;
}

/** Another one where `readFolder` may read something else. */
export async function stampFolder({ env }: Pick<AgentDeps, "env">): Promise<string> {
  const stamps: string[] = [];
  for (const name of (await namesIn(env.AGENTS_DIR)).slice(0, maxFiles + 1)) {
    const found = await stat(join(env.AGENTS_DIR, name), { bigint: true }).catch(() => undefined);
    stamps.push(`${name} ${found?.ino} ${found?.size} ${found?.mtimeNs} ${found?.ctimeNs}`);
  }
  return stamps.join("\n");
}

async function namesIn(dir: string): Promise<string[]> {
  const found = await readdir(dir).catch(() => []);
  // Hidden ones are locks and copies of editors.
  return found.filter((name) => /^[^.].*\.ya?ml$/.test(name)).toSorted();
}

/** By path, what the texts said that were read last: files are read each time, and only parsed where they have changed. */
const parsedBefore = new Map<string, { text: string; read: AgentFileRead["read"] }>();

function parseOnce(path: string, file: string, text: string): AgentFileRead["read"] {
  const before = parsedBefore.get(path);
  const read = before?.text === text ? before.read : attempt(() => parseAgent(file, text));
  parsedBefore.delete(path);
  parsedBefore.set(path, { text, read });
  for (const oldest of parsedBefore.keys()) if (parsedBefore.size > maxFiles) parsedBefore.delete(oldest);
  return read;
}

async function readBounded(path: string): Promise<string | { problem: string }> {
  try {
    const found = await stat(path);
    if (!found.isFile()) return { problem: "It is no file." };
    // As many bytes as the longest character has.
    if (found.size > maxAgentCharacters * 4)
      return { problem: `It has more than ${maxAgentCharacters} characters.` };
    return await readFile(path, "utf8");
  } catch (cause) {
    return { problem: `It cannot be read (${(cause as NodeJS.ErrnoException).code}).` };
  }
}

function attempt<Value>(work: () => Value): Value | AgentFileError {
  try {
    return work();
  } catch (cause) {
    if (!(cause instanceof AgentFileError)) throw cause;
    return cause;
  }
}

/** The agents of these files by their names, and those files that cannot be used. */
export function judge(
  deps: Pick<AgentDeps, "providers">,
  folder: readonly AgentFileRead[],
): { good: Map<string, ParsedAgent>; files: AgentFiles; faults: AgentFileError[] } {
  const faults: AgentFileError[] = [];
  const files = new Map<string, ParsedAgent>();
  for (const { read } of folder) {
    if (read instanceof AgentFileError) {
      faults.push(read);
      continue;
    }
    const { name } = read.definition;
    const before = files.get(name);
    if (before)
      faults.push(
        new AgentFileError(
          read.file,
          read.placeOf(["name"]),
          `${before.file} has an agent called ${name} already.`,
        ),
      );
    else files.set(name, read);
  }
  const good = new Map<string, ParsedAgent>();
  for (const [name, parsed] of files) {
    const fault = findFault(deps, parsed, files);
    if (fault) faults.push(fault);
    else good.set(name, parsed);
  }
  return { good, files, faults };
}

/** What is wrong with an agent among these files. */
export const findFault = (
  { providers }: Pick<AgentDeps, "providers">,
  parsed: ParsedAgent,
  files: AgentFiles,
): AgentFileError | undefined =>
  attempt(() =>
    checkAgent(parsed, {
      files,
      custom: new Set(customAgents.keys()),
      faultOfModel: (model) => faultOfModel(providers, model),
    }),
  ) ?? undefined;

function faultOfModel(providers: AgentDeps["providers"], model: string): string | undefined {
  try {
    providers.provider(model);
    return undefined;
  } catch (cause) {
    if (!(cause instanceof UnknownModelError)) throw cause;
    return cause.message;
  }
}
