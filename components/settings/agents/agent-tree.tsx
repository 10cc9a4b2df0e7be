"use client";

import { useLocale, useTranslations } from "use-intl";
import { cn } from "@/components/ui/cn";
import type { AgentPart, AgentTree as Tree } from "@/lib/protocol/agents";

export interface AgentTreeProps {
  tree: Tree;
  /** What is written has a mistake: the drawing is of what could be used last. */
  isOld: boolean;
  /** Those that can be chosen; none while they are not known. */
  models: readonly string[];
  onLine(line: number): void;
}

/** What a file says, as a list in lists; each part leads to its line. */
export function AgentTree({ tree, isOld, models, onLine }: AgentTreeProps) {
  const t = useTranslations("settings.agents.tree");
  const keys = Object.keys(tree.state);
  return (
    <section aria-label={t("label")} className="text-mach">
      <h3 className="mb-1 text-mach text-ink-2">{t("label")}</h3>
      {isOld && <p className="mb-1 text-micro text-ink-3">{t("old")}</p>}
      {keys.length > 0 && (
        <p className="mb-1 text-micro text-ink-3">{t("begins", { keys: keys.join(", ") })}</p>
      )}
      <ul>
        <Part part={tree.agent} models={models} onLine={onLine} />
      </ul>
      {tree.result && <p className="mt-1 text-micro text-ink-3">{t("result", { key: tree.result })}</p>}
    </section>
  );
}

type PartProps = { part: AgentPart } & Pick<AgentTreeProps, "models" | "onLine">;

function Part({ part, models, onLine }: PartProps) {
  const t = useTranslations("settings.agents.tree");
  const locale = useLocale();
  const { parts = [], description } = part;
  return (
    <li>
      <button
        type="button"
        className="flex min-h-7 w-full items-baseline gap-x-2 rounded-control px-2 py-1 text-left hover:bg-paper-2 phone:min-h-11"
        onClick={() => onLine(part.line)}
      >
        <span aria-hidden="true" className="w-4 flex-none text-center font-mono text-ink-3">
          {signs[part.type]}
        </span>
        <span className="min-w-0 flex-1 wrap-anywhere">
          <b className="font-semibold">{part.name}</b> <Facts part={part} models={models} />
          {description && (
            <small className="block text-micro text-ink-3">
              {locale === "ja" ? description.ja : description.en}
            </small>
          )}
        </span>
        <span className="sr-only">{t("line", { line: part.line })}</span>
      </button>
      {parts.length > 0 && (
        <ul
          className={cn(
            "ml-4 border-l pl-2",
            part.type === "parallel" ? "border-dashed border-rule-2" : "border-rule-2",
          )}
        >
          {parts.map((each) => (
            <Part key={`${each.line} ${each.name}`} part={each} models={models} onLine={onLine} />
          ))}
        </ul>
      )}
    </li>
  );
}

const signs: Record<AgentPart["type"], string> = {
  llm: "○",
  sequential: "↓",
  loop: "↻",
  parallel: "⇉",
  use: "@",
  custom: "◇",
};

/** What kind it is, whom it asks, what it takes and gives. */
function Facts({ part, models }: Pick<PartProps, "part" | "models">) {
  const t = useTranslations("settings.agents.tree");
  const { type, maxIterations, model, effort, reads, outputKey, tools, exitLoop } = part;
  const facts = [
    maxIterations === undefined ? t(`type.${type}`) : t("rounds", { count: maxIterations }),
    model && (models.length === 0 || models.includes(model) ? model : t("notListed", { model })),
    effort && t("effort", { effort }),
    reads && t("reads", { keys: reads.join(", ") }),
    outputKey && t("gives", { key: outputKey }),
    tools && (tools === "none" ? t("noTools") : tools.join(" ")),
    exitLoop && t("exit"),
  ].filter((fact) => typeof fact === "string");
  return <small className="text-micro text-ink-3">{facts.join(" · ")}</small>;
}
