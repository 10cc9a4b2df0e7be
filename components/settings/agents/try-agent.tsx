"use client";

import { useRouter } from "next/navigation";
import { type FormEvent, useState } from "react";
import { useTranslations } from "use-intl";
import { StateFields } from "@/components/state-fields";
import { Button } from "@/components/ui/controls/button";
import { TextArea } from "@/components/ui/controls/field";
import { useErrorText } from "@/components/ui/words/use-error-text";
import { tryAgent } from "@/lib/client/settings/agent-file";
import { type AgentItem, isMissing, saidIn } from "@/lib/protocol/agents";

/** Runs an agent as it is saved, in a new conversation. */
export function TryAgent({ agent, isDirty }: { agent: AgentItem; isDirty: boolean }) {
  const t = useTranslations("settings.agents.try");
  const errorText = useErrorText();
  const router = useRouter();
  const [text, setText] = useState("");
  const [values, setValues] = useState<Record<string, string>>({});
  const [error, setError] = useState<string>();
  const [busy, setBusy] = useState(false);
  const isReady = text.trim() !== "" && !isMissing(agent.state, values) && !isDirty && !busy;
  const begin = async (event: FormEvent) => {
    event.preventDefault();
    if (!isReady) return;
    setBusy(true);
    setError(undefined);
    try {
      router.push(
        `/c/${encodeURIComponent(await tryAgent(agent.id, text.trim(), saidIn(agent.state, values)))}`,
      );
    } catch (cause) {
      setError(errorText(cause));
      setBusy(false);
    }
  };
  return (
    <form className="grid gap-3 py-4 rule-t" aria-label={t("title")} noValidate onSubmit={begin}>
      <h3 className="text-[14px] font-semibold">{t("title")}</h3>
      <StateFields declared={agent.state} values={values} onChange={setValues} />
      <TextArea
        label={t("question")}
        error={error}
        hint={isDirty ? t("saveFirst") : t("hint")}
        rows={2}
        value={text}
        onChange={({ target }) => setText(target.value)}
      />
      <div>
        <Button type="submit" disabled={!isReady}>
          {t("go")}
        </Button>
      </div>
    </form>
  );
}
