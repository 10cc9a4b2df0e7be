"use client";

import { useTranslations } from "use-intl";
import { useSentence } from "@/components/ui/words/sentences";
import type { AgentFileProblem } from "@/lib/protocol/agents";

export interface AgentProblemsProps {
  problems: readonly AgentFileProblem[];
  /** Why nothing can be said of the text. */
  failure: string | undefined;
  onLine(line: number): void;
}

/** All that is wrong with a file; each leads to its line. */
export function AgentProblems({ problems, failure, onLine }: AgentProblemsProps) {
  const t = useTranslations("settings.agents.editor");
  const inWords = useSentence();
  return (
    <div aria-live="polite" className="text-mach text-shu empty:hidden">
      {failure && <p>{failure}</p>}
      {problems.length > 0 && (
        <ul aria-label={t("problems")}>
          {problems.map(({ line, column, message }) => (
            <li key={`${line} ${column} ${message}`}>
              <button
                type="button"
                className="min-h-7 py-0.5 text-left wrap-anywhere hover:underline phone:min-h-11"
                onClick={() => onLine(line)}
              >
                {t("line", { line, problem: inWords(message) })}
              </button>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
