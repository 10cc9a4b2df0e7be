"use client";

import { useEffect, useState } from "react";
import { useTranslations } from "use-intl";
import { CodeBlock } from "@/components/ui/code/code-block";
import { Button } from "@/components/ui/controls/button";
import { Choice } from "@/components/ui/controls/choice";
import { CopyButton } from "@/components/ui/controls/copy-button";
import { Field } from "@/components/ui/controls/field";
import { Dialog } from "@/components/ui/layers/dialog";
import { Ring } from "@/components/ui/ring";
import {
  type ClientKind,
  clientKinds,
  fileOf,
  snippetFor,
  tokenVariable,
} from "@/lib/client/settings/clients";
import { refreshTokens, useTokens } from "@/lib/client/settings/tokens";
import type { NewApiToken } from "@/lib/protocol/api-tokens";

/** The token of a new client, shown this once, and what is pasted into the program. */
export function ClientMade({ token, url, onClose }: { token: NewApiToken; url: string; onClose(): void }) {
  const t = useTranslations("settings.clients");
  const common = useTranslations("common");
  const [kind, setKind] = useState<ClientKind>("claude");
  const file = fileOf[kind];
  return (
    <Dialog
      title={token.name}
      lede={t("madeNote")}
      width={560}
      closeLabel={common("close")}
      onClose={onClose}
      closesBeside={false}
      actions={
        <>
          <Called id={token.id} />
          <Button tone="ink" onClick={onClose}>
            {common("done")}
          </Button>
        </>
      }
    >
      <div className="flex items-end gap-2">
        <Field
          className="min-w-0 flex-1"
          label={t("token")}
          mono
          readOnly
          value={token.value}
          onFocus={(event) => event.target.select()}
        />
        <CopyButton label={t("copy")} text={() => token.value} />
      </div>
      <div className="mt-4 mb-2">
        <Choice<ClientKind>
          label={t("program")}
          options={clientKinds.map((value) => ({ value, label: t(`kinds.${value}`) }))}
          value={kind}
          onChange={setKind}
        />
      </div>
      <CodeBlock {...(file && { language: file })}>
        <code>{snippetFor(kind, url)}</code>
      </CodeBlock>
      <p className="mt-2 meta">{t(`keep.${kind}`, { variable: tokenVariable })}</p>
    </Dialog>
  );
}

const lookMs = 2_000;

/** Whether the program has been here; its token says so. */
function Called({ id }: { id: string }) {
  const t = useTranslations("settings.clients");
  useEffect(() => {
    const timer = setInterval(() => void refreshTokens(), lookMs);
    return () => clearInterval(timer);
  }, []);
  const used = useTokens().data?.items.find((each) => each.id === id)?.lastUsedAt ?? null;
  return (
    <p role="status" className="mr-auto flex items-center gap-2 text-mach text-ink-2">
      <Ring state={used === null ? "run" : "done"} size={16} />
      {t(used === null ? "notCalled" : "called")}
    </p>
  );
}
