"use client";

import { type FormEvent, useId, useState } from "react";
import { useTranslations } from "use-intl";
import { Button } from "@/components/ui/controls/button";
import { Choice } from "@/components/ui/controls/choice";
import { NearLink } from "@/components/ui/near-link";
import { useSentence } from "@/components/ui/words/sentences";
import { useErrorText } from "@/components/ui/words/use-error-text";
import { changeProvider, testProvider, useSettings } from "@/lib/client/settings/settings";

/** Where only the demo answers: a key makes it a real model, in place. A key that is refused stays in its field. */
export default function ConnectModel() {
  const t = useTranslations("chat.empty.demo");
  const id = useId();
  const { data } = useSettings();
  const [chosen, setChosen] = useState<string>();
  const [key, setKey] = useState("");
  const providers = (data?.providers ?? [])
    .filter(({ takesKey }) => takesKey)
    .map(({ id: value, shortName: label }) => ({ value, label }));
  const { value: provider = "", label: name = "" } =
    providers.find(({ value }) => value === chosen) ?? providers[0] ?? {};
  const { busy, fault, connect } = useConnect(provider, key);
  if (providers.length === 0) return null;
  return (
    <form className="mt-6 text-mach" onSubmit={connect}>
      <p>
        <b className="font-semibold">{t("title")}</b> {t("text")}
      </p>
      <div className="mt-1 flex flex-wrap items-center gap-x-4">
        <Choice label={t("provider")} options={providers} value={provider} onChange={setChosen} />
        <NearLink href="/settings/models" className="text-micro text-ink-3">
          {t("other")}
        </NearLink>
      </div>
      <div className="mt-1 flex gap-2">
        <input
          type="password"
          className="field w-full font-mono"
          autoComplete="off"
          aria-label={t("key", { name })}
          aria-describedby={id}
          aria-invalid={fault !== null || undefined}
          placeholder={t("key", { name })}
          value={key}
          onChange={({ target }) => setKey(target.value.trim())}
        />
        <Button type="submit" disabled={busy || key === ""}>
          {t("connect")}
        </Button>
      </div>
      <p id={id} role="status" className={fault ? "pt-1 text-micro text-shu" : "pt-1 text-micro text-ink-3"}>
        {busy ? t("testing") : (fault ?? t("kept", { name }))}
      </p>
    </form>
  );
}

/** Keeps a key that works. The demo gives way to its models by itself once they are there. */
function useConnect(provider: string, apiKey: string) {
  const inWords = useSentence();
  const errorText = useErrorText();
  const [busy, setBusy] = useState(false);
  const [fault, setFault] = useState<string | null>(null);
  const connect = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    setFault(null);
    try {
      const { ok, message = "" } = await testProvider(provider, { apiKey });
      if (ok) await changeProvider(provider, { apiKey });
      else setFault(inWords(message));
    } catch (error) {
      setFault(errorText(error));
    } finally {
      setBusy(false);
    }
  };
  return { busy, fault, connect: (event: FormEvent) => void connect(event) };
}
