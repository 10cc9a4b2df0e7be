"use client";

import dynamic from "next/dynamic";
import { useState } from "react";
import { useFormatter, useTranslations } from "use-intl";
import { LoadState } from "@/components/settings/load-state";
import { PageHead } from "@/components/settings/page-head";
import { Rows, RowsHead } from "@/components/settings/rows";
import { useAct } from "@/components/settings/use-act";
import { cn } from "@/components/ui/cn";
import { Button, IconButton } from "@/components/ui/controls/button";
import { Dot, Ring } from "@/components/ui/ring";
import { ForAdmins, useIsAdmin } from "@/components/ui/words/account";
import { useSentence } from "@/components/ui/words/sentences";
import { refreshModels, useModels } from "@/lib/client/conversation/models";
import { changeSettings } from "@/lib/client/settings/settings";
import type { ModelItem } from "@/lib/protocol/settings";
import { EndpointList } from "./endpoint-list";
import { ProviderList } from "./provider-list";
import { TitlesSection } from "./titles-section";

const ModelForm = dynamic(() => import("./model-form"));

const rowsAtOnce = 50;

export function ModelsPage() {
  const t = useTranslations("settings.models");
  const { data, error } = useModels();
  const [shown, setShown] = useState(rowsAtOnce);
  const isAdmin = useIsAdmin();
  return (
    <>
      <PageHead title={t("title")} lede={<p>{t("lede")}</p>} />
      {!data && <LoadState error={error} onRetry={refreshModels} />}
      {data && data.items.length > 0 && (
        <Rows aria-label={t("title")}>
          <RowsHead columns={columns}>
            <span />
            <span>{t("head.model")}</span>
            <span>{t("head.state")}</span>
            <span className="text-right">{t("head.context")}</span>
            <span />
          </RowsHead>
          {data.items.slice(0, shown).map((model) => (
            <ModelRow key={model.id} model={model} isDefault={model.id === data.defaultModel} />
          ))}
        </Rows>
      )}
      {data && data.items.length > shown && (
        <Button small tone="quiet" className="mt-2" onClick={() => setShown(shown + rowsAtOnce)}>
          {t("showMore", { count: Math.min(rowsAtOnce, data.items.length - shown) })}
        </Button>
      )}
      {data?.items.length === 0 && <p className="py-3 text-mach text-ink-2 rule-t">{t("none")}</p>}
      <ForAdmins>
        <EndpointList />
        <ProviderList />
      </ForAdmins>
      {/* Members have none of the sections before it. */}
      <div className={isAdmin ? undefined : "mt-8"}>
        <TitlesSection />
      </div>
    </>
  );
}

const columns =
  "grid-cols-[20px_minmax(0,1fr)_200px_104px_180px] mid:grid-cols-[20px_minmax(0,1fr)_132px_96px_152px] mid:gap-x-3 slim:grid-cols-[20px_minmax(0,1fr)_auto]";

function ModelRow({ model, isDefault }: { model: ModelItem; isDefault: boolean }) {
  const t = useTranslations("settings.models");
  const inWords = useSentence();
  const format = useFormatter();
  const act = useAct();
  const [editing, setEditing] = useState(false);
  const { contextWindow, price } = model;
  const { tools, images, reasoning } = model.capabilities;
  const dollars = (amount: number) =>
    format.number(amount, { style: "currency", currency: "USD", maximumSignificantDigits: 3 });
  const can = [
    tools ? t("tools") : model.provider !== "demo" && t("toolsAsJson"),
    images && t("images"),
    reasoning && t("reasoning"),
  ].filter((word) => word !== false);
  return (
    <li className={cn("grid items-center gap-x-4 py-3 rule-t", columns)}>
      <span className="grid place-items-center">
        {model.reachable ? <Dot size={9} /> : <Ring state="failed" size={16} />}
      </span>
      <div className="min-w-0">
        <b className="text-[14px] font-semibold wrap-anywhere">{model.name}</b>
        <code className="block truncate text-[12px] leading-4 text-ink-3" title={model.id}>
          {model.id}
        </code>
      </div>
      <div className="min-w-0 slim:col-start-2 slim:row-start-2">
        {model.reachable ? t("ready") : <b className="font-semibold text-shu">{t("notReachable")}</b>}
        <small className="block text-micro text-ink-3">
          {format.list(can, { type: "unit", style: "short" })}
        </small>
      </div>
      <span className="text-right slim:hidden">
        {contextWindow === null ? t("unknown") : format.number(contextWindow, { notation: "compact" })}
        <small className="block text-micro text-ink-3">
          {price === null
            ? t("priceUnknown")
            : price.input + price.output === 0
              ? t("free")
              : t("price", { input: dollars(price.input), output: dollars(price.output) })}
        </small>
      </span>
      <span className="flex items-center justify-end gap-1 text-right text-ink-3 slim:col-start-3 slim:row-span-2 slim:row-start-1 slim:phone:flex-col-reverse slim:phone:items-end">
        {isDefault && t("default")}
        {!isDefault && model.reachable && (
          <Button small tone="quiet" onClick={() => act(() => changeSettings({ defaultModel: model.id }))}>
            {t("makeDefault")}
          </Button>
        )}
        {model.provider !== "demo" && (
          <ForAdmins>
            <IconButton
              icon="pencil"
              iconSize={14}
              label={t("describe", { name: model.name })}
              tipSide="right-edge"
              onClick={() => setEditing(true)}
            />
          </ForAdmins>
        )}
      </span>
      {editing && <ModelForm model={model} onClose={() => setEditing(false)} />}
      {model.reason && (
        <p className="col-start-2 col-end-[-1] mt-2 max-w-150 wrap-anywhere">{inWords(model.reason)}</p>
      )}
    </li>
  );
}
