"use client";

import { useRef, useState } from "react";
import { useTranslations } from "use-intl";
import { LoadState } from "@/components/settings/load-state";
import { PageHead } from "@/components/settings/page-head";
import { cn } from "@/components/ui/cn";
import { Button } from "@/components/ui/controls/button";
import { notifyFailure } from "@/components/ui/toast";
import { findAssistant, refreshAssistants, useAssistants } from "@/lib/client/conversation/assistants";
import { keepDraft } from "./assistant-draft";
import { isFault, readFile } from "./assistant-file";
import { AssistantForm } from "./assistant-form";
import { AssistantList } from "./assistant-list";

export function AssistantsPage({ asked }: { asked: string | null }) {
  const t = useTranslations("settings.assistants");
  const { data, error } = useAssistants();
  /** "new": the one that is being made; null: none. */
  const [open, setOpen] = useState<string | null>(asked);
  /** Fills the form anew where a file was read into one that is open already. */
  const [reads, setReads] = useState(0);
  const newButton = useRef<HTMLButtonElement>(null);
  const chosen = findAssistant(open, data);
  const isOpen = open === "new" || chosen !== undefined;
  const bringIn = async (file: File) => {
    const read = await readFile(file);
    if (isFault(read)) return notifyFailure(t(`fault.${read}`, { name: file.name }));
    keepDraft("new", read);
    setReads((count) => count + 1);
    setOpen("new");
  };
  const close = () => {
    setOpen(null);
    newButton.current?.focus();
  };
  return (
    <>
      <PageHead title={t("title")} lede={<p>{t("lede")}</p>}>
        <ImportButton onFile={bringIn} />
        <Button ref={newButton} icon="plus" onClick={() => setOpen("new")}>
          {t("new")}
        </Button>
      </PageHead>
      {!data && <LoadState error={error} onRetry={refreshAssistants} />}
      {data && (
        <div className="grid grid-cols-[minmax(0,280px)_minmax(0,1fr)] gap-x-8 pt-3 rule-t mid:grid-cols-1">
          <div className={cn(isOpen && "mid:hidden")}>
            <AssistantList assistants={data.items} open={open} onOpen={setOpen} />
          </div>
          <div className="min-w-0">
            {isOpen && (
              <AssistantForm key={`${open}-${reads}`} assistant={chosen} onSaved={setOpen} onClose={close} />
            )}
          </div>
        </div>
      )}
    </>
  );
}

function ImportButton({ onFile }: { onFile(file: File): Promise<void> }) {
  const t = useTranslations("settings.assistants");
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <Button onClick={() => input.current?.click()}>{t("import")}</Button>
      <input
        ref={input}
        type="file"
        hidden
        accept="application/json,.json"
        onChange={({ target }) => {
          const file = target.files?.[0];
          if (file) void onFile(file);
          target.value = "";
        }}
      />
    </>
  );
}
