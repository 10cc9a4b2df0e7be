import { createHash } from "node:crypto";
import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { writeFileAtomically } from "@/lib/mcp/config/write-file";
import type { AgentFileChanged, AgentFileItem } from "@/lib/protocol/agents";
import { HttpError, notFound, overloaded } from "@/lib/server/http/errors";
import type { KeyedMutex } from "@/lib/server/keyed-mutex";
import type { SharedFolder } from "@/lib/server/shared-folder";
import { agentName } from "./agent-definition";
import { type AgentDeps, type AgentFileRead, findFault, judge, maxFiles, readFolder } from "./agent-folder";
import { treeOf } from "./agent-tree";
import { AgentFileError, atStart, type ParsedAgent, parseAgent } from "./parse-agent";

interface FileDeps extends AgentDeps {
  /** By conversation; files of agents are changed one after the other under a name that no conversation has. */
  turns: KeyedMutex;
  /** Where several instances share the files; `AGENTS_DIR` is its copy then. */
  agentFiles?: Pick<SharedFolder, "inTurn" | "change"> | undefined;
}

/** More than what is read: what is too long is told so in the words of the file, not of the body. */
export const maxAgentBody = 4_000_000;

/** What an agent's file is to be; the version is null for one that is not there yet. */
interface EditedFile {
  text: string;
  version: string | null;
}

/** The file of an agent, also of one that cannot be used. */
export async function showAgentFile(deps: AgentDeps, id: string): Promise<AgentFileItem> {
  const folder = await readFolder(deps);
  const { file, text, read } = known(findFile(deps, folder, id));
  const fault = read instanceof AgentFileError ? read : faultIn(deps, folder, file);
  const { problems = [] } = fault ?? {};
  const tree = fault || read instanceof AgentFileError ? null : treeOf(read);
  return { file, text, version: versionOf(text), tree, problems };
}

const faultIn = (deps: AgentDeps, folder: readonly AgentFileRead[], file: string) =>
  judge(deps, folder).faults.find((fault) => fault.file === file);

/** The text takes the place of the file where it can be used, and every other agent still can; else nothing is changed. */
export async function putAgentFile(
  deps: FileDeps,
  id: string,
  edited: EditedFile,
  isPreview: boolean,
): Promise<AgentFileChanged> {
  checkId(id);
  return (isPreview ? inTurnHere : inTurn)(deps, async () => {
    const folder = await readFolder(deps);
    const found = findFile(deps, folder, id);
    const before = found ? versionOf(known(found).text) : null;
    if (!isPreview && before !== edited.version)
      throw edited.version === null ? isThere(id) : hasChanged(id, before);
    if (!found) checkFree(folder, id);
    if (!found && folder.length >= maxFiles)
      throw new HttpError(409, "full", `There are ${maxFiles} agents already; delete one first.`);
    const file = found?.file ?? `${id}.yaml`;
    const parsed = checked(deps, folder, id, { file, text: edited.text });
    if (isPreview) return { file, version: before, tree: treeOf(parsed) };
    await change(deps, file, edited.text);
    return { file, version: versionOf(edited.text), tree: treeOf(parsed) };
  });
}

/** Refused while others use it. Without a version it is deleted as it is. */
export async function deleteAgentFile(
  deps: FileDeps,
  id: string,
  version: string | undefined,
): Promise<void> {
  await inTurn(deps, async () => {
    const folder = await readFolder(deps);
    const found = known(findFile(deps, folder, id));
    if (version !== undefined && versionOf(found.text) !== version)
      throw hasChanged(id, versionOf(found.text));
    const rest = folder.filter(({ file }) => file !== found.file);
    const broken = newlyBroken(deps, folder, rest);
    if (broken.length > 0) {
      const names = broken.map(({ file }) => file).join(", ");
      throw new HttpError(409, "agent_used", `The agent ${id} is used by ${names}; change that first.`);
    }
    await change(deps, found.file, undefined);
  });
}

