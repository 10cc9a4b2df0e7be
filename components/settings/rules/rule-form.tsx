"use client";

import { type FormEvent, useId, useState } from "react";
import { useTranslations } from "use-intl";
import { Section } from "@/components/settings/section";
import { useAct } from "@/components/settings/use-act";
import { cn } from "@/components/ui/cn";
import { Button } from "@/components/ui/controls/button";
import { Field, fieldClass } from "@/components/ui/controls/field";
import { useServers } from "@/lib/client/servers/servers";
import { changeSettings } from "@/lib/client/settings/settings";
import type { RuleCondition, ToolRule } from "@/lib/protocol/settings";
import { exactPattern, matchesGlob, meets, serverPattern } from "@/lib/protocol/tool-rules";
import { ConditionChoice, EffectChoice } from "./effect-choice";

/** One more rule, with what its pattern names now. */
export function RuleForm({ rules }: { rules: readonly ToolRule[] }) {
  const t = useTranslations("settings.rules.form");
  const act = useAct();
  const list = useId();
  const [pattern, setPattern] = useState("");
  const [effect, setEffect] = useState<ToolRule["effect"]>("ask");
  const [when, setWhen] = useState<RuleCondition>();
  const [from, setFrom] = useState("");
  const [isWrong, setWrong] = useState(false);
  const patterns = usePatterns();
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const isPattern = /^mcp:[^:]+:.+$/.test(pattern);
    setWrong(!isPattern);
    if (!isPattern) return;
    const added = { pattern, effect, ...(when && { when }), ...(from && { from }) };
    const others = rules.filter(
      (rule) => rule.pattern !== pattern || rule.when !== when || rule.from !== added.from,
    );
    if (await act(() => changeSettings({ rules: [...others, added] }))) setPattern("");
  };
  return (
    <Section title={t("title")} note={t("hint")}>
      <form onSubmit={submit} noValidate>
        <div className="flex flex-wrap items-start gap-x-4 gap-y-2">
          <Field
            className="basis-full"
            label={t("pattern")}
            hideLabel
            error={isWrong ? t("needPattern") : undefined}
            mono
            list={list}
            autoComplete="off"
            spellCheck={false}
            placeholder="mcp:filesystem:*"
            value={pattern}
            onChange={({ target }) => {
              setWrong(false);
              setPattern(target.value.trim());
            }}
          />
          <datalist id={list}>
            {patterns.map((known) => (
              <option key={known} value={known} />
            ))}
          </datalist>
          <div className="flex min-h-8 basis-full items-center">
            <ConditionChoice value={when} onChange={setWhen} />
          </div>
          <FromChoice
            value={from}
            onChange={(server) => {
              setFrom(server);
              if (server !== "" && effect === "plan") setEffect("ask");
            }}
          />
          <div className="flex min-h-8 items-center gap-4">
            <EffectChoice label={t("effect")} isFlow={from !== ""} value={effect} onChange={setEffect} />
            <Button type="submit">{t("add")}</Button>
          </div>
        </div>
        <p className="mt-1 min-h-4 text-micro text-ink-3" role="status">
          {pattern.includes(":") && <Matches rule={{ pattern, ...(when && { when }) }} always />}
        </p>
      </form>
    </Section>
  );
}

/** Whether a rule is about calls, or about what one server has returned in them. */
function FromChoice({ value, onChange }: { value: string; onChange(server: string): void }) {
  const t = useTranslations("settings.rules.from");
  const { data } = useServers();
  return (
    <select
      aria-label={t("label")}
      className={cn(fieldClass(), "w-auto min-w-0 flex-1 basis-48")}
      value={value}
      onChange={({ target }) => onChange(target.value)}
    >
      <option value="">{t("calls")}</option>
      {(data?.items ?? []).map(({ name }) => (
        <option key={name} value={name}>
          {t("server", { server: name })}
        </option>
      ))}
    </select>
  );
}

/** How many connected tools a pattern names; nothing where it is one, as the pattern says that itself. */
export function Matches({ rule, always }: { rule: Omit<ToolRule, "effect">; always?: boolean }) {
  const t = useTranslations("settings.rules.form");
  const { data } = useServers();
  if (!data) return null;
  const names = data.items.flatMap(({ name, tools }) =>
    tools
      .filter((tool) => matchesGlob(rule.pattern, exactPattern(name, tool.name)) && meets(tool, rule.when))
      .map((tool) => `${name} · ${tool.name}`),
  );
  if (!always && names.length === 1) return null;
  return (
    <small className="block text-micro text-ink-3 wrap-anywhere">
      {t(always ? "matches" : "matchCount", { count: names.length })}
      {always &&
        names.length > 0 &&
        ` ${names.slice(0, shown).join(", ")}${names.length > shown ? ", …" : ""}`}
    </small>
  );
}

const shown = 6;

/** What can be meant: all tools of each server, and each tool. */
function usePatterns(): string[] {
  const { data } = useServers();
  return (data?.items ?? []).flatMap(({ name, tools }) => [
    serverPattern(name),
    ...tools.map((tool) => exactPattern(name, tool.name)),
  ]);
}
