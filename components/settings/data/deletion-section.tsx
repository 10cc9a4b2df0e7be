"use client";

import { type FormEvent, useEffect, useId, useState } from "react";
import { useTranslations } from "use-intl";
import { Section } from "@/components/settings/section";
import { Button } from "@/components/ui/controls/button";
import { Field } from "@/components/ui/controls/field";
import { useErrorText } from "@/components/ui/words/use-error-text";
import { deleteEverything } from "@/lib/client/transfer/deletion";
import { stopImport } from "@/lib/client/transfer/imports";

const done = "deleted";

/** Everything goes at once and finally, so what goes and what stays is said before one types. */
export function DeletionSection() {
  const t = useTranslations("settings.data.deletion");
  const errorText = useErrorText();
  const said = useId();
  const [typed, setTyped] = useState("");
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const isDone = useDone();
  const words = t("words");
  const isMeant = plain(typed) === plain(words);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (!isMeant || isBusy) return;
    setBusy(true);
    setError(undefined);
    // Else closing this page would ask whether to stop it.
    stopImport();
    try {
      await deleteEverything();
      // Whole, so that nothing of what was shown stays in memory.
      window.location.replace(`${window.location.pathname}#${done}`);
      window.location.reload();
    } catch (cause) {
      setError(cause);
      setBusy(false);
    }
  };
  return (
    <Section title={t("title")} note={t("note")}>
      <div id={said} className="mb-4 grid max-w-140 gap-2 text-pretty text-ink-2">
        <p>{t.rich("goes", { b: (text) => <b className="font-semibold text-ink">{text}</b> })}</p>
        <p>{t.rich("stays", { b: (text) => <b className="font-semibold text-ink">{text}</b> })}</p>
      </div>
      <form onSubmit={submit} noValidate className="flex flex-wrap items-end gap-2">
        <Field
          className="w-65 phone:w-full"
          label={t("label", { words })}
          {...(error === undefined && { "aria-describedby": said })}
          autoComplete="off"
          autoCapitalize="off"
          spellCheck={false}
          readOnly={isBusy}
          value={typed}
          error={error === undefined ? undefined : errorText(error)}
          onChange={(event) => setTyped(event.target.value)}
        />
        <Button
          type="submit"
          className="phone:w-full phone:justify-center"
          disabled={!isMeant}
          aria-busy={isBusy}
        >
          {isBusy ? t("busy") : t("button")}
        </Button>
      </form>
      <p role="status" className="mt-2 text-ink-2 empty:hidden">
        {isDone && t("done")}
      </p>
    </Section>
  );
}

/** Said once, by the page that was loaded after it. */
function useDone(): boolean {
  const [isDone, setDone] = useState(false);
  useEffect(() => {
    if (window.location.hash !== `#${done}`) return;
    window.history.replaceState(window.history.state, "", window.location.pathname);
    setDone(true);
  }, []);
  return isDone;
}

/** As people type it: full-width letters and capitals are the same words. */
const plain = (text: string): string => text.normalize("NFKC").trim().replace(/\s+/g, " ").toLowerCase();
