"use client";

import { useState } from "react";
import { useTranslations } from "use-intl";
import { useAct } from "@/components/settings/use-act";
import { Button } from "@/components/ui/controls/button";
import { serverActions } from "@/lib/client/servers/server-actions";
import { useIsManaged } from "@/lib/client/servers/servers";
import type { McpApprovalForm, McpApprovalValue, McpServerItem } from "@/lib/protocol/mcp";
import { NeedLine } from "./need-line";

/** What would be started or connected. Values that would be sent to a server are agreed to one by one. */
export function ServerApproval({ server }: { server: McpServerItem }) {
  const { name, approvalForm: form, approvalHash, transport } = server;
  const t = useTranslations("settings.servers");
  const act = useAct();
  const isManaged = useIsManaged(server);
  const [agreed, setAgreed] = useState<ReadonlySet<string>>(new Set());
  const { sends = [], sendsTo = "" } = form;
  const agree = (variable: string, yes: boolean) =>
    setAgreed(
      (before) => new Set(yes ? [...before, variable] : [...before].filter((one) => one !== variable)),
    );
  return (
    <NeedLine>
      <div className="min-w-0 flex-1 basis-80 bg-shu-wash px-3 py-2 shadow-[inset_0_1px_var(--shu)] slim:basis-full">
        <Form form={form} />
        {sends.map((variable) => (
          <label key={variable} className="mt-1.5 flex items-start gap-2 text-shu">
            <input
              type="checkbox"
              className="mt-0.5"
              checked={agreed.has(variable)}
              onChange={(event) => agree(variable, event.target.checked)}
            />
            <span>
              {t.rich("sends", {
                name: variable,
                host: sendsTo,
                code: (text) => <code className="text-[12px]">{text}</code>,
              })}
            </span>
          </label>
        ))}
      </div>
      <Button
        tone="ink"
        disabled={sends.some((variable) => !agreed.has(variable))}
        onClick={() => act(() => serverActions.approve(name, approvalHash, sends))}
      >
        {t(transport === "http" ? "connect" : "run")}
      </Button>
      <Button disabled={isManaged} onClick={() => act(() => serverActions.enable(name, false))}>
        {t("refuse")}
      </Button>
    </NeedLine>
  );
}

/** Arguments with spaces are quoted, so that one sees where each begins and ends. */
function Form({
  form: { argv, env, cwd, url, headers, oauth, roots, sampling, privateHosts },
}: {
  form: McpApprovalForm;
}) {
  const t = useTranslations("settings.servers");
  return (
    <pre className="text-[12px] leading-5 whitespace-pre-wrap wrap-anywhere [&_em]:text-ink-3 [&_em]:not-italic">
      {url ?? argv?.map(quote).join(" ")}
      {"\n"}
      <Values label={t("env")} values={env} join="=" />
      <Values label={t("headers")} values={headers} join=": " />
      <Values label={t("oauth")} values={oauth} join=": " />
      {roots && roots.length > 0 && (
        <>
          <em>{t("roots")}</em> {roots.join(" ")}
          {"   "}
        </>
      )}
      {privateHosts && (
        <>
          <em>{t("privateHosts")}</em> {privateHosts.join(" ")}
          {"   "}
        </>
      )}
      {sampling && (
        <>
          <em>{t("sampling")}</em>
          {"   "}
        </>
      )}
      {cwd && (
        <>
          <em>{t("cwd")}</em> {cwd}
        </>
      )}
    </pre>
  );
}

/** One per line; literal values are dots. */
function Values({
  label,
  values = [],
  join,
}: {
  label: string;
  values?: McpApprovalValue[] | undefined;
  join: string;
}) {
  return values.map(({ name, value }) => (
    <span key={name}>
      <em>{label}</em> {`${name}${join}${value}\n`}
    </span>
  ));
}

const quote = (word: string) => (/^[\w@%+=:,./-]+$/.test(word) ? word : JSON.stringify(word));
