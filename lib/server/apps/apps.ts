import type { z } from "zod";
import type { Verdict } from "@/lib/agent/with-approval";
import type { ToolCallId } from "@/lib/protocol/ids";
import type { McpToolItem } from "@/lib/protocol/mcp";
import type { AppDomains, McpApp, McpAppCall, McpResourceContent } from "@/lib/protocol/mcp-offers";
import type { ToolResult } from "@/lib/protocol/message";
import { exactPattern } from "@/lib/protocol/tool-rules";
import type { BaseDeps } from "@/lib/server/base-deps";
import type { AppBody, AppCallBody, ResourceBody } from "@/lib/server/contract/offers";
import { appOrigin } from "@/lib/server/env";
import { HttpError, notFound } from "@/lib/server/http/errors";
import { translateConfigError } from "@/lib/server/servers/config-errors";
import { findServer } from "@/lib/server/servers/servers";
import { approvalPolicy } from "@/lib/server/settings/approval-policy";
import { addRule } from "@/lib/server/settings/tool-rules";
import { appPageUrl } from "./app-page";
import { nobody, withoutHosts } from "./app-policy";

const limitMs = 120_000;

/** An app as its server has it now, and where it may run. */
export async function openApp(
  deps: BaseDeps,
  { server, uri }: z.output<typeof AppBody>,
  { headers, signal }: Pick<Request, "headers" | "signal">,
): Promise<McpApp> {
  const origin = appOrigin(deps.env, headers.get("host"));
  if (!origin)
    throw new HttpError(
      409,
      "apps_unavailable",
      "Apps need an address of their own: set APP_PORT and APP_URL, and forward that address to the port.",
    );
  const { domains: named, ...app } = await translateConfigError(() =>
    deps.pool.library.readApp(server, uri, signal),
  );
  const domains = withoutHosts(named, ownHosts(deps));
  const all = (lists: AppDomains) => [...lists.connect, ...lists.resource, ...lists.frame];
  const kept = all(domains);
  return {
    ...app,
    domains,
    refused: [...app.refused, ...all(named).filter((source) => !kept.includes(source))],
    page: appPageUrl(origin, nobody, deps),
    openPage: kept.length > 0 ? appPageUrl(origin, domains, deps) : null,
  };
}

function ownHosts({ env: { PUBLIC_URL, APP_URL } }: Pick<BaseDeps, "env">): string[] {
  return [PUBLIC_URL, APP_URL].flatMap((url) => (url ? new URL(url).hostname : []));
}

export const readForApp = (
  { pool }: Pick<BaseDeps, "pool">,
  { server, uri }: z.output<typeof ResourceBody>,
  signal: AbortSignal,
): Promise<{ contents: McpResourceContent[] }> =>
  translateConfigError(async () => ({ contents: await pool.library.readContents(server, uri, signal) }));

/**
 * A call that an app makes to a tool of its server. The rules judge it as they judge a call of the model; what they
 * ask about goes back as a question, and comes again with the definition that a person said yes to.
 */
export async function callForApp(
  deps: BaseDeps,
  userId: string,
  { server, tool, args, approved, always }: z.output<typeof AppCallBody>,
  signal: AbortSignal,
): Promise<McpAppCall> {
  const item = findServer(deps, server).tools.find(({ name }) => name === tool);
  if (!item || !mayCall(item)) throw notFound("appTool");
  const id = `app-${crypto.randomUUID()}` as ToolCallId;
  const judge = approvalPolicy(deps, userId, { has: () => false });
  const verdict = await judge({ type: "tool_call", id, name: item.qualifiedName, args });
  const note = (by: string, status: ToolResult["status"]) => {
    deps.log.info({ server, tool, by, status }, "call of an app");
    deps.pool.note(server, `An app called ${tool}: ${status} (${by}).`);
  };
  const judged = readVerdict(verdict);
  if ("denied" in judged) {
    note("a rule", "denied");
    const content = [{ type: "text" as const, text: judged.denied }];
    return { result: { id, status: "denied", reason: "not_run", content } };
  }
  const { definition, reason } = judged;
  if (reason && approved !== definition) return { ask: { reason, definition } };
  if (reason === "rule" && always)
    await addRule(deps, userId, { pattern: exactPattern(server, tool), effect: "allow" });
  const limit = AbortSignal.any([signal, AbortSignal.timeout(limitMs)]);
  const { durationMs: _, ...result } = await translateConfigError(() =>
    deps.pool.call(server, tool, args, limit, { definition, person: userId }),
  );
  note(reason ? "allowed by a person" : "allowed by the rules", result.status);
  return { result: { ...result, id } };
}

const mayCall = ({ enabled, ui }: McpToolItem) => enabled && (ui?.visibility.includes("app") ?? true);

type Judged = { denied: string } | { definition: string; reason?: "rule" | "changed_definition" };

function readVerdict(verdict: Verdict): Judged {
  if (typeof verdict === "object" && "deny" in verdict) return { denied: verdict.deny };
  if (typeof verdict === "object" && "allow" in verdict) return verdict.allow;
  if (verdict === "allow" || !verdict.definition) return { denied: "Its definition is not known." };
  const reason = verdict.ask === "changed_definition" ? verdict.ask : "rule";
  return { definition: verdict.definition, reason };
}
