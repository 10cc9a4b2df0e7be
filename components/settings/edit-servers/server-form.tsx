"use client";

import { type FormEvent, lazy, Suspense, useId, useState } from "react";
import { useTranslations } from "use-intl";
import { FormRow } from "@/components/settings/form-row";
import { Button } from "@/components/ui/controls/button";
import { Field } from "@/components/ui/controls/field";
import { Switch } from "@/components/ui/controls/switch";
import { Dialog } from "@/components/ui/layers/dialog";
import { notify } from "@/components/ui/toast";
import { useAccount, useIsAdmin } from "@/components/ui/words/account";
import { useErrorText } from "@/components/ui/words/use-error-text";
import { serverActions } from "@/lib/client/servers/server-actions";
import type { McpServerConfig, McpServerItem } from "@/lib/protocol/mcp";
import { type EntryDraft, type EntryFault, fromDraft, isFault, toDraft } from "./entry-draft";
import { EntryFields } from "./entry-fields";
import { findProblems } from "./entry-problems";

const JsonEditor = lazy(() => import("./json-editor"));

export interface ServerFormProps {
  /** The server that is edited; without it one is added. */
  server?: McpServerItem;
  onClose(): void;
}

type Fault = { field: keyof EntryDraft | "name" | "json" | "all"; text: string };

/** One server's entry, as a form or as the JSON of the file. */
export default function ServerForm({ server, onClose }: ServerFormProps) {
  const t = useTranslations("settings.servers");
  const common = useTranslations("common");
  const errorText = useErrorText();
  const form = useId();
  const [name, setName] = useState(server?.name ?? "");
  const isAdmin = useIsAdmin();
  const isAlone = useAccount() === null;
  const isOwn = server ? server.owner !== "operator" : !isAdmin;
  const [draft, setDraft] = useState(() => toDraft(server?.config, isOwn ? "http" : undefined));
  const [json, setJson] = useState<string | null>(null);
  const [fault, setFault] = useState<Fault | null>(null);
  const [busy, setBusy] = useState(false);
  // What is there already stays where it is, unless told: in another form it would wait for a new approval.
  const [encrypt, setEncrypt] = useState(!server);
  const readEntry = useReadEntry(server?.config);

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (!/^[\w-]{1,64}$/.test(name)) return setFault({ field: "name", text: t("form.needName") });
    const entry = readEntry(draft, json);
    if ("text" in entry) return setFault(entry);
    setBusy(true);
    try {
      await (server
        ? serverActions.change(name, entry.config, encrypt)
        : serverActions.add(name, entry.config, encrypt));
      onClose();
      notify(t(server ? "saved" : isOwn ? "addedOwn" : "added", { name }));
    } catch (error) {
      setFault({ field: "all", text: errorText(error) });
      setBusy(false);
    }
  };
  const swap = () => {
    if (json === null) {
      const entry = fromDraft(draft, server?.config);
      return setJson(JSON.stringify(isFault(entry) ? {} : entry, null, 2));
    }
    const entry = readEntry(draft, json);
    if ("text" in entry) return setFault(entry);
    setDraft(toDraft(entry.config));
    setJson(null);
    setFault(null);
  };
  const wrong = (field: Fault["field"]) => (fault?.field === field ? fault.text : undefined);

  return (
    <Dialog
      title={server ? t("form.editTitle", { name }) : t("form.addTitle")}
      lede={t(isOwn ? "form.ownLede" : server ? "form.editLede" : "form.lede")}
      closeLabel={common("close")}
      onClose={onClose}
      actions={
        <>
          <Button tone="quiet" className="mr-auto" onClick={swap}>
            {t(json === null ? "form.asJson" : "form.asForm")}
          </Button>
          <Button onClick={onClose}>{common("cancel")}</Button>
          <Button tone="ink" type="submit" form={form} disabled={busy}>
            {t(server ? "form.submitSave" : "form.submitAdd")}
          </Button>
        </>
      }
    >
      <form id={form} className="grid gap-4" onSubmit={submit} noValidate>
        {!server && (
          <Field
            label={t("form.name")}
            hint={t("form.nameHint")}
            error={wrong("name")}
            value={name}
            onChange={(event) => setName(event.target.value.trim())}
            autoComplete="off"
          />
        )}
        {json === null ? (
          <EntryFields
            draft={draft}
            onChange={setDraft}
            wrong={wrong}
            masked={Boolean(server)}
            isRemote={isOwn}
            hasPeople={!isAlone && !isOwn}
          />
        ) : (
          <Suspense fallback={<div className="min-h-70" />}>
            <JsonEditor
              label={t("form.json")}
              hint={server && t("form.masked")}
              error={wrong("json")}
              value={json}
              onChange={(text) => {
                setJson(text);
                setFault(null);
              }}
            />
          </Suspense>
        )}
        <FormRow label={t("form.encrypt")} hint={t(isOwn ? "form.encryptOwnHint" : "form.encryptHint")}>
          {({ id, described }) => (
            <Switch
              id={id}
              checked={encrypt}
              label={t("form.encrypt")}
              onChange={setEncrypt}
              {...described}
            />
          )}
        </FormRow>
        {fault?.field === "all" && (
          <p role="alert" className="text-mach text-shu">
            {fault.text}
          </p>
        )}
      </form>
    </Dialog>
  );
}

/** The entry that was entered as a form or as JSON, or what is wrong with it in words. */
function useReadEntry(before: McpServerConfig | undefined) {
  const t = useTranslations("settings.servers.form");
  return (draft: EntryDraft, json: string | null): { config: McpServerConfig } | Fault => {
    if (json !== null) {
      try {
        const entry: unknown = JSON.parse(json);
        // What JSON.parse takes in silence: of two the last one, and a name that no object may have.
        const bad = findProblems(json).find(({ code }) => code === "twice" || code === "proto");
        if (bad) return { field: "json", text: t("jsonMarked") };
        if (typeof entry === "object" && entry !== null && !Array.isArray(entry))
          return { config: entry as McpServerConfig };
        return { field: "json", text: t("jsonObject") };
      } catch (error) {
        return {
          field: "json",
          text: t("jsonWrong", { reason: error instanceof Error ? error.message : "" }),
        };
      }
    }
    const entry = fromDraft(draft, before);
    return isFault(entry) ? { field: entry.field, text: faultText(entry) } : { config: entry };
  };

  function faultText({ reason, line }: EntryFault): string {
    switch (reason) {
      case "badEnv":
      case "badHeader":
        return t(reason, { line: line ?? 1 });
      case "needCommand":
      case "needUrl":
      case "badTimeout":
      case "openQuote":
        return t(reason);
    }
  }
}
