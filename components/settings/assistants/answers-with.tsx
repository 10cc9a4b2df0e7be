"use client";

import { useId } from "react";
import { useLocale, useTranslations } from "use-intl";
import { Button } from "@/components/ui/controls/button";
import { Choice } from "@/components/ui/controls/choice";
import { fieldClass } from "@/components/ui/controls/field";
import { Switch } from "@/components/ui/controls/switch";
import { useAgents } from "@/lib/client/conversation/agents";
import { useModels } from "@/lib/client/conversation/models";
import { usePresets } from "@/lib/client/servers/presets";
import { useServers } from "@/lib/client/servers/servers";
import { efforts } from "@/lib/protocol/effort";
import type { AssistantDraft, AssistantErrors } from "./assistant-draft";

export interface AnswersWithProps {
  draft: AssistantDraft;
  errors: AssistantErrors;
  onChange(patch: Partial<AssistantDraft>): void;
}

/** The model, the workflow agent and the servers; what is chosen and is gone stays until the person takes it out. */
export function AnswersWith({ draft, errors, onChange }: AnswersWithProps) {
  const t = useTranslations("settings.assistants");
  const locale = useLocale();
  const words = useTranslations("common.effort");
  const models = useModels().data?.items ?? [];
  const known = models.find(({ id }) => id === draft.model)?.efforts ?? efforts;
  const agents = useAgents().data?.items ?? [];
  return (
    <>
      <Select
        label={t("model")}
        none={t("noModel")}
        options={models.map(({ id, name, provider }) => ({ value: id, label: `${name} · ${provider}` }))}
        value={draft.model}
        error={errors.model}
        onChange={(model) => onChange({ model })}
      />
      {(known.length > 0 || draft.effort !== "") && (
        <Select
          label={t("effort")}
          none={t("noEffort")}
          options={known.map((each) => ({ value: each, label: words(each) }))}
          value={draft.effort}
          error={errors.effort}
          onChange={(effort) => onChange({ effort })}
        />
      )}
      {(agents.length > 0 || draft.agent !== "") && (
        <Select
          label={t("agent")}
          none={t("noAgent")}
          options={agents.map(({ id, name }) => ({ value: id, label: locale === "ja" ? name.ja : name.en }))}
          value={draft.agent}
          error={errors.agent}
          onChange={(agent) => onChange({ agent })}
        />
      )}
      <Servers chosen={draft.servers} error={errors.servers} onChange={(servers) => onChange({ servers })} />
    </>
  );
}

interface SelectProps {
  label: string;
  /** What nothing means. */
  none: string;
  options: readonly { value: string; label: string }[];
  value: string;
  error: string | undefined;
  onChange(value: string): void;
}

function Select({ label, none, options, value, error, onChange }: SelectProps) {
  const t = useTranslations("settings.assistants");
  const id = useId();
  const isGone = value !== "" && options.every((option) => option.value !== value);
  const note = error ?? (isGone && options.length > 0 ? t("goneNote") : undefined);
  return (
    <div>
      <label htmlFor={id} className="mb-1 block text-mach text-ink-2">
        {label}
      </label>
      <select
        id={id}
        className={fieldClass()}
        value={value}
        aria-describedby={note && `${id}-note`}
        onChange={({ target }) => onChange(target.value)}
      >
        <option value="">{none}</option>
        {isGone && <option value={value}>{value}</option>}
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.label}
          </option>
        ))}
      </select>
      {note && (
        <p id={`${id}-note`} role={error && "alert"} className="mt-1 text-micro text-shu">
          {note}
        </p>
      )}
    </div>
  );
}

function Servers({
  chosen,
  error,
  onChange,
}: {
  chosen: readonly string[] | null;
  error: string | undefined;
  onChange(servers: readonly string[] | null): void;
}) {
  const t = useTranslations("settings.assistants");
  const id = useId();
  const there = useServers().data?.items;
  const presets = usePresets().data?.items ?? [];
  const items = there ?? [];
  const gone = there ? (chosen ?? []).filter((name) => items.every((server) => server.name !== name)) : [];
  const toggle = (name: string, isOn: boolean) =>
    onChange(isOn ? [...(chosen ?? []), name] : (chosen ?? []).filter((other) => other !== name));
  return (
    <div>
      <span id={id} className="mb-1 block text-mach text-ink-2">
        {t("servers")}
      </span>
      <Choice
        labelledBy={id}
        options={[
          { value: "any", label: t("anyServers") },
          { value: "own", label: t("ownServers") },
        ]}
        value={chosen === null ? "any" : "own"}
        onChange={(value) => onChange(value === "any" ? null : [])}
      />
      {chosen && presets.length > 0 && (
        <p className="mt-2 flex flex-wrap items-center gap-2 text-micro text-ink-3">
          {t("takePreset")}
          {presets.map((preset) => (
            <Button key={preset.id} tone="quiet" small onClick={() => onChange(preset.servers)}>
              {preset.name}
            </Button>
          ))}
        </p>
      )}
      {chosen && (
        <ul aria-labelledby={id} className="mt-2 text-mach rule-t">
          {[...items.map(({ name }) => name), ...gone].map((name) => (
            <li key={name} className="flex min-h-9 items-center justify-between gap-4 rule-b phone:min-h-11">
              <span className="min-w-0 wrap-anywhere">
                {name}
                {gone.includes(name) && <small className="text-micro text-shu"> {t("goneServer")}</small>}
              </span>
              <span className="flex items-center gap-4">
                <small className="text-micro text-ink-3">
                  {!gone.includes(name) &&
                    t("tools", { count: items.find((server) => server.name === name)?.tools.length ?? 0 })}
                </small>
                <Switch
                  label={name}
                  checked={chosen.includes(name)}
                  onChange={(isOn) => toggle(name, isOn)}
                />
              </span>
            </li>
          ))}
        </ul>
      )}
      {chosen?.length === 0 && <p className="mt-1 text-micro text-ink-3">{t("noServers")}</p>}
      {error && (
        <p role="alert" className="mt-1 text-micro text-shu">
          {error}
        </p>
      )}
    </div>
  );
}
