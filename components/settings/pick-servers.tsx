"use client";

import { useId } from "react";
import { useTranslations } from "use-intl";
import { Button } from "@/components/ui/controls/button";
import { Choice } from "@/components/ui/controls/choice";
import { Switch } from "@/components/ui/controls/switch";
import { usePresets } from "@/lib/client/servers/presets";
import { useServers } from "@/lib/client/servers/servers";

/** The servers that models may use: those that a conversation begins with, or some. */
export function PickServers({
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
