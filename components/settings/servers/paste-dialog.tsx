"use client";

import { useEffect, useState } from "react";
import { useTranslations } from "use-intl";
import { Button } from "@/components/ui/button";
import { Dialog } from "@/components/ui/dialog";
import { TextArea } from "@/components/ui/field";
import { notify } from "@/components/ui/toast";
import { useErrorText } from "@/components/ui/use-error-text";
import { previewServers, serverActions } from "@/lib/client/servers";
import type { McpImport } from "@/lib/protocol/http";
import { quote } from "./entry-draft";

/** Takes a configuration as other programs keep it, shows what it would add, and adds it. */
export default function PasteDialog({ onClose }: { onClose(): void }) {
  const t = useTranslations("settings.servers.pasteDialog");
  const common = useTranslations("common");
  const errorText = useErrorText();
  const [text, setText] = useState("");
  const [failure, setFailure] = useState<string>();
  const [busy, setBusy] = useState(false);
  const { found, problem } = usePreview(text);
  const fresh = found?.servers.filter(({ exists }) => !exists) ?? [];

  const add = async () => {
    setBusy(true);
    try {
      await serverActions.addAll(Object.fromEntries(fresh.map(({ name, config }) => [name, config])));
      onClose();
      notify(t("added", { count: fresh.length }));
    } catch (error) {
      setFailure(errorText(error));
      setBusy(false);
    }
  };
  return (
    <Dialog
      title={t("title")}
      lede={t("lede")}
      width={640}
      closeLabel={common("close")}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>{common("cancel")}</Button>
          <Button tone="ink" disabled={busy || fresh.length === 0} onClick={add}>
            {t("submit", { count: fresh.length })}
          </Button>
        </>
      }
    >
      <TextArea
        label={t("field")}
        mono
        rows={10}
        value={text}
        error={failure ?? problem}
        placeholder={'{ "mcpServers": { "name": { "command": "npx", "args": ["-y", "…"] } } }'}
        onChange={(event) => {
          setText(event.target.value);
          setFailure(undefined);
        }}
      />
      {found && <Preview found={found} />}
    </Dialog>
  );
}

function Preview({ found }: { found: McpImport }) {
  const t = useTranslations("settings.servers.pasteDialog");
  const anyNew = found.servers.some(({ exists }) => !exists);
  return (
    <section aria-label={t("preview")} aria-live="polite" className="mt-4 text-mach">
      <h3 className="text-micro text-ink-3">{t("preview")}</h3>
      <ul>
        {found.servers.map(({ name, config, exists }) => (
          <li
            key={name}
            className="grid grid-cols-[120px_minmax(0,1fr)] gap-3 py-2 shadow-[inset_0_1px_var(--rule)]"
          >
            <b className="truncate font-semibold">{name}</b>
            {exists ? (
              <span className="text-ink-3">{t("exists")}</span>
            ) : (
              <code className="text-[12px] leading-5 [overflow-wrap:anywhere]">
                {config.url ?? [config.command ?? "", ...(config.args ?? [])].map(quote).join(" ")}
              </code>
            )}
          </li>
        ))}
      </ul>
      {!anyNew && <p className="py-2 text-ink-2">{t("nothing")}</p>}
      {found.notes.map((note) => (
        <p key={note} className="mt-1 text-ink-2">
          {note}
        </p>
      ))}
    </section>
  );
}

/** Asks the server what it understands, once the typing pauses; the server changes nothing. */
function usePreview(text: string): { found: McpImport | undefined; problem: string | undefined } {
  const errorText = useErrorText();
  const [answer, setAnswer] = useState<{ of: string; found?: McpImport; problem?: string }>();
  useEffect(() => {
    if (text.trim() === "") return;
    let dropped = false;
    const timer = setTimeout(async () => {
      const next = await previewServers(text).then(
        (found) => ({ of: text, found }),
        (error) => ({ of: text, problem: errorText(error) }),
      );
      if (!dropped) setAnswer(next);
    }, 250);
    return () => {
      dropped = true;
      clearTimeout(timer);
    };
  }, [text, errorText]);
  const current = answer?.of === text ? answer : undefined;
  return { found: current?.found, problem: current?.problem };
}
