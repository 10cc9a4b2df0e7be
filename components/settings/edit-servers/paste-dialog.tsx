"use client";

import { useEffect, useState } from "react";
import { useTranslations } from "use-intl";
import { Button } from "@/components/ui/controls/button";
import { TextArea } from "@/components/ui/controls/field";
import { Dialog } from "@/components/ui/layers/dialog";
import { notify } from "@/components/ui/toast";
import { useErrorText } from "@/components/ui/words/use-error-text";
import { previewServers, serverActions } from "@/lib/client/servers/server-actions";
import { type McpImport, maxConfigCharacters } from "@/lib/protocol/mcp-file";
import { aboutLength } from "./about-length";
import { PastePreview } from "./paste-preview";
import { type Entered, secretsToSend } from "./paste-secrets";

/** Takes a configuration as other programs keep it, shows what it would add, and adds it. */
export default function PasteDialog({ onClose }: { onClose(): void }) {
  const t = useTranslations("settings.servers.pasteDialog");
  const common = useTranslations("common");
  const errorText = useErrorText();
  const [text, setText] = useState("");
  const [failure, setFailure] = useState<string>();
  const [busy, setBusy] = useState(false);
  const [encrypt, setEncrypt] = useState(true);
  const [entered, setEntered] = useState<Entered>({});
  const { found, problem } = usePreview(text);
  const fresh = found?.servers.filter(({ exists }) => !exists) ?? [];

  const add = async () => {
    if (!found) return;
    setBusy(true);
    try {
      const only = fresh.map(({ name }) => name);
      await serverActions.addPasted({ text, encrypt, only, secrets: secretsToSend(found, entered) });
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
      {found && <PastePreview {...{ found, encrypt, setEncrypt, entered, setEntered }} />}
    </Dialog>
  );
}

/** Asks the server what it understands, once the typing pauses; the server changes nothing. */
function usePreview(text: string): { found: McpImport | undefined; problem: string | undefined } {
  const t = useTranslations("settings.servers.pasteDialog");
  const errorText = useErrorText();
  const [answer, setAnswer] = useState<{ of: string; found?: McpImport; problem?: string }>();
  const isTooLong = text.length > maxConfigCharacters;
  useEffect(() => {
    if (text.trim() === "" || isTooLong) return;
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
  }, [text, isTooLong, errorText]);
  if (isTooLong) {
    const problem = t("tooLong", { size: aboutLength(text), max: maxConfigCharacters });
    return { found: undefined, problem };
  }
  const current = answer?.of === text ? answer : undefined;
  return { found: current?.found, problem: current?.problem };
}
