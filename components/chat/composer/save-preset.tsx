"use client";

import { type FormEvent, useId, useState } from "react";
import { createPortal } from "react-dom";
import { useTranslations } from "use-intl";
import { Button } from "@/components/ui/controls/button";
import { Field } from "@/components/ui/controls/field";
import { Switch } from "@/components/ui/controls/switch";
import { Dialog } from "@/components/ui/layers/dialog";
import { notify } from "@/components/ui/toast";
import { useErrorText } from "@/components/ui/words/use-error-text";
import { isSameName, presetActions, usePresets } from "@/lib/client/servers/presets";
import { PresetServers } from "./preset-servers";

/** Keeps servers as a preset; under a name that is there already it takes that one's place, and says so before. */
export default function SavePreset({ servers, onClose }: { servers: readonly string[]; onClose(): void }) {
  const t = useTranslations("chat.presets");
  const common = useTranslations("common");
  const errorText = useErrorText();
  const form = useId();
  const presets = usePresets().data?.items ?? [];
  const [name, setName] = useState("");
  const [isDefault, setDefault] = useState(false);
  const [fault, setFault] = useState<string>();
  const [busy, setBusy] = useState(false);
  const same = presets.find((preset) => isSameName(preset.name, name));
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    // The message field's own form stands above this one for React.
    event.stopPropagation();
    if (name.trim() === "") return setFault(t("needName"));
    setBusy(true);
    try {
      const content = { servers: [...servers], ...(isDefault && { default: true }) };
      await (same
        ? presetActions.change(same.id, content)
        : presetActions.add({ default: false, ...content, name: name.trim() }));
      onClose();
      notify(t("saved", { name: same?.name ?? name.trim() }));
    } catch (error) {
      setFault(errorText(error));
      setBusy(false);
    }
  };
  return createPortal(
    <Dialog
      title={t("saveTitle")}
      lede={<PresetServers servers={servers} />}
      width={440}
      closeLabel={common("close")}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>{common("cancel")}</Button>
          <Button tone="ink" type="submit" form={form} disabled={busy}>
            {t(same ? "replace" : "save")}
          </Button>
        </>
      }
    >
      <form id={form} className="grid gap-4" onSubmit={submit} noValidate>
        <Field
          label={t("name")}
          autoComplete="off"
          maxLength={60}
          value={name}
          error={fault}
          hint={same ? t("replaces", { name: same.name }) : t("nameHint")}
          onChange={({ target }) => {
            setName(target.value);
            setFault(undefined);
          }}
        />
        <div className="flex items-start gap-3 text-mach">
          <Switch checked={isDefault} label={t("beginWith")} onChange={setDefault} />
          <p>{t("beginWith")}</p>
        </div>
      </form>
    </Dialog>,
    document.body,
  );
}
