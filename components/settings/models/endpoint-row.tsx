"use client";

import { useState } from "react";
import { useTranslations } from "use-intl";
import { useAct } from "@/components/settings/use-act";
import { Button } from "@/components/ui/controls/button";
import { Dot, Ring } from "@/components/ui/ring";
import { notify } from "@/components/ui/toast";
import { useSentence } from "@/components/ui/words/sentences";
import { useErrorText } from "@/components/ui/words/use-error-text";
import { useModels } from "@/lib/client/conversation/models";
import { changeEndpoints, testProvider } from "@/lib/client/settings/settings";
import type { EndpointItem, ProviderTest } from "@/lib/protocol/settings";

/** An endpoint: where it is, how it stands, and what a test of it says. */
export function EndpointRow({ endpoint, onEdit }: { endpoint: EndpointItem; onEdit(): void }) {
  const t = useTranslations("settings.models.endpoints");
  const access = useTranslations("settings.models.access");
  const inWords = useSentence();
  const { id, name, source } = endpoint;
  const own = useModels().data?.items.filter((model) => model.provider === id);
  const fault = own?.find(({ reachable }) => !reachable);
  const { result, isBusy, test } = useTest(id);
  const act = useAct();
  const remove = async () => {
    if (await act(() => changeEndpoints((list) => list.filter((other) => other.id !== id))))
      notify(t("removed", { name }));
  };
  const said = isBusy ? access("testing") : result?.ok ? undefined : result?.message;
  return (
    <li className="grid min-h-11 grid-cols-[16px_minmax(0,1fr)_auto] items-center gap-x-3 py-2 rule-t slim:grid-cols-[16px_minmax(0,1fr)]">
      <span className="grid place-items-center">
        {fault ? <Ring state="failed" size={16} /> : <Dot size={9} />}
      </span>
      <div className="min-w-0">
        <b className="font-semibold wrap-anywhere">{name}</b>{" "}
        {own && (
          <span className={fault ? "text-shu" : "text-ink-2"}>
            {fault ? t("fails") : own.length > 0 ? t("ready") : t("empty")}
          </span>
        )}
        <Facts endpoint={endpoint} models={fault ? undefined : own?.length} />
      </div>
      <span className="flex flex-wrap justify-end gap-2 slim:col-start-2 slim:justify-start slim:pt-1">
        {source === "settings" && (
          <Button small tone="quiet" aria-label={t("removeOf", { name })} onClick={remove}>
            {t("remove")}
          </Button>
        )}
        <Button small aria-label={t("testOf", { name })} disabled={isBusy} onClick={test}>
          {t("test")}
        </Button>
        {source === "settings" && (
          <Button small aria-label={t("editOf", { name })} onClick={onEdit}>
            {t("edit")}
          </Button>
        )}
      </span>
      <p
        role="status"
        className={
          said || result?.ok || fault?.reason
            ? "col-start-2 col-end-[-1] mt-1 max-w-150 wrap-anywhere"
            : "sr-only"
        }
      >
        {result?.ok && !isBusy
          ? t(result.listed === false ? "worksByHand" : "works", { count: result.models ?? 0 })
          : inWords(said ?? fault?.reason ?? "")}
      </p>
    </li>
  );
}

function Facts({ endpoint, models }: { endpoint: EndpointItem; models: number | undefined }) {
  const t = useTranslations("settings.models.endpoints");
  const { baseURL, keyEnd, headerNames, source } = endpoint;
  const facts = [
    baseURL,
    keyEnd !== null && t("key", { end: keyEnd }),
    headerNames.length > 0 && t("headers", { count: headerNames.length }),
    models !== undefined && models > 0 && t("models", { count: models }),
    source === "environment" && t("managed"),
  ].filter((fact) => fact !== false);
  return <small className="block text-micro wrap-anywhere text-ink-3">{facts.join(" · ")}</small>;
}

function useTest(id: string) {
  const errorText = useErrorText();
  const [result, setResult] = useState<ProviderTest | null>(null);
  const [isBusy, setBusy] = useState(false);
  const test = async () => {
    setBusy(true);
    setResult(await testProvider(id, {}).catch((error) => ({ ok: false, message: errorText(error) })));
    setBusy(false);
  };
  return { result, isBusy, test };
}
