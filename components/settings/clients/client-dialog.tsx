"use client";

import { useRef, useState } from "react";
import { useTranslations } from "use-intl";
import { ServerChecks } from "@/components/server-checks";
import { FormDialog } from "@/components/settings/form-dialog";
import { FormRow } from "@/components/settings/form-row";
import { useFieldErrors } from "@/components/settings/use-field-errors";
import { Check } from "@/components/ui/controls/check";
import { Choice } from "@/components/ui/controls/choice";
import { Field } from "@/components/ui/controls/field";
import { makeToken } from "@/lib/client/settings/tokens";
import { maxTokenName, type NewApiToken, type TokenOptions } from "@/lib/protocol/api-tokens";

/** Days; null: it does not end. */
const lives = { days30: 30, days90: 90, year: 365, never: null } as const;
type Life = keyof typeof lives;
const allLives: readonly Life[] = ["days30", "days90", "year", "never"];

export interface ClientDialogProps {
  onClose(): void;
  onMade(token: NewApiToken): void;
}

/** Which servers another program reaches, what becomes of calls that must ask, and for how long. */
export function ClientDialog({ onClose, onMade }: ClientDialogProps) {
  const t = useTranslations("settings.clients");
  const [name, setName] = useState("");
  const [servers, setServers] = useState<readonly string[]>([]);
  const [mayChat, setMayChat] = useState(false);
  const [onApproval, setOnApproval] = useState<"wait" | "fail">("wait");
  const [names, setNames] = useState<"qualified" | "plain">("qualified");
  const [life, setLife] = useState<Life>("days90");
  const nameField = useRef<HTMLInputElement>(null);
  const { errors, setErrors, attempt } = useFieldErrors(["name", "servers"]);
  const isPlain = names === "plain" && servers.length === 1;
  const make = async () => {
    const isNamed = name.trim() !== "";
    const reaches = servers.length > 0 || mayChat;
    setErrors({ ...(!isNamed && { name: t("needName") }), ...(!reaches && { servers: t("needServer") }) });
    if (!isNamed) nameField.current?.focus();
    if (!isNamed || !reaches) return;
    const options: TokenOptions = {
      ...{ servers: [...servers], onApproval },
      ...(isPlain && { names: "plain" }),
    };
    const made = await attempt(() =>
      makeToken({
        ...{ name: name.trim(), scopes: mayChat ? ["mcp", "chat"] : ["mcp"], expiresAt: endOf(life) },
        ...options,
      }),
    );
    if (made) onMade(made);
  };
  return (
    <FormDialog title={t("add")} lede={t("addNote")} makeLabel={t("make")} onMake={make} onClose={onClose}>
      <Field
        ref={nameField}
        label={t("name")}
        hint={t("nameHint")}
        error={errors.name}
        autoComplete="off"
        maxLength={maxTokenName}
        value={name}
        onChange={({ target }) => setName(target.value)}
      />
      <ServerChecks
        legend={t("reaches")}
        none={t("noServers")}
        tools={(count) => t("tools", { count })}
        error={errors.servers}
        chosen={servers}
        onChange={setServers}
      />
      <div className="mt-2 text-mach">
        <Check isChosen={mayChat} isOff={false} onChange={setMayChat}>
          <span className="font-semibold">{t("mayChat")}</span>{" "}
          <span className="text-ink-3">{t("mayChatNote")}</span>
        </Check>
      </div>
      <div className="mt-3">
        <FormRow label={t("asks")} hint={t("asksHint")} isGroup>
          {({ labelId }) => (
            <Choice<"wait" | "fail">
              labelledBy={labelId}
              options={(["wait", "fail"] as const).map((value) => ({ value, label: t(`ask.${value}`) }))}
              value={onApproval}
              onChange={setOnApproval}
            />
          )}
        </FormRow>
        {servers.length === 1 && (
          <FormRow label={t("names")} isGroup>
            {({ labelId }) => (
              <Choice<"qualified" | "plain">
                labelledBy={labelId}
                options={[
                  { value: "qualified", label: `${servers[0]}__tool` },
                  { value: "plain", label: t("plain") },
                ]}
                value={names}
                onChange={setNames}
              />
            )}
          </FormRow>
        )}
        <FormRow label={t("ends")} isGroup>
          {({ labelId }) => (
            <Choice<Life>
              labelledBy={labelId}
              options={allLives.map((value) => ({ value, label: t(`lives.${value}`) }))}
              value={life}
              onChange={setLife}
            />
          )}
        </FormRow>
      </div>
    </FormDialog>
  );
}

function endOf(life: Life): string | null {
  const days = lives[life];
  return days === null ? null : new Date(Date.now() + days * 24 * 3_600_000).toISOString();
}
