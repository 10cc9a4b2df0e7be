"use client";

import { type FormEvent, useState } from "react";
import { useTranslations } from "use-intl";
import { LoadState } from "@/components/settings/load-state";
import { PageHead } from "@/components/settings/page-head";
import { useAct } from "@/components/settings/use-act";
import { Button } from "@/components/ui/controls/button";
import { InstructionsField, isTooLong } from "@/components/ui/controls/instructions-field";
import { notify } from "@/components/ui/toast";
import { changeSettings, refreshSettings, useSettings } from "@/lib/client/settings/settings";

export function InstructionsPage() {
  const t = useTranslations("settings.instructions");
  const { data, error } = useSettings();
  return (
    <>
      <PageHead title={t("title")} lede={<p>{t("lede")}</p>} />
      {data ? (
        <InstructionsForm stored={data.instructions} />
      ) : (
        <LoadState error={error} onRetry={refreshSettings} />
      )}
    </>
  );
}

/** What is not saved while other pages are looked at; it lasts until the tab is closed. */
let draft: string | null = null;

function InstructionsForm({ stored }: { stored: string }) {
  const t = useTranslations("settings.instructions");
  const act = useAct();
  /** Null: as it is stored, also when another tab stores it. */
  const [unsaved, setUnsaved] = useState(draft);
  const [busy, setBusy] = useState(false);
  const text = unsaved ?? stored;
  const keep = (next: string | null) => {
    draft = next === stored ? null : next;
    setUnsaved(draft);
  };
  const save = async (event: FormEvent) => {
    event.preventDefault();
    if (isTooLong(text) || busy) return;
    setBusy(true);
    if (await act(() => changeSettings({ instructions: text }))) {
      // What was typed meanwhile is not saved yet.
      if (draft === text) keep(null);
      notify(t("saved"));
    }
    setBusy(false);
  };
  return (
    <form onSubmit={save} noValidate className="max-w-170">
      <InstructionsField label={t("label")} hint={t("hint")} value={text} onChange={keep} rows={12} />
      <div className="mt-4 flex items-center justify-end gap-3">
        <p className="text-micro text-ink-3" role="status">
          {text !== stored && t("draft")}
        </p>
        <Button tone="ink" type="submit" aria-busy={busy}>
          {t("save")}
        </Button>
      </div>
    </form>
  );
}
