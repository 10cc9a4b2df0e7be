import { setTimeout as wait } from "node:timers/promises";
import type { RunItem, RunToolCall, StoredMessage } from "@/lib/protocol/http";
import { type ShareFinding, shownOf } from "@/lib/protocol/share-policy";
import type { ReplayRun, ShareReplay } from "@/lib/protocol/share-replay";
import type { SharePolicy, ShareSnapshot } from "@/lib/protocol/shares";
import type { FileDeps } from "@/lib/server/attachments/attachments";
import type { BaseDeps } from "@/lib/server/base-deps";
import { findConversation, runsOf, toStored } from "@/lib/server/conversations/conversations";
import { HttpError } from "@/lib/server/http/errors";
import type { RunDeps } from "@/lib/server/loop/run-deps";
import { readReadable } from "@/lib/server/loop/stored-run";
import { keysIn } from "@/lib/server/provider-env";
import { readEndpoints, secretsOf } from "@/lib/server/settings/endpoints";
import type { LiveProviders } from "@/lib/server/settings/live-providers";
import { readAccess } from "@/lib/server/settings/provider-access";
import {
  type FindingChoice,
  type Findings,
  findIn,
  mapStrings,
  mostUrgent,
  redactCutEnd,
  redactFound,
} from "./findings";
import { pathHider } from "./hide-paths";
import { replaySteps } from "./replay-steps";
import { applyPolicy } from "./share-policy";
import { bareFiles } from "./shared-files";

export type ShareDeps = BaseDeps & RunDeps & FileDeps & { providers: Pick<LiveProviders, "models"> };

interface FrozenOptions {
  leafId?: string | undefined;
  /** It can be played. */
  replay: boolean;
  /** It says who has shared it. */
  author: boolean;
}

/** The branch as it may be public, and what in it looks private. */
export async function freeze(
  deps: ShareDeps,
  userId: string,
  conversationId: string,
  { leafId, replay, author, ...choice }: FrozenOptions & FindingChoice,
  policy: SharePolicy | null,
): Promise<{ snapshot: ShareSnapshot; findings: Findings }> {
  const conversation = await findConversation(deps, userId, conversationId);
  const leaf = leafId ?? conversation.leafId;
  if (!leaf) throw new HttpError(409, "empty", "There is nothing to share yet; ask something first.");
  if (leafId && !(await deps.store.messages.get(conversationId, leafId)))
    throw new HttpError(404, "not_found", "leafId: there is no such message in this conversation.");
  const { rows } = await deps.store.messages.branch(conversationId, leaf);
  const messages = (await toStored(deps, conversationId, rows)).map((message) => ({
    ...withoutMeta(message),
    siblings: [message.id],
  }));
  const runs = (await runsOf(deps, conversationId, rows)).map(withoutPrivate);
  const raw: ShareSnapshot = {
    title: conversation.title,
    createdAt: new Date().toISOString(),
    messages,
    runs,
    modelNames: await namesOf(deps, runs),
    ...(author && { author: await authorOf(deps, userId) }),
  };
  const known = await knownSecrets(deps);
  const hide = pathHider(deps);
  const whole = mapStrings(raw, hide) as ShareSnapshot;
  const bare = await bareFiles(deps, policy ? applyPolicy(whole, policy, known) : whole, choice);
  const clean = bare.snapshot;
  const findings = withFiles(findIn(clean, known, choice), bare.found);
  const told = redactFound(clean, findings.redacted, known);
  const shown = { ...told, title: redactCutEnd(told.title, findings.redacted) };
  if (!replay) return { snapshot: shown, findings };
  const tell = (name: string) => redactFound(hide(name), findings.redacted, known);
  return { snapshot: { ...shown, replay: await replayOf(deps, { raw, shown, policy, tell }) }, findings };
}

/** Undefined where the person has entered none. */
export async function nameOf(
  { store }: Pick<ShareDeps, "store">,
  userId: string,
): Promise<string | undefined> {
  const name = await store.settings.get(userId, "displayName");
  return typeof name === "string" && name !== "" ? name : undefined;
}

async function authorOf(deps: Pick<ShareDeps, "store">, userId: string): Promise<string> {
  const name = await nameOf(deps, userId);
  if (name !== undefined) return name;
  throw new HttpError(
    422,
    "no_name",
    "author: there is no name to show; set displayName in the settings first.",
  );
}

