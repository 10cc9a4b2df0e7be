"use client";

import { useTranslations } from "use-intl";
import { useAct } from "@/components/settings/use-act";
import { Button } from "@/components/ui/controls/button";
import { Dialog } from "@/components/ui/layers/dialog";
import { notify } from "@/components/ui/toast";
import { serverActions } from "@/lib/client/servers/servers";

export interface RemoveDialogProps {
  name: string;
  configPath: string;
  onClose(): void;
  onRemoved?(): void;
}

export default function RemoveDialog({ name, configPath, onClose, onRemoved }: RemoveDialogProps) {
  const t = useTranslations("settings.servers");
  const common = useTranslations("common");
  const act = useAct();
  const remove = async () => {
    if (!(await act(() => serverActions.remove(name)))) return;
    onClose();
    onRemoved?.();
    notify(t("removed", { name }));
  };
  return (
    <Dialog
      title={t("removeTitle", { name })}
      closeLabel={common("close")}
      width={440}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>{common("cancel")}</Button>
          <Button tone="ink" onClick={remove}>
            {t("remove")}
          </Button>
        </>
      }
    >
      <p className="text-mach text-ink-2 wrap-anywhere">{t("removeText", { path: configPath })}</p>
    </Dialog>
  );
}
