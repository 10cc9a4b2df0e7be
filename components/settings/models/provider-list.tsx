"use client";

import dynamic from "next/dynamic";
import { useState } from "react";
import { useTranslations } from "use-intl";
import { useAct } from "@/components/settings/use-act";
import { Button } from "@/components/ui/button";
import { notify } from "@/components/ui/toast";
import { changeProvider, useSettings } from "@/lib/client/settings/settings";
import type { ProviderItem } from "@/lib/protocol/http";

const ProviderForm = dynamic(() => import("./provider-form"));

/** Where models come from: each provider with its key and address, to be set up here. */
export function ProviderList() {
  const t = useTranslations("settings.models.providers");
  const { data } = useSettings();
  const [editing, setEditing] = useState<ProviderItem | null>(null);
  return (
    <section className="mt-8" aria-labelledby="providers">
      <h2 id="providers" className="font-voice text-voice">
        {t("title")}
      </h2>
      <p className="text-mach text-ink-2">{t("lede")}</p>
      <ul className="rows">
        {data?.providers.map((provider) => (
          <ProviderRow key={provider.id} provider={provider} onEdit={() => setEditing(provider)} />
        ))}
      </ul>
      {editing && <ProviderForm provider={editing} onClose={() => setEditing(null)} />}
    </section>
  );
}

function ProviderRow({ provider, onEdit }: { provider: ProviderItem; onEdit(): void }) {
  const t = useTranslations("settings.models.providers");
  const act = useAct();
  const { id, source, keyEnd, baseURL } = provider;
  const name = t(`name.${id}`);
  const remove = async () => {
    if (await act(() => changeProvider(id, null))) notify(t("removed", { name }));
  };
  return (
    <li className="provider-line">
      <b className="font-semibold">{name}</b>
      <span className="min-w-0 text-ink-2 [overflow-wrap:anywhere]">
        {source === null ? t(id === "ollama" ? "found" : "none") : t(`from.${source}`)}
        {(keyEnd || baseURL) && (
          <small className="block text-micro text-ink-3">
            {[keyEnd && t("key", { end: keyEnd }), baseURL].filter(Boolean).join(" · ")}
          </small>
        )}
      </span>
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
