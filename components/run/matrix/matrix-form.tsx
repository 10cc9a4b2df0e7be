"use client";

import { useEffect, useRef, useState } from "react";
import { useFormatter, useTranslations } from "use-intl";
import { ModelChecks } from "@/components/chat/parts/model-checks";
import { Button } from "@/components/ui/controls/button";
import { Choice } from "@/components/ui/controls/choice";
import { fieldClass } from "@/components/ui/controls/field";
import { useGo } from "@/components/ui/go";
import { pressForm } from "@/components/ui/press-form";
import { useErrorText } from "@/components/ui/words/use-error-text";
import { useModels, useReachable } from "@/lib/client/conversation/models";
import { api } from "@/lib/client/http/http";
import type { MatrixLimit } from "@/lib/client/run/matrix-view";
import type { RunItem } from "@/lib/protocol/http";
import { type TapeMisses, tapeMisses } from "@/lib/protocol/tape";
import { RecordingChecks } from "./recording-checks";

interface Draft {
  models: readonly string[];
  runIds: readonly string[];
  tape: TapeMisses;
  limit: MatrixLimit;
  amount: string;
  runsUnpriced: boolean;
}

const maxModels = 6;
/** What a field begins with. */
const proposed = { cost: "1", tokens: "500000" };

/** Has several models answer the question of an ended answer, and others along, and opens what becomes of it. */
export function MatrixForm({ run, onClose }: { run: RunItem; onClose(): void }) {
  const t = useTranslations("run.matrix");
  const rerun = useTranslations("run.rerun");
  const common = useTranslations("common");
  const format = useFormatter();
  const go = useGo();
  const errorText = useErrorText();
  const items = useModels().data?.items ?? [];
  const [draft, setDraft] = useState<Draft>({
    ...{ models: [run.model], runIds: [run.id], tape: "ask", limit: "cost", amount: proposed.cost },
    runsUnpriced: false,
  });
  const [isSending, setSending] = useState(false);
  const [error, setError] = useState<string>();
  const form = useRef<HTMLFieldSetElement>(null);
  useEffect(() => form.current?.querySelector("input")?.focus(), []);
  const change = (part: Partial<Draft>) => setDraft((before) => ({ ...before, ...part }));
  const models = useReachable(draft.models);
  const count = models.length * draft.runIds.length;
  const unpriced = items.filter(({ id, price }) => price === null && models.includes(id));
  const submit = async () => {
    if (isSending || count === 0) return;
    const amount = Number(draft.amount);
    if (!(amount > 0)) return setError(t("badBudget"));
    setSending(true);
    setError(undefined);
    try {
      const { runIds, tape, limit, runsUnpriced } = draft;
      const body = {
        models,
        runIds,
        tape,
        budget: { [limit]: amount },
        unpriced: runsUnpriced ? "run" : "ask",
      };
      const { id } = await api<{ id: string }>("/api/matrix", { method: "POST", body });
      go(`/runs/matrix/${encodeURIComponent(id)}`);
    } catch (cause) {
      setError(errorText(cause));
      setSending(false);
    }
  };
  return (
    <fieldset
      ref={form}
      className="mt-2 mb-3 max-w-(--measure) space-y-3 py-3 text-mach shadow-[inset_0_1px_var(--ink),inset_0_-1px_var(--rule)]"
      onKeyDown={(event) => pressForm(event, () => void submit(), onClose)}
    >
      <legend className="sr-only">{t("open")}</legend>
      <ModelChecks
        label={t("models", { max: maxModels })}
        max={maxModels}
        chosen={models}
        onChange={(chosen) => change({ models: chosen })}
        className="max-h-48"
      />
      <RecordingChecks run={run} chosen={draft.runIds} onChange={(runIds) => change({ runIds })} />
      <div>
        <p className="mb-1 text-ink-2">{rerun("misses")}</p>
        <Choice
          label={rerun("misses")}
          options={tapeMisses.map((value) => ({ value, label: rerun(`miss.${value}`) }))}
          value={draft.tape}
          onChange={(tape) => change({ tape })}
        />
        <p className="meta">{rerun(`missHint.${draft.tape}`)}</p>
      </div>
      <div className="flex flex-wrap items-end gap-x-6 gap-y-2">
        <label className="flex flex-col gap-1 text-ink-2">
          {t("budget")}
          <input
            className={fieldClass({ width: "number" })}
            inputMode="decimal"
            autoComplete="off"
            value={draft.amount}
            onChange={({ target }) => change({ amount: target.value })}
          />
        </label>
        <Choice
          label={t("unit")}
          options={(["cost", "tokens"] as const).map((value) => ({ value, label: t(`units.${value}`) }))}
          value={draft.limit}
          onChange={(limit) => change({ limit, amount: proposed[limit] })}
        />
      </div>
      {draft.limit === "cost" && unpriced.length > 0 && (
        <label className="flex items-baseline gap-2 phone:min-h-11 phone:items-center">
          <input
            type="checkbox"
            className="translate-y-0.5"
            checked={draft.runsUnpriced}
            onChange={({ target }) => change({ runsUnpriced: target.checked })}
          />
          {t("unpriced", { models: format.list(unpriced.map(({ name }) => name)) })}
        </label>
      )}
      {error && (
        <p role="alert" className="text-shu">
          {error}
        </p>
      )}
      <div className="flex flex-wrap gap-2">
        <Button
          tone="ink"
          keys="Mod+Enter"
          aria-busy={isSending}
          disabled={count === 0}
          onClick={() => void submit()}
        >
          {t("start", { count })}
        </Button>
        <Button keys="Escape" onClick={onClose}>
          {common("cancel")}
        </Button>
      </div>
      <p className="meta">{t("startHint")}</p>
    </fieldset>
  );
}
