"use client";

import dynamic from "next/dynamic";
import { useState } from "react";
import { useFormatter, useTranslations } from "use-intl";
import { LoadState } from "@/components/settings/load-state";
import { PageHead } from "@/components/settings/page-head";
import { useAct } from "@/components/settings/use-act";
import { Button, IconButton } from "@/components/ui/button";
import { Dot, Ring } from "@/components/ui/ring";
import { useSentence } from "@/components/ui/sentences";
import { refreshModels, useModels } from "@/lib/client/conversation/models";
import { changeSettings } from "@/lib/client/settings/settings";
import type { ModelItem } from "@/lib/protocol/http";
import { ProviderList } from "./provider-list";

const ModelForm = dynamic(() => import("./model-form"));

export function ModelsPage() {
  const t = useTranslations("settings.models");
  const { data, error } = useModels();
  return (
    <>
      <PageHead title={t("title")} lede={<p>{t("lede")}</p>} />
      {!data && <LoadState error={error} onRetry={refreshModels} />}
      {data && (
        <ul className="rows">
          <li className="rows-head model-line" aria-hidden="true">
            <span />
            <span>{t("head.model")}</span>
            <span>{t("head.state")}</span>
            <span className="num">{t("head.context")}</span>
            <span />
          </li>
          {data.items.map((model) => (
            <ModelRow key={model.id} model={model} isDefault={model.id === data.defaultModel} />
          ))}
        </ul>
      )}
      {data?.items.length === 0 && <p className="lede">{t("none")}</p>}
      <ProviderList />
    </>
  );
}

function ModelRow({ model, isDefault }: { model: ModelItem; isDefault: boolean }) {
  const t = useTranslations("settings.models");
  const inWords = useSentence();
  const format = useFormatter();
  const act = useAct();
  const [editing, setEditing] = useState(false);
  const { tools, images, reasoning, contextWindow } = model.capabilities;
  const can = [
    tools ? t("tools") : model.provider !== "demo" && t("toolsAsJson"),
    images && t("images"),
    reasoning && t("reasoning"),
  ].filter((word) => word !== false);
  return (
    <li className="model-line py-3">
      <span className="grid place-items-center">
        {model.reachable ? <Dot size={9} /> : <Ring state="failed" size={16} />}
      </span>
      <div className="min-w-0">
        <b className="text-[14px] font-semibold">{model.name}</b>
        <code className="block truncate text-[12px] leading-4 text-ink-3">{model.id}</code>
      </div>
      <div className="min-w-0">
        {model.reachable ? t("ready") : <b className="font-semibold text-shu">{t("notReachable")}</b>}
        <small className="block text-micro text-ink-3">
          {format.list(can, { type: "unit", style: "short" })}
        </small>
      </div>
      <span className="num model-context">
        {contextWindow !== null && format.number(contextWindow, { notation: "compact" })}
      </span>
      <span className="num text-ink-3">
        {model.provider !== "demo" && (
          <IconButton
            icon="pencil"
            iconSize={14}
            label={t("describe", { name: model.name })}
            tipSide="right-edge"
            onClick={() => setEditing(true)}
          />
        )}
        {isDefault && t("default")}
        {!isDefault && model.reachable && (
          <Button small tone="quiet" onClick={() => act(() => changeSettings({ defaultModel: model.id }))}>
            {t("makeDefault")}
          </Button>
        )}
      </span>
      {editing && <ModelForm model={model} onClose={() => setEditing(false)} />}
      {model.reason && (
        <p className="col-start-2 col-end-[-1] mt-2 max-w-[600px] [overflow-wrap:anywhere]">
          {inWords(model.reason)}
        </p>
      )}
    </li>
  );
}