/** Files before texts. */
const withFiles = (texts: Findings, files: readonly ShareFinding[]): Findings => ({
  ...texts,
  list: [...mostUrgent([...files, ...texts.list])],
  undecided: texts.undecided + files.filter(({ decision }) => decision === null).length,
});

/** More steps than this are not played: the answer is there at once. */
const maxSteps = 20_000;

interface ReplayedCopy {
  raw: ShareSnapshot;
  shown: ShareSnapshot;
  policy: SharePolicy | null;
  tell(name: string): string;
}

/** How the messages of a copy came to be, by the logs of its runs. What is not in the copy has no place there. */
async function replayOf(deps: ShareDeps, { raw, shown, policy, tell }: ReplayedCopy): Promise<ShareReplay> {
  const names = new Map<string, string>();
  const tellOnce = (name: string) => {
    const told = names.get(name) ?? tell(name);
    names.set(name, told);
    return told;
  };
  const isFull = (name: string) => policy === null || shownOf(name, policy) === "full";
  const runs: ReplayRun[] = [];
  let left = maxSteps;
  const { commands, runs: stored } = deps.store;
  const elsewhere = new Set(commands && (await stored.stillRunning(shown.runs.map(({ id }) => id))));
  for (const { id, startedAt } of shown.runs) {
    if (deps.runs.get(id) || elsewhere.has(id)) continue;
    const messages = raw.messages.flatMap((message, at) => {
      const own = shown.messages[at];
      return message.runId === id && own ? [{ message, shown: own, at }] : [];
    });
    const from = Date.parse(startedAt);
    const log = (await readReadable(deps, id)).map(({ data }) => data);
    const steps = replaySteps({ log, from, messages, isFull, tell: tellOnce });
    if (!steps || steps.length > left) continue;
    left -= steps.length;
    runs.push({ runId: id, from, steps });
  }
  return { runs };
}

const namesWithinMs = 2_000;

/** A provider that does not answer leaves its models without a name. */
async function namesOf({ providers }: ShareDeps, runs: readonly RunItem[]): Promise<Record<string, string>> {
  const late = wait(namesWithinMs, [], { ref: false });
  const models = await Promise.race([providers.models().catch(() => []), late]);
  const used = new Set(runs.map(({ model }) => model));
  return Object.fromEntries(models.flatMap(({ id, name }) => (used.has(id) ? [[id, name]] : [])));
}

/** What a server sends for its app alone. */
const withoutMeta = (message: StoredMessage): StoredMessage =>
  message.role === "tool"
    ? { ...message, results: message.results.map(({ meta: _, ...result }) => result) }
    : message;

/** Questions and error texts of a run are the owner's, what was chosen for it, and what its calls carried; the conversation's address is nobody's business. */
function withoutPrivate({ answers: _, ...run }: RunItem): RunItem {
  const iterations = run.iterations.map(({ notices, toolCalls, ...iteration }) => {
    const shown = notices?.filter(({ kind }) => kind !== "server" && kind !== "assistant") ?? [];
    const calls = toolCalls.map(withoutFlows);
    return { ...iteration, toolCalls: calls, ...(shown.length > 0 && { notices: shown }) };
  });
  const answeredCalls = run.answeredCalls.map(withoutFlows);
  return { ...run, iterations, answeredCalls, conversationId: "", pending: [], error: null };
}

/** They quote results and arguments, which may be hidden. */
const withoutFlows = ({ flows: _, ...call }: RunToolCall): RunToolCall => call;

async function knownSecrets(deps: ShareDeps): Promise<string[]> {
  const { secrets, providerEnv, pool } = deps;
  const entered = Object.values(await readAccess(deps)).map((access) => access?.apiKey);
  const ofEndpoints = (await readEndpoints(deps)).flatMap(secretsOf);
  const keys = [...keysIn(providerEnv), ...entered];
  // A plain word or a path among a server's variables ("production") is no secret, and would hold back every text.
  const ofServers = pool.secrets().filter((value) => !/^[A-Za-z]+$|^[./~]/.test(value));
  return [
    secrets.appSecret,
    secrets.launchToken,
    ...ofServers,
    ...ofEndpoints,
    ...keys.flatMap((key) => key ?? []),
  ];
}