/** The agent that a text is, among the others; throws 400 with the places of what is wrong. */
function checked(
  deps: AgentDeps,
  folder: readonly AgentFileRead[],
  id: string,
  { file, text }: { file: string; text: string },
): ParsedAgent {
  try {
    const parsed = parseAgent(file, text);
    const { name } = parsed.definition;
    if (name !== id)
      throw new AgentFileError(
        file,
        parsed.placeOf(["name"]),
        `name: this is the file of ${id}; write name: ${id}, or make a new agent.`,
      );
    const others = folder.filter((one) => one.file !== file);
    const { files } = judge(deps, others);
    const before = files.get(name);
    if (before)
      throw new AgentFileError(
        file,
        parsed.placeOf(["name"]),
        `${before.file} has an agent called ${name} already.`,
      );
    const fault = findFault(deps, parsed, new Map([...files, [name, parsed]]));
    if (fault) throw fault;
    const [broken] = newlyBroken(deps, folder, [...others, { file, text, read: parsed }]);
    if (broken)
      throw new AgentFileError(file, atStart, `Another agent could not be used any more: ${broken.message}`);
    return parsed;
  } catch (cause) {
    if (!(cause instanceof AgentFileError)) throw cause;
    const { problems, message } = cause;
    const { line, column } = problems[0];
    throw new HttpError(400, "agent_broken", message, { line, column, problems });
  }
}

/** What can be used before a change and not after it. */
function newlyBroken(
  deps: AgentDeps,
  before: readonly AgentFileRead[],
  after: readonly AgentFileRead[],
): AgentFileError[] {
  const could = new Set([...judge(deps, before).good.values()].map(({ file }) => file));
  return judge(deps, after).faults.filter(({ file }) => could.has(file));
}

function checkId(id: string): void {
  const { error } = agentName.safeParse(id);
  if (error) throw new HttpError(400, "invalid_input", `id: ${error.issues[0]?.message}.`);
}

/** By its name, else one that cannot be used by that of its file: an agent that works is never taken for another. */
function findFile(deps: AgentDeps, folder: readonly AgentFileRead[], id: string): AgentFileRead | undefined {
  const named = folder.find(({ read }) => !(read instanceof AgentFileError) && read.definition.name === id);
  if (named) return named;
  const found = folder.find(({ file }) => file === `${id}.yaml` || file === `${id}.yml`);
  return found && faultIn(deps, folder, found.file) ? found : undefined;
}

/** Some disks hold `Haiku.yaml` and `haiku.yaml` to be the same file. */
function checkFree(folder: readonly AgentFileRead[], id: string): void {
  const taken = folder.find(({ file }) => file.toLowerCase() === `${id}.yaml`.toLowerCase());
  if (taken)
    throw new HttpError(
      409,
      "exists",
      `The file ${taken.file} has another agent; give this one another name.`,
    );
}

function known(found: AgentFileRead | undefined): AgentFileRead & { text: string } {
  if (!found) throw notFound("agent");
  const { text, read } = found;
  if (text === undefined && read instanceof AgentFileError)
    throw new HttpError(422, "agent_broken", read.message);
  return { ...found, text: text ?? "" };
}

const versionOf = (text: string) => createHash("sha256").update(text).digest("hex").slice(0, 32);

const isThere = (id: string) =>
  new HttpError(409, "exists", `There is an agent ${id} already; give this one another name.`);

const hasChanged = (id: string, version: string | null) =>
  new HttpError(
    409,
    "file_changed",
    version === null
      ? `The file of the agent ${id} is not there any more; save it as a new one.`
      : `The file of the agent ${id} has changed since it was loaded. Look at it again, then save.`,
    { version },
  );

const inTurnHere = <Result>({ turns }: FileDeps, work: () => Promise<Result>): Promise<Result> =>
  turns.run("agents/", work);

/** After all changes that came before, those at other instances too. */
const inTurn = <Result>(deps: FileDeps, work: () => Promise<Result>): Promise<Result> =>
  inTurnHere(deps, async () => {
    if (!deps.agentFiles) return work();
    const done = await deps.agentFiles.inTurn(work);
    if (!done) throw isBeingChanged();
    return done.result;
  });

const isBeingChanged = () =>
  overloaded("Somebody is changing files of agents at another instance; try again in a few seconds.");

/** Undefined deletes. */
async function change({ env, agentFiles }: FileDeps, file: string, text: string | undefined): Promise<void> {
  if (agentFiles) {
    const isChanged = await agentFiles.change(file, text === undefined ? undefined : { [file]: text });
    if (!isChanged) throw isBeingChanged();
    return;
  }
  try {
    if (text === undefined) await rm(join(env.AGENTS_DIR, file));
    else {
      await mkdir(env.AGENTS_DIR, { recursive: true });
      await writeFileAtomically(join(env.AGENTS_DIR, file), text);
    }
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code === undefined) throw cause;
    throw new HttpError(
      code === "ENOSPC" ? 507 : 409,
      "folder_not_writable",
      `The folder of agents ${env.AGENTS_DIR} cannot be written (${code}), so nothing was changed; give this user the right to write it, or set AGENTS_DIR to another folder.`,
    );
  }
}
