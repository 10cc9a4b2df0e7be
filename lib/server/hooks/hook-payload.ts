import type { RunKind, RunStatus } from "@/lib/protocol/http";
import type { Usage } from "@/lib/protocol/usage";
import type { BaseDeps } from "@/lib/server/base-deps";
import { publicUrl } from "@/lib/server/env";
import type { DeliveryRow } from "@/lib/store/hook-ports";
import type { RunRow } from "@/lib/store/types";
import { answerUrl } from "./answer-link";

/** What a hook is told of a run: nothing of what was written, but the title. */
interface RunNews {
  runId: string;
  status: RunStatus;
  kind: RunKind;
  conversationId: string;
  title: string;
  /** Of the page that shows it. */
  url: string;
  model: string;
  startedAt: string;
  endedAt: string | null;
  usage: Usage | null;
  /** A code. */
  error: string | null;
  /** Of one that waits: the page on which its person answers. */
  answerUrl?: string;
}

/** The body of a delivery; undefined where there is nothing to be told any more, as its conversation is deleted. */
export async function hookPayload(
  { store, env, secrets }: Pick<BaseDeps, "store" | "env" | "secrets">,
  { event, userId, hookId, runId, createdAt }: DeliveryRow,
): Promise<string | undefined> {
  const head = { type: event, timestamp: new Date(createdAt).toISOString() };
  if (runId === null) return JSON.stringify({ ...head, data: { hookId } });
  const run = await store.runs.get(userId, runId);
  const conversation = run && (await store.conversations.get(userId, run.conversationId));
  if (!run || !conversation) return undefined;
  const data: RunNews = {
    runId,
    // It may have been answered since.
    status: event === "run.waiting" ? "waiting" : run.status,
    kind: kindOf(run),
    conversationId: run.conversationId,
    title: conversation.title,
    url: addressOf(env, run),
    model: run.model,
    startedAt: new Date(run.startedAt).toISOString(),
    endedAt: run.endedAt === null ? null : new Date(run.endedAt).toISOString(),
    usage: run.result?.usage ?? null,
    error: run.result?.error?.code ?? null,
    ...(event === "run.waiting" && { answerUrl: answerUrl({ env, secrets }, runId) }),
  };
  return JSON.stringify({ ...head, data });
}

/** What a program has begun is in no list; its run has a page all the same. */
const addressOf = (env: BaseDeps["env"], { origin, id, conversationId }: RunRow): string =>
  `${publicUrl(env)}${origin === undefined ? `/c/${conversationId}` : `/runs/${id}`}`;

function kindOf({ origin, options, agent }: RunRow): RunKind {
  if (origin !== undefined) return origin;
  if (options.startedBy) return "schedule";
  return agent === null ? "chat" : "workflow";
}
