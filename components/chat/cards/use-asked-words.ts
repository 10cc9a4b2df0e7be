"use client";

import { useFormatter, useTranslations } from "use-intl";
import { toolName } from "@/components/chat/parts/tool-name";
import { useAmount } from "@/components/chat/parts/use-amount";
import { useServers } from "@/lib/client/servers/servers";
import { useSettings } from "@/lib/client/settings/settings";
import type { ApprovalRequest, BudgetRequest } from "@/lib/protocol/chunk";
import { namesFile } from "@/lib/protocol/file-references";
import type { McpToolAnnotations, McpToolItem } from "@/lib/protocol/mcp";
import type { SettingsItem, ToolRule } from "@/lib/protocol/settings";
import { showInvisible } from "@/lib/protocol/show-invisible";
import { judgeTool } from "@/lib/protocol/tool-rules";

/** A question as a person would ask it, by the arguments as they would be sent, and what is known of what it is about. */
export function useAskedWords(
  request: ApprovalRequest | BudgetRequest,
  args?: ApprovalRequest["call"]["args"],
): { title: string; what: string } {
  const t = useTranslations("chat.card");
  const common = useTranslations("common");
  const budget = useBudgetWords();
  const format = useFormatter();
  const { data } = useServers();
  const settings = useSettings().data;
  switch (request.type) {
    case "budget_request":
      return budget(request);
    case "approval_request": {
      const { server, tool } = toolName(request.call);
      if (request.reason === "sampling")
        return { title: t("titleSampling", { server }), what: t("why.sampling") };
      if (request.reason === "plan")
        return { title: t("plan.title", { count: callsIn(request) }), what: t("plan.what") };
      const known = data?.items
        .find(({ name }) => name === server)
        ?.tools.find(({ qualifiedName }) => qualifiedName === request.call.name);
      const action = actionOf(known, tool);
      const sent = args ?? request.call.args;
      const target = targetOf(sent);
      const amounts = target ? [] : amountsIn(sent).map((amount) => t("amount", amount));
      const title =
        request.reason === "outcome_unknown"
          ? t("titleUnknown", { action })
          : target
            ? t("titleFor", { action, target })
            : amounts.length > 0
              ? t("titleWith", { action, amounts: format.list(amounts) })
              : t("title", { action });
      const says = t(`says.${hintOf(known?.annotations)}`);
      const rule = known && settings && askingRule(settings, server, known);
      const why =
        request.reason === "rule" && rule
          ? t(`why.ruleOf.${rule.when ?? "all"}`, { pattern: rule.pattern })
          : t(`why.${whyOf(request.reason, known)}`);
      return { title, what: common("sentences", { first: says, second: why }) };
    }
  }
}

const counted = ["tokens", "toolCalls", "cost", "timeMs"] as const;

type BudgetWords = (request: BudgetRequest) => { title: string; what: string };

/** Which limit it was, and everything that was used so far. */
export function useBudgetWords(): BudgetWords {
  const t = useTranslations("chat.card.budget");
  const format = useAmount();
  return ({ limit, of, used }) => {
    const known = [...counted, "repeat" as const, "price" as const].find((name) => name === limit);
    const spent = counted.flatMap((name) =>
      used[name] ? [t(`used.${name}`, { amount: format(name, used[name]) })] : [],
    );
    return {
      title: known
        ? t(`title.${known}`, { amount: format(known === "price" ? "cost" : known, of), count: of })
        : t("title.other", { limit }),
      what: [
        known === "repeat" ? t("repeats") : known === "price" ? t("unpriced") : "",
        spent.length > 0 ? t("used.all", { list: spent.join(t("used.and")) }) : "",
      ]
        .filter(Boolean)
        .join(" "),
    };
  };
}

/** The rule of the person that asks, where it is one. */
function askingRule(settings: SettingsItem, server: string, tool: McpToolItem): ToolRule | undefined {
  const { effect, because } = judgeTool(settings.rules, server, tool, settings.toolApproval);
  return effect === "ask" && typeof because === "object" ? because.rule : undefined;
}

/** Calls that a plan would let go, in all. */
const callsIn = ({ plan }: ApprovalRequest) => (plan?.steps ?? []).reduce((sum, { max }) => sum + max, 0);

type Asked = Exclude<ApprovalRequest["reason"], "plan" | "sampling">;

const whyOf = (reason: Asked, known: McpToolItem | undefined) =>
  reason === "changed_definition" && known?.definition === "added" ? "added_definition" : reason;

/** Of a title; the whole stands below the question. */
const longestAction = 80;

/** "write_file" and "Write File" as words: "write file". What cannot be seen in it is written out. */
export function actionOf(known: McpToolItem | undefined, tool: string): string {
  const words = (known?.title ?? tool)
    .replace(/[_-]+/g, " ")
    .replace(/([a-z])([A-Z])/g, "$1 $2")
    .trim();
  const action = /[A-Z]{2}/.test(words) ? words : words.toLowerCase();
  return showInvisible(action.length > longestAction ? `${action.slice(0, longestAction)}…` : action);
}

const naming = ["path", "name", "title", "url", "id", "destination", "to"];

function targetOf(args: ApprovalRequest["call"]["args"]): string | null {
  for (const name of naming) {
    const value = args[name];
    // A file is named below the question, in words.
    if (typeof value === "string" && value !== "" && !namesFile(value)) return lastPart(value);
  }
  return null;
}

type Amount = { kind: "number" | "count"; name: string; value: number };

/** What it moves, where nothing has a name: "amount total 182,400" and "14 order ids". */
function amountsIn(args: ApprovalRequest["call"]["args"]): Amount[] {
  const entries = Object.entries(args);
  const numbers = entries.flatMap(([name, value]): Amount[] =>
    typeof value === "number" && isAmount.test(name) ? [{ kind: "number", name: inWords(name), value }] : [],
  );
  const counts = entries.flatMap(([name, value]): Amount[] =>
    Array.isArray(value) && value.length > 1
      ? [{ kind: "count", name: inWords(name), value: value.length }]
      : [],
  );
  return [...numbers, ...counts].slice(0, 2);
}

const isAmount = /amount|total|price|sum|count/i;
const inWords = (name: string) => showInvisible(name.replace(/[_-]+/g, " ").slice(0, 40));

/** The end of a path says most. */
function lastPart(value: string): string | null {
  const short = value.length > 40 ? (value.split("/").filter(Boolean).at(-1) ?? value) : value;
  return short.length > 40 ? null : showInvisible(short);
}

function hintOf(annotations: McpToolAnnotations | undefined) {
  if (annotations?.readOnlyHint) return "reads";
  if (annotations?.destructiveHint === false) return "adds";
  return annotations?.destructiveHint ? "destroys" : "nothing";
}
