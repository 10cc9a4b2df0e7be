"use client";

import { useState } from "react";
import { useFormatter, useTranslations } from "use-intl";
import { ModelChecks } from "@/components/chat/parts/model-checks";
import { AgainForm } from "@/components/run/again-form";
import { Choice } from "@/components/ui/controls/choice";
import { fieldClass } from "@/components/ui/controls/field";
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
  const format = useFormatter();
  const items = useModels().data?.items ?? [];
  const [draft, setDraft] = useState<Draft>({
    ...{ models: [run.model], runIds: [run.id], tape: "ask", limit: "cost", amount: proposed.cost },
    runsUnpriced: false,
  });
  const change = (part: Partial<Draft>) => setDraft((before) => ({ ...before, ...part }));
  const models = useReachable(draft.models);
  const count = models.length * draft.runIds.length;
  const unpriced = items.filter(({ id, price }) => price === null && models.includes(id));
  const amount = Number(draft.amount);
  const start = async () => {
    const { runIds, tape, limit, runsUnpriced } = draft;
    const body = {
      ...{ models, runIds, tape, budget: { [limit]: amount } },
      unpriced: runsUnpriced ? "run" : "ask",
    };
    const { id } = await api<{ id: string }>("/api/matrix", { method: "POST", body });
    return `/runs/matrix/${encodeURIComponent(id)}`;
  };
  return (
    <AgainForm
      title={t("open")}
      action={t("start", { count })}
      isOff={count === 0}
      check={() => (amount > 0 ? undefined : t("badBudget"))}
      start={start}
      onClose={onClose}
      hint={t("startHint")}
    >
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
    </AgainForm>
  );
}
