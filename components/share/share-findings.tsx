"use client";

import { useTranslations } from "use-intl";
import { toolName } from "@/components/chat/parts/tool-name";
import { Button } from "@/components/ui/controls/button";
import { Choice } from "@/components/ui/controls/choice";
import type { FindingDecision, FindingPlace, ShareFinding } from "@/lib/protocol/share-policy";

/** What was decided on texts that may be private: on single ones by their ids, and on all others. */
export interface Decisions {
  others?: FindingDecision;
  single: Readonly<Record<string, FindingDecision>>;
}

/** Those that nobody has decided on. */
export const openIn = (findings: readonly ShareFinding[], decisions: Decisions): ShareFinding[] =>
  findings.filter(({ id, kind }) => kind !== "damaged picture" && decisionOf(id, decisions) === undefined);

export const decisionOf = (id: string, { single, others }: Decisions): FindingDecision | undefined =>
  single[id] ?? others;

/** As the routes take them. */
export function askedOf({ single, others }: Decisions): {
  redact?: true | string[];
  accept?: true | string[];
} {
  const ids = (decision: FindingDecision) => Object.keys(single).filter((id) => single[id] === decision);
  const told = (decision: FindingDecision) => (others === decision ? true : ids(decision));
  return { redact: told("redact"), accept: told("accept") };
}

export interface ShareFindingsProps {
  findings: readonly ShareFinding[];
  decisions: Decisions;
  onDecide(decisions: Decisions): void;
}

/** Each text of the copy that may be private, with what is to become of it. */
export function ShareFindings({ findings, decisions, onDecide }: ShareFindingsProps) {
  const t = useTranslations("share.findings");
  if (findings.length === 0) return null;
  const open = openIn(findings, decisions).length;
  const options = (["redact", "accept"] as const).map((value) => ({ value, label: t(value) }));
  const forFiles = options.map(({ value, label }) => ({
    value,
    label: value === "redact" ? t("leaveOut") : label,
  }));
  return (
    <section aria-labelledby="share-findings">
      <div className="flex min-h-8 flex-wrap items-center justify-between gap-x-4">
        <h3 id="share-findings" className={open > 0 ? "font-semibold text-shu" : "text-ink-2"}>
          {open > 0 ? t("open", { count: open }) : t("decided", { count: findings.length })}
        </h3>
        <Button small tone="quiet" onClick={() => onDecide({ others: "redact", single: {} })}>
          {t("redactAll")}
        </Button>
      </div>
      <ul className="max-h-60 overflow-y-auto rule-t thin-bar">
        {findings.map(({ id, kind, excerpt, where }) => (
          <li key={id} data-finding={id} className="flex min-h-8 items-center gap-x-3 rule-b phone:flex-wrap">
            <code className="max-w-[55%] min-w-0 flex-none truncate text-[12px]" title={excerpt}>
              {excerpt}
            </code>
            <span className="min-w-0 flex-1 truncate text-ink-2">
              <Words kind={kind} where={where} />
            </span>
            <span className="flex-none">
              {/* One that is left out whatever is decided has nothing to choose. */}
              {kind !== "damaged picture" && (
                <Choice
                  label={t("choose", { kind: t(`kinds.${kind}`), excerpt })}
                  options={kind === "file properties" ? forFiles : options}
                  value={decisionOf(id, decisions)}
                  onChange={(decision) =>
                    onDecide({ ...decisions, single: { ...decisions.single, [id]: decision } })
                  }
                />
              )}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** To the first that nobody has decided on. */
export function focusOpenFinding(findings: readonly ShareFinding[], decisions: Decisions): void {
  const [open] = openIn(findings, decisions);
  if (open) document.querySelector<HTMLElement>(`[data-finding="${CSS.escape(open.id)}"] input`)?.focus();
}

/** What it is and where it stands first: `an API key, in your question`. */
export function Words({ kind, where }: { kind: ShareFinding["kind"]; where: FindingPlace }) {
  const t = useTranslations("share.findings");
  if (where.tool !== undefined) {
    const { server, tool } = toolName({ name: where.tool });
    return t("inTool", { kind: t(`kinds.${kind}`), tool: server ? `${server} · ${tool}` : tool });
  }
  return t("inPlace", { kind: t(`kinds.${kind}`), place: t(`places.${where.in}`) });
}
