"use client";

import Link from "next/link";
import { type FormEvent, useId, useState } from "react";
import { useTranslations } from "use-intl";
import { Button } from "@/components/ui/controls/button";
import { Choice } from "@/components/ui/controls/choice";
import { useSentence } from "@/components/ui/words/sentences";
import { useErrorText } from "@/components/ui/words/use-error-text";
import { changeProvider, testProvider } from "@/lib/client/settings/settings";

const providers = [
  { value: "google", label: "Gemini" },
  { value: "anthropic", label: "Claude" },
  { value: "openai", label: "OpenAI" },
] as const;

type Provider = (typeof providers)[number]["value"];

/** Where only the demo answers: a key makes it a real model, in place. A key that is refused stays in its field. */
export default function ConnectModel() {
  const t = useTranslations("chat.empty.demo");
  const id = useId();
  const [provider, setProvider] = useState<Provider>("google");
  const [key, setKey] = useState("");
  const name = providers.find(({ value }) => value === provider)?.label ?? "";
  const { busy, fault, connect } = useConnect(provider, key);
  return (
    <form className="mt-6 text-mach" onSubmit={connect}>
      <p>
        <b className="font-semibold">{t("title")}</b> {t("text")}
      </p>
      <div className="mt-1 flex flex-wrap items-center gap-x-4">
        <Choice<Provider> label={t("provider")} options={providers} value={provider} onChange={setProvider} />
        <Link href="/settings/models" className="text-micro text-ink-3">
          {t("other")}
        </Link>
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
function useConnect(provider: Provider, apiKey: string) {
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
