"use client";

import dynamic from "next/dynamic";
import { useState } from "react";
import { useTranslations } from "use-intl";
import { LoadState } from "@/components/settings/load-state";
import { Rows } from "@/components/settings/rows";
import { Section } from "@/components/settings/section";
import { useAct } from "@/components/settings/use-act";
import { Button } from "@/components/ui/controls/button";
import { notify } from "@/components/ui/toast";
import { useSentence } from "@/components/ui/words/sentences";
import { changeProvider, refreshSettings, useSettings } from "@/lib/client/settings/settings";
import type { ProviderItem } from "@/lib/protocol/settings";

const ProviderForm = dynamic(() => import("./provider-form"));

/** Where models come from: each provider with its key and address, to be set up here. */
export function ProviderList() {
  const t = useTranslations("settings.models.providers");
  const { data, error } = useSettings();
  const [editing, setEditing] = useState<ProviderItem | null>(null);
  return (
    <div className="mt-8">
      <Section title={t("title")} note={t("lede")}>
        {data ? (
          <Rows inSection aria-label={t("title")}>
            {data.providers.map((provider) => (
              <ProviderRow key={provider.id} provider={provider} onEdit={() => setEditing(provider)} />
            ))}
          </Rows>
        ) : (
          <LoadState lines={2} error={error} onRetry={refreshSettings} />
        )}
        {editing && <ProviderForm provider={editing} onClose={() => setEditing(null)} />}
      </Section>
    </div>
  );
}

function ProviderRow({ provider, onEdit }: { provider: ProviderItem; onEdit(): void }) {
  const t = useTranslations("settings.models.providers");
  const act = useAct();
  const { id, source, keyEnd, baseURL, isLocal } = provider;
  const name = useSentence()(provider.name);
  const remove = async () => {
    if (await act(() => changeProvider(id, null))) notify(t("removed", { name }));
  };
  return (
    <li className="grid min-h-11 grid-cols-[minmax(0,1fr)_auto] items-center gap-x-4 py-2 rule-t">
      <div className="min-w-0">
        <b className="font-semibold">{name}</b>{" "}
        <span className="text-ink-2">
          {source === null ? t(isLocal ? "found" : "none") : t(`from.${source}`)}
        </span>
        {(keyEnd || baseURL) && (
          <small className="block text-micro wrap-anywhere text-ink-3">
            {[keyEnd && t("key", { end: keyEnd }), baseURL].filter(Boolean).join(" · ")}
          </small>
        )}
      </div>
      <span className="flex justify-end gap-2">
        {source === "settings" && (
          <Button small tone="quiet" aria-label={t("removeOf", { name })} onClick={remove}>
            {t("remove")}
          </Button>
        )}
        <Button small aria-label={t(source === null ? "setUpOf" : "changeOf", { name })} onClick={onEdit}>
          {t(source === null ? "setUp" : "change")}
        </Button>
      </span>
    </li>
  );
}
