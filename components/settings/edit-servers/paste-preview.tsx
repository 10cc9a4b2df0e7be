"use client";

import { useTranslations } from "use-intl";
import { FormRow } from "@/components/settings/form-row";
import { Field } from "@/components/ui/controls/field";
import { Switch } from "@/components/ui/controls/switch";
import { useSentence } from "@/components/ui/words/sentences";
import type { McpImport, McpImportServer } from "@/lib/protocol/mcp-file";
import { CommandWords } from "./command-words";
import { type Entered, wantedSecrets } from "./paste-secrets";

export interface PastePreviewProps {
  found: McpImport;
  encrypt: boolean;
  setEncrypt(encrypt: boolean): void;
  entered: Entered;
  setEntered(entered: Entered): void;
}

/** What was understood, what is missing, and what was left out. Nothing of it has been started. */
export function PastePreview({ found, encrypt, setEncrypt, entered, setEntered }: PastePreviewProps) {
  const t = useTranslations("settings.servers.pasteDialog");
  const inWords = useSentence();
  const fresh = found.servers.filter(({ exists }) => !exists);
  const inClear = fresh.flatMap(({ secrets }) => secrets).filter((secret) => secret.found);
  return (
    <>
      <section aria-label={t("preview")} aria-live="polite" className="mt-4 text-mach">
        <h3 className="mb-1 text-micro text-ink-3">{t(`form.${found.form}`)}</h3>
        <ul>
          {found.servers.map((server) => (
            <Line key={server.name} server={server} />
          ))}
        </ul>
        {fresh.length === 0 && <p className="py-2 text-ink-2">{t("nothing")}</p>}
        {found.notes.map((note) => (
          <p key={note} className="mt-1 text-ink-2 wrap-anywhere">
            {inWords(note)}
          </p>
        ))}
      </section>
      {inClear.length > 0 && (
        <div className="mt-4 rule-y">
          <FormRow
            label={t("encrypt", { count: inClear.length })}
            hint={t(encrypt ? "encrypted" : "inClear", {
              names: [...new Set(inClear.map(({ name }) => name))].join(", "),
            })}
          >
            {({ id, described }) => (
              <Switch
                id={id}
                checked={encrypt}
                label={t("encrypt", { count: inClear.length })}
                onChange={setEncrypt}
                {...described}
              />
            )}
          </FormRow>
        </div>
      )}
      <Missing {...{ found, entered, setEntered }} />
    </>
  );
}

function Line({ server: { name, config, exists, secrets } }: { server: McpImportServer }) {
  const t = useTranslations("settings.servers.pasteDialog");
  const env = Object.keys(config.env ?? config.headers ?? {});
  return (
    <li className="grid grid-cols-[120px_minmax(0,1fr)] gap-3 py-2 rule-t">
      <b className="truncate font-semibold" title={name}>
        {name}
      </b>
      {exists ? (
        <span className="text-ink-3">{t("exists")}</span>
      ) : (
        <div className="min-w-0">
          <CommandWords config={config} />
          {env.length > 0 && (
            <p className="text-micro text-ink-3 wrap-anywhere">
              {t(config.env ? "env" : "headers", { names: env.join(", ") })}
              {secrets.length > 0 && ` ${t("secrets", { count: secrets.length })}`}
            </p>
          )}
        </div>
      )}
    </li>
  );
}

function Missing({
  found,
  entered,
  setEntered,
}: Pick<PastePreviewProps, "found" | "entered" | "setEntered">) {
  const t = useTranslations("settings.servers.pasteDialog");
  const wanted = wantedSecrets(found);
  if (wanted.length === 0) return null;
  return (
    <fieldset className="mt-4 grid gap-3">
      <legend className="mb-2 text-mach">{t("missing")}</legend>
      {wanted.map(({ key, name, label, field, servers }) => (
        <Field
          key={key}
          label={label ? `${label} (${name})` : name}
          hint={t("missingHint", { field, servers: servers.join(", ") })}
          mono
          type="password"
          autoComplete="off"
          value={entered[key] ?? ""}
          onChange={(event) => setEntered({ ...entered, [key]: event.target.value })}
        />
      ))}
    </fieldset>
  );
}
