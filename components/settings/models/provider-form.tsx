"use client";

import { useState } from "react";
import { useTranslations } from "use-intl";
import { Field } from "@/components/ui/controls/field";
import { notify } from "@/components/ui/toast";
import { useSentence } from "@/components/ui/words/sentences";
import { useErrorText } from "@/components/ui/words/use-error-text";
import { type Access, changeProvider, testProvider } from "@/lib/client/settings/settings";
import type { ProviderItem } from "@/lib/protocol/settings";
import { AccessDialog } from "./access-dialog";

export interface ProviderFormProps {
  provider: ProviderItem;
  onClose(): void;
}

type Result = { ok: boolean; text: string };

/** Key and address of a provider. The key in force is not shown; a field that stays empty leaves it as it is. */
export default function ProviderForm({ provider, onClose }: ProviderFormProps) {
  const t = useTranslations("settings.models.providers");
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
    <AccessDialog
      title={name}
      lede={inWords(provider.help)}
      isBusy={busy}
      result={result}
      onTest={() => void test()}
      onSave={() => void save()}
      onClose={onClose}
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
    </AccessDialog>
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
