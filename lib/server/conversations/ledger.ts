import { ChosenContext } from "@/lib/agent/chosen-context";
import { tokensOfTurn } from "@/lib/agent/estimate-tokens";
import type { ToolSpec } from "@/lib/agent/ports";
import { trimResults } from "@/lib/agent/trim-results";
import { shortensAt } from "@/lib/agent/with-context-limit";
import { withFileReader } from "@/lib/agent/with-file-reader";
import { withSkillReader } from "@/lib/agent/with-skill-reader";
import { withToolSelection } from "@/lib/agent/with-tool-selection";
import { tokensOf, tokensOfTool } from "@/lib/protocol/count-tokens";
import type { Ledger, LedgerKind, LedgerPart } from "@/lib/protocol/ledger";
import type { ChatMessage } from "@/lib/protocol/message";
import { longFiles, readProject } from "@/lib/server/loop/run-project";
import { readableSkills, skillsOf } from "@/lib/server/loop/run-skills";
import { type PromptedRun, type PromptSection, promptSections } from "@/lib/server/loop/system-prompt";
import { chooseModel } from "@/lib/server/settings/choose-model";
import type { ChatDeps } from "./chat";
import { findConversation } from "./conversations";
import { findUsed } from "./find-used";
import { partsOfHistory } from "./ledger-of-history";
import { scaled, scaleOf } from "./ledger-scale";

const maxParts = 500;

/**
 * What the model would be sent with the next message of a conversation, in estimated tokens: the same prompt, tools and
 * history as a run begins with, and what is left out of it to fit. `model`: another one than the conversation's.
 */
export async function readLedger(
  deps: ChatDeps,
  userId: string,
  id: string,
  asked: string | undefined,
): Promise<Ledger> {
  const conversation = await findConversation(deps, userId, id);
  const { used, given, project: inProject } = await findUsed(deps, userId, {}, conversation);
  const model = await chooseModel(deps, userId, asked ?? used.model);
  const { servers, deferred, instructions } = used;
  const run: PromptedRun & { projectId: string | null } = {
    row: {
      ...{ userId, conversationId: id },
      options: {
        ...(servers && { servers: [...servers] }),
        ...(deferred && { deferred: { ...deferred } }),
        ...(given.assistant && { assistant: given.assistant }),
      },
    },
    instructions: instructions ?? "",
    projectId: inProject.id,
  };
  const [project, skills] = await Promise.all([readProject(deps, run), skillsOf(deps, run)]);
  const sections = await promptSections(deps, run, { project, skills });
  const rows = conversation.leafId ? (await deps.store.messages.branch(id, conversation.leafId)).rows : [];
  const history = rows.map(({ message }) => message);
  const window = deps.providers.window(model);
  const tools = toolsOf(deps, { model, window, history, run, project, skills });
  const system = sections.map(({ text }) => text).join("\n");
  const limit = window === undefined ? null : shortensAt(window);
  const chosen = new ChosenContext(conversation.choice?.context, rows);
  const { messages } = chosen.apply(history);
  const whole = messages.map(({ sent }) => sent);
  const excess = limit === null ? 0 : tokensOfTurn({ system, tools, history: whole }) - limit;
  const sent = excess > 0 ? trimResults(whole, excess, (part) => chosen.isPinned(part)).history : whole;
  const scale = await scaleOf(deps, { userId, model, rows, limit, around: { system, tools } });
  const parts = [
    ...[...sections.map(toPart), ...schemasOf(deps, tools)],
    ...partsOfHistory(rows, chosen, messages, sent),
  ].map((part) => scaled(part, scale));
  return {
    ...{ model, window: window ?? null, scale },
    shortensAt: limit === null || window === undefined ? limit : Math.min(window, Math.floor(limit * scale)),
    tokens: parts.reduce((sum, { tokens }) => sum + tokens, 0),
    totals: totalsOf(parts),
    parts: largest(parts),
    spent: await deps.store.runs.usageOf(id),
  };
}

interface Surroundings {
  model: string;
  window: number | undefined;
  history: readonly ChatMessage[];
  run: PromptedRun;
  project: Awaited<ReturnType<typeof readProject>>;
  skills: Awaited<ReturnType<typeof skillsOf>>;
}

/** Those that a run would describe to the model in its first turn (`runTools`). */
function toolsOf(
  deps: ChatDeps,
  { model, window, history, run, project, skills }: Surroundings,
): readonly ToolSpec[] {
  const { servers, deferred } = run.row.options;
  const base = deps.pool.toolBox({ ...(servers && { servers }), open: new Map(), inFlight: deps.inFlight });
  const chosen = model.startsWith("demo/")
    ? base
    : withToolSelection(base, { window, history, deferred: (name) => deps.pool.isDeferred(name, deferred) });
  const readable = withFileReader(chosen, project ? longFiles(deps, project) : []);
  return withSkillReader(readable, readableSkills(deps, skills)).list();
}

const toPart = ({ kind, id, server, text }: PromptSection): LedgerPart => {
  const tokens = tokensOf(text);
  return { kind, id, ...(server !== undefined && { server }), tokens, full: tokens, state: "kept" };
};

/** By server; Meguri's own tools, the search among others, come under its own name. */
function schemasOf({ pool }: Pick<ChatDeps, "pool">, tools: readonly ToolSpec[]): LedgerPart[] {
  const byServer = new Map<string, { count: number; tokens: number }>();
  for (const tool of tools) {
    const server = pool.tool(tool.name)?.server ?? "meguri";
    const { count, tokens } = byServer.get(server) ?? { count: 0, tokens: 0 };
    byServer.set(server, { count: count + 1, tokens: tokens + tokensOfTool(tool) });
  }
  return [...byServer].map(([server, { count, tokens }]) => ({
    ...{ kind: "schemas", id: server, server, count },
    ...{ tokens, full: tokens, state: "kept" },
  }));
}

function totalsOf(parts: readonly LedgerPart[]): Ledger["totals"] {
  const totals = new Map<LedgerKind, { count: number; tokens: number }>();
  for (const { kind, tokens } of parts) {
    const total = totals.get(kind) ?? { count: 0, tokens: 0 };
    totals.set(kind, { count: total.count + 1, tokens: total.tokens + tokens });
  }
  return [...totals].map(([kind, total]) => ({ kind, ...total }));
}

function largest(parts: LedgerPart[]): LedgerPart[] {
  if (parts.length <= maxParts) return parts;
  const kept = new Set([...parts].sort((a, b) => b.full - a.full).slice(0, maxParts));
  return parts.filter((part) => kept.has(part));
}
