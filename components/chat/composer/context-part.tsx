import type { KeyboardEvent } from "react";
import { useFormatter, useTranslations } from "use-intl";
import { cn } from "@/components/ui/cn";
import { TextButton } from "@/components/ui/controls/text-button";
import type { KnownLedger } from "@/lib/client/conversation/ledger";
import type { LedgerPart, LedgerState } from "@/lib/protocol/ledger";

export interface ContextPartProps {
  part: LedgerPart;
  /** By which its tokens are not the estimate that a change is said in. */
  scale: number;
  change: KnownLedger["change"];
}

/** A shorter one is not worth a head of it. */
const worthTrimming = 400;
const mostOfHead = 1_000;

type Action = "pin" | "trim" | "drop" | "restore" | "sendAgain";
/** In the row that has the focus; `restore` and `sendAgain` are the other side of `drop`. */
const keys: Readonly<Record<string, readonly Action[]>> = {
  p: ["pin", "restore"],
  t: ["trim"],
  d: ["drop", "sendAgain", "restore"],
};

/** A line of the ledger with what can be done about it: shown on hover and focus, and always where there is no mouse. */
export function ContextPart({ part, scale, change }: ContextPartProps) {
  const format = useFormatter();
  const { state, full, tokens } = part;
  const isDropped = state === "dropped";
  const actions = actionsOf(part);
  const act = (action: Action) => change({ [part.id]: stateAfter(action, part, scale) });
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const action = keys[event.key.toLowerCase()]?.find((each) => actions.includes(each));
    if (action) act(action);
    else if (event.key === "ArrowDown" || event.key === "ArrowUp") step(event);
    else return;
    event.preventDefault();
  };
  return (
    <li
      className="group relative -mx-2 grid min-h-7 grid-cols-[minmax(0,1fr)_auto_4rem] items-center gap-x-2 rounded-control pr-2 pl-7 focus-within:bg-paper-3 hover:bg-paper-3"
      {...(actions.length > 0 && { onKeyDown })}
    >
      <span className={cn("truncate", isDropped && "text-ink-3 line-through")}>
        <Name part={part} />
      </span>
      <span className="text-right text-micro text-ink-3">
        <Status part={part} />
      </span>
      <span className={cn("text-right tabular-nums", isDropped && "text-ink-3 line-through")}>
        {format.number(isDropped ? full : tokens)}
      </span>
      {actions.length > 0 && <Actions actions={actions} act={act} />}
    </li>
  );
}

/** Over the state of the row, which is not needed then. */
function Actions({ actions, act }: { actions: readonly Action[]; act(action: Action): void }) {
  const t = useTranslations("chat.context");
  return (
    <span className="pointer-events-none absolute inset-y-0 right-[4.75rem] flex items-center gap-3 rounded-control bg-paper-3 pl-3 opacity-0 group-focus-within:pointer-events-auto group-focus-within:opacity-100 group-hover:pointer-events-auto group-hover:opacity-100 phone:pointer-events-auto phone:static phone:col-span-3 phone:bg-transparent phone:pl-0 phone:opacity-100 [@media(hover:none)]:pointer-events-auto [@media(hover:none)]:static [@media(hover:none)]:col-span-3 [@media(hover:none)]:bg-transparent [@media(hover:none)]:pl-0 [@media(hover:none)]:opacity-100">
      {actions.map((action) => (
        <TextButton key={action} data-action={action} className="self-center" onClick={() => act(action)}>
          {t(`act.${action}`)}
        </TextButton>
      ))}
    </span>
  );
}

function step(event: KeyboardEvent): void {
  const panel = event.currentTarget.closest("aside");
  const rows = [...(panel?.querySelectorAll("li:has([data-action])") ?? [])];
  const next = rows[rows.indexOf(event.currentTarget) + (event.key === "ArrowDown" ? 1 : -1)];
  next?.querySelector<HTMLElement>("[data-action]")?.focus();
}

function actionsOf({ kind, state, full, isReplaced }: LedgerPart): readonly Action[] {
  // What a summary took is sent again below the list.
  if (kind === "summary") return state === "dropped" ? ["restore"] : [];
  if (kind !== "message" && kind !== "result" && kind !== "file") return [];
  if (state === "dropped") return isReplaced ? ["sendAgain", "pin"] : ["restore"];
  if (state === "pinned") return ["restore", "drop"];
  const canTrim = state === "kept" && kind !== "file" && full >= worthTrimming && !isReplaced;
  return [
    "pin",
    ...(canTrim ? (["trim"] as const) : []),
    ...(typeof state === "object" ? (["restore"] as const) : []),
    "drop",
  ];
}

function stateAfter(action: Action, { full }: LedgerPart, scale: number): LedgerState {
  switch (action) {
    case "pin":
      return "pinned";
    case "trim":
      return { trimmed: Math.ceil(Math.min(mostOfHead, full / 4) / scale) };
    case "drop":
      return "dropped";
    case "sendAgain":
    case "restore":
      return "kept";
  }
}

function Status({ part: { kind, state, full, count, isReplaced } }: { part: LedgerPart }) {
  const t = useTranslations("chat.context");
  const format = useFormatter();
  if (state === "dropped") return kind === "summary" ? t("unused") : t(isReplaced ? "inSummary" : "dropped");
  if (state === "pinned") return t("pinned");
  if (typeof state === "object") return t("trimmed", { count: format.number(full) });
  return count === undefined ? null : t("tools", { count });
}

function Name({ part: { kind, id, server, name, turn, by } }: { part: LedgerPart }) {
  const t = useTranslations("chat.context");
  switch (kind) {
    case "result":
      return `${[server, name].filter(Boolean).join(" · ")}${turn ? `, ${t("turn", { turn })}` : ""}`;
    case "instructions":
      return id === "server" ? t("ofServer", { server: server ?? "" }) : t(`whose.${id as "settings"}`);
    case "file":
      return id === "project" ? t("projectFiles") : (name ?? id);
    case "schemas":
      return server === "meguri" ? "Meguri" : (server ?? id);
    case "summary":
      return t("summaryTo", { turn: turn ?? 1 });
    case "message":
      return t(`by.${by ?? "user"}`, { text: name ?? t("onlyCalls") });
    case "system":
      return null;
  }
}
