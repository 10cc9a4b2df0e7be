"use client";

import { type FormEvent, useRef, useState } from "react";
import { useTranslations } from "use-intl";
import { Button } from "@/components/ui/controls/button";
import { fieldClass } from "@/components/ui/controls/field";
import { useFocusBack } from "@/components/ui/use-focus-back";
import { useErrorText } from "@/components/ui/words/use-error-text";
import { api } from "@/lib/client/http/http";
import { budgetOf, hasEnded, type MatrixLimit } from "@/lib/client/run/matrix-view";
import type { Matrix } from "@/lib/protocol/matrix";
import { useLimit } from "./use-limit";

export interface MatrixBudgetProps {
  matrix: Matrix;
  onChange(matrix: Matrix): void;
}

/** Ink is used, hatched is still expected; what is used up asks for more. */
export function MatrixBudget({ matrix, onChange }: MatrixBudgetProps) {
  const t = useTranslations("run.matrix");
  const and = useTranslations("run.figures")("and");
  const show = useLimit();
  const { limit, used, of, expected } = budgetOf(matrix);
  const share = Math.min(1, used / of);
  const ahead = Math.min(1 - share, expected / of);
  const amounts = { used: show(limit, used), of: show(limit, of) };
  const section = useRef<HTMLElement>(null);
  // What asks for more is gone once there is more.
  const focusBack = useFocusBack(() => section.current?.focus());
  return (
    <section
      ref={section}
      tabIndex={-1}
      aria-label={t("meter")}
      className="text-mach outline-none"
      {...focusBack}
    >
      <div className="flex flex-wrap justify-between gap-x-6">
        <p>
          {t.rich("used", { ...amounts, b: (text) => <b className="font-semibold">{text}</b> })}
          {expected > 0 && and + t("expected", { amount: show(limit, expected) })}
        </p>
        <p role="status" className="text-ink-3">
          <Counts matrix={matrix} />
        </p>
      </div>
      {/* biome-ignore lint/a11y/useSemanticElements: a <meter> has one bar */}
      <div
        role="meter"
        aria-label={t("meter")}
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={Math.round(share * 100)}
        aria-valuetext={t.markup("used", { ...amounts, b: (text) => text })}
        className="relative mt-1 h-2 bg-paper-3"
      >
        <i className="absolute inset-y-0 left-0 bg-ink" style={{ width: `${share * 100}%` }} />
        <i
          className="absolute inset-y-0 bg-[repeating-linear-gradient(115deg,var(--ink-3)_0_1px,transparent_1px_4px)]"
          style={{ left: `${share * 100}%`, width: `${ahead * 100}%` }}
        />
      </div>
      {matrix.status === "paused" && <Raise matrix={matrix} onChange={onChange} />}
    </section>
  );
}

function Counts({ matrix: { cells } }: { matrix: Matrix }) {
  const t = useTranslations("run.matrix");
  const and = useTranslations("run.figures")("and");
  const counts = (["running", "waiting", "queued", "paused"] as const).flatMap((status) => {
    const count = cells.filter((cell) => cell.status === status).length;
    return count === 0 ? [] : [t(`counts.${status}`, { count })];
  });
  return [t("done", { done: cells.filter(hasEnded).length, all: cells.length }), ...counts].join(and);
}

/** Each limit is twice what is used unless a person says otherwise. */
function Raise({ matrix, onChange }: MatrixBudgetProps) {
  const t = useTranslations("run.matrix");
  const errorText = useErrorText();
  const limits = (["cost", "tokens"] as const).filter((limit) => matrix.budget[limit] !== undefined);
  const [written, setWritten] = useState<Partial<Record<MatrixLimit, string>>>(() => proposalFor(matrix));
  const [isSending, setSending] = useState(false);
  const [error, setError] = useState<string>();
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (isSending) return;
    const entries = limits.map((limit) => [limit, Number(written[limit])] as const);
    if (entries.some(([, amount]) => !(amount > 0))) return setError(t("badBudget"));
    setSending(true);
    setError(undefined);
    try {
      const budget = Object.fromEntries(entries);
      const path = `/api/matrix/${encodeURIComponent(matrix.id)}`;
      onChange(await api<Matrix>(path, { method: "PATCH", body: { budget } }));
    } catch (cause) {
      setError(errorText(cause));
    }
    // It may be used up again at once.
    setSending(false);
  };
  return (
    <form className="mt-3 space-y-2" onSubmit={(event) => void submit(event)}>
      <p className="font-semibold text-shu">{t("usedUp")}</p>
      <div className="flex flex-wrap items-end gap-x-4 gap-y-2">
        {limits.map((limit) => (
          <label key={limit} className="flex flex-col gap-1 text-ink-2">
            {t(`raise.${limit}`)}
            <input
              className={fieldClass({ width: "number" })}
              inputMode="decimal"
              autoComplete="off"
              value={written[limit] ?? ""}
              onChange={({ target }) => setWritten({ ...written, [limit]: target.value })}
            />
          </label>
        ))}
        <Button type="submit" tone="outline" aria-busy={isSending}>
          {t("goOn")}
        </Button>
      </div>
      {error && (
        <p role="alert" className="text-shu">
          {error}
        </p>
      )}
    </form>
  );
}

function proposalFor({ budget, spent }: Matrix): Partial<Record<MatrixLimit, string>> {
  const twice = (of: number, used: number) => 2 * Math.max(of, used);
  return {
    ...(budget.cost !== undefined && { cost: String(Number(twice(budget.cost, spent.cost).toPrecision(2))) }),
    ...(budget.tokens !== undefined && { tokens: String(Math.ceil(twice(budget.tokens, spent.tokens))) }),
  };
}
