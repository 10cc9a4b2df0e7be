import { keptDrafts } from "@/components/settings/kept-drafts";
import type { Errand, Schedule, Timing } from "@/lib/protocol/schedules";
import type { Budget } from "@/lib/protocol/usage";

/** What is in the fields of the form; empty where nothing is chosen. */
export interface ErrandDraft {
  name: string;
  text: string;
  model: string;
  assistant: string;
  agent: string;
  /** Null: those that a conversation begins with. */
  servers: readonly string[] | null;
  projectId: string;
  limit: "cost" | "tokens";
  amount: string;
}

export interface ScheduleDraft extends ErrandDraft, Timing {}

export const formFields = [
  "name",
  "text",
  "cron",
  "timeZone",
  "model",
  "assistant",
  "agent",
  "servers",
  "projectId",
  "budget",
] as const;

export const emptyErrand: ErrandDraft = {
  ...{ name: "", text: "", model: "", assistant: "", agent: "", servers: null, projectId: "" },
  ...{ limit: "tokens", amount: "200000" },
};

/** Every working day at nine, where the browser is. */
export const emptyDraft = (): ScheduleDraft => ({
  ...emptyErrand,
  cron: "0 9 * * 1-5",
  timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
  missed: "skip",
});

export function toErrandDraft(errand: Errand): ErrandDraft {
  const { name, text, budget } = errand;
  const limit = budget.cost === undefined ? "tokens" : "cost";
  return {
    ...{ name, text, limit },
    model: errand.model ?? "",
    assistant: errand.assistant ?? "",
    agent: errand.agent ?? "",
    servers: errand.servers ?? null,
    projectId: errand.projectId ?? "",
    amount: String(budget[limit] ?? ""),
  };
}

export function toDraft(schedule: Schedule): ScheduleDraft {
  const { cron, timeZone, missed } = schedule;
  return { ...toErrandDraft(schedule), cron, timeZone, missed };
}

/** Undefined where the amount is no number above 0. What else the budget says stays. */
export function budgetOf({ limit, amount }: ErrandDraft, before: Budget = {}): Budget | undefined {
  const number = Number(amount.replaceAll(/[\s,$]/g, ""));
  if (!(number > 0) || (limit === "tokens" && !Number.isInteger(number))) return undefined;
  const { tokens: _tokens, cost: _cost, ...others } = before;
  return { ...others, [limit]: number };
}

/** What is chosen; null for what is not. */
export const usedBy = ({ model, assistant, agent, servers, projectId }: ErrandDraft) => ({
  model: model || null,
  assistant: assistant || null,
  agent: agent || null,
  servers: servers && [...servers],
  projectId: projectId || null,
});

/** What is made with it. */
export const toErrand = (draft: ErrandDraft, budget: Budget): Errand => ({
  ...{ name: draft.name.trim(), text: draft.text.trim(), budget },
  ...(Object.fromEntries(
    Object.entries(usedBy(draft)).filter(([, value]) => value !== null),
  ) as Partial<Errand>),
});

export const isSameDraft = (a: ScheduleDraft, b: ScheduleDraft): boolean =>
  JSON.stringify(Object.entries(a).toSorted()) === JSON.stringify(Object.entries(b).toSorted());

export const { readDraft, keepDraft, settleDraft } = keptDrafts<ScheduleDraft>();
