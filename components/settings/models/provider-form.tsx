"use client";

import { type FormEvent, useId, useState } from "react";
import { useTranslations } from "use-intl";
import { Button } from "@/components/ui/controls/button";
import { Field } from "@/components/ui/controls/field";
import { Dialog } from "@/components/ui/layers/dialog";
import { notify } from "@/components/ui/toast";
import { useSentence } from "@/components/ui/words/sentences";
import { useErrorText } from "@/components/ui/words/use-error-text";
import { type Access, changeProvider, testProvider } from "@/lib/client/settings/settings";
import type { ProviderItem } from "@/lib/protocol/settings";

export interface ProviderFormProps {
  provider: ProviderItem;
  onClose(): void;
}

type Result = { ok: boolean; text: string };

/** Key and address of a provider. The key in force is not shown; a field that stays empty leaves it as it is. */
export default function ProviderForm({ provider, onClose }: ProviderFormProps) {
  const t = useTranslations("settings.models.providers");
  const common = useTranslations("common");
  const form = useId();
  const inWords = useSentence();
  const { keyEnd, baseURL, takesKey } = provider;
  const name = inWords(provider.name);
  const [apiKey, setKey] = useState("");
  const [address, setAddress] = useState(baseURL ?? "");
  const { result, busy, test, save } = useAccess(provider, { apiKey, address }, () => {
    onClose();
    notify(t("saved", { name }));
  });
  return (
    <Dialog
      title={name}
      lede={inWords(provider.help)}
      closeLabel={common("close")}
      onClose={onClose}
      actions={
        <>
          <Button className="mr-auto" disabled={busy} onClick={test}>
            {t("test")}
          </Button>
          <Button onClick={onClose}>{common("cancel")}</Button>
          <Button tone="ink" type="submit" form={form} disabled={busy}>
            {t("save")}
          </Button>
        </>
      }
    >
      <form
        id={form}
        className="grid gap-4"
        noValidate
        onSubmit={(event: FormEvent) => {
          event.preventDefault();
          void save();
        }}
      >
        {takesKey && (
          <Field
            label={t("keyLabel")}
            hint={keyEnd ? t("keyKept", { end: keyEnd }) : t("keyHint")}
            type="password"
            mono
            autoComplete="off"
            value={apiKey}
            onChange={(event) => setKey(event.target.value.trim())}
          />
        )}
        <Field
          label={t("addressLabel")}
          hint={inWords(provider.addressHint)}
          type="url"
          mono
          autoComplete="off"
          value={address}
          onChange={(event) => setAddress(event.target.value.trim())}
        />
        <p role="status" className={result && !result.ok ? "text-mach text-shu" : "text-mach text-ink-2"}>
          {busy ? t("testing") : result?.text}
        </p>
      </form>
    </Dialog>
  );
}

/** Tests and saves the contents of the fields. */
function useAccess(
  { id, baseURL }: ProviderItem,
  { apiKey, address }: { apiKey: string; address: string },
  onSaved: () => void,
) {
  const t = useTranslations("settings.models.providers");
  const errorText = useErrorText();
  const [result, setResult] = useState<Result | null>(null);
  const [busy, setBusy] = useState(false);
  const access: Access = {
    ...(apiKey && { apiKey }),
    ...(address !== (baseURL ?? "") && { baseURL: address || null }),
  };
  const doing = async (work: () => Promise<Result | null>) => {
    setBusy(true);
    setResult(await work().catch((error) => ({ ok: false, text: errorText(error) })));
    setBusy(false);
  };
  return {
    result,
    busy,
    test: () =>
      doing(async () => {
        const { ok, models = 0, message = "" } = await testProvider(id, access);
        return { ok, text: ok ? t("works", { count: models }) : message };
      }),
    save: () =>
      doing(async () => {
        await changeProvider(id, access);
        onSaved();
        return null;
      }),
  };
}
