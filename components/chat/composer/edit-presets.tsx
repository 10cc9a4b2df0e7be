"use client";

import { useState } from "react";
import { createPortal } from "react-dom";
import { useTranslations } from "use-intl";
import { useAct } from "@/components/settings/use-act";
import { Button, IconButton } from "@/components/ui/controls/button";
import { Field } from "@/components/ui/controls/field";
import { Switch } from "@/components/ui/controls/switch";
import { Dialog } from "@/components/ui/layers/dialog";
import { isSameName, presetActions, usePresets } from "@/lib/client/servers/presets";
import type { ServerPreset } from "@/lib/protocol/choice";
import { PresetServers } from "./preset-servers";

/** The presets: their names, which of them new conversations begin with, and the way out for each. */
export default function EditPresets({ onClose }: { onClose(): void }) {
  const t = useTranslations("chat.presets");
  const common = useTranslations("common");
  const presets = usePresets().data?.items ?? [];
  // The way back stands in the dialog: what lies outside cannot be reached while it is open.
  const [deleted, setDeleted] = useState<readonly ServerPreset[]>([]);
  const act = useAct();
  const remove = async (preset: ServerPreset) => {
    if (await act(() => presetActions.remove(preset.id))) setDeleted((others) => [...others, preset]);
  };
  const restore = async ({ id, ...preset }: ServerPreset) => {
    if (await act(() => presetActions.add(preset)))
      setDeleted((others) => others.filter((other) => other.id !== id));
  };
  return createPortal(
    <Dialog
      title={t("editTitle")}
      lede={t("editLede")}
      closeLabel={common("close")}
      onClose={onClose}
      actions={<Button onClick={onClose}>{common("close")}</Button>}
    >
      {presets.length === 0 && <p className="text-mach text-ink-2">{t("none")}</p>}
      <ul aria-label={t("label")} className="grid gap-4">
        {presets.map((preset) => (
          <Row
            key={preset.id}
            preset={preset}
            onRemove={() => void remove(preset)}
            isTaken={(name) => presets.some((other) => other !== preset && isSameName(other.name, name))}
          />
        ))}
      </ul>
      <ul aria-live="polite" className="grid gap-2 text-mach text-ink-2">
        {deleted.map((preset) => (
          <li key={preset.id} className="mt-4 flex items-center gap-3">
            <span className="min-w-0 wrap-anywhere">{t("deleted", { name: preset.name })}</span>
            <Button small onClick={() => void restore(preset)}>
              {common("undo")}
            </Button>
          </li>
        ))}
      </ul>
    </Dialog>,
    document.body,
  );
}

interface RowProps {
  preset: ServerPreset;
  isTaken(name: string): boolean;
  onRemove(): void;
}

function Row({ preset, isTaken, onRemove }: RowProps) {
  const t = useTranslations("chat.presets");
  const act = useAct();
  const { id, name, servers } = preset;
  const [typed, setTyped] = useState(name);
  const fault = typed.trim() === "" ? t("needName") : isTaken(typed) ? t("taken") : undefined;
  const rename = () => {
    const next = typed.trim();
    if (!fault && next !== name) void act(() => presetActions.change(id, { name: next }));
  };
  return (
    <li aria-label={name} className="border-b border-rule pb-4 last:border-0 last:pb-0">
      <div className="flex items-start gap-2">
        <Field
          label={t("nameOf", { name })}
          hideLabel
          className="min-w-0 flex-1"
          autoComplete="off"
          maxLength={60}
          value={typed}
          error={fault}
          hint={<PresetServers servers={servers} />}
          onChange={({ target }) => setTyped(target.value)}
          onBlur={rename}
          onKeyDown={({ key, nativeEvent }) => {
            if (key === "Enter" && !nativeEvent.isComposing) rename();
          }}
        />
        <IconButton
          icon="trash"
          iconSize={14}
          label={t("delete", { name })}
          tipSide="right-edge"
          onClick={onRemove}
        />
      </div>
      <div className="mt-2 flex items-center gap-3 text-mach">
        <Switch
          checked={preset.default}
          label={t("beginWithName", { name })}
          onChange={(on) => void act(() => presetActions.change(id, { default: on }))}
        />
        <span aria-hidden="true">{t("beginWith")}</span>
      </div>
    </li>
  );
}
