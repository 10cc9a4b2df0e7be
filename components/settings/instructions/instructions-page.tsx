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

function InstructionsForm({ stored }: { stored: string }) {
  const t = useTranslations("settings.instructions");
  const act = useAct();
  const [text, setText] = useState(stored);
  const save = async (event: FormEvent) => {
    event.preventDefault();
    if (isTooLong(text)) return;
    if (await act(() => changeSettings({ instructions: text }))) notify(t("saved"));
  };
  return (
    <form onSubmit={save} noValidate className="max-w-170">
      <InstructionsField label={t("label")} hint={t("hint")} value={text} onChange={setText} rows={12} />
      <div className="mt-4 flex justify-end">
        <Button tone="ink" type="submit">
          {t("save")}
        </Button>
      </div>
    </form>
  );
}
