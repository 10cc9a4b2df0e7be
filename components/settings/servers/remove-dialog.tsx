"use client";

import { useTranslations } from "use-intl";
import RemovalDialog from "@/components/settings/removal-dialog";
import { serverActions } from "@/lib/client/servers/server-actions";

export interface RemoveDialogProps {
  name: string;
  configPath: string;
  onClose(): void;
  onRemoved?(): void;
}

export default function RemoveDialog({ name, configPath, ...on }: RemoveDialogProps) {
  const t = useTranslations("settings.servers");
  return (
    <RemovalDialog
      title={t("removeTitle", { name })}
      text={t("removeText", { path: configPath })}
      action={t("remove")}
      done={t("removed", { name })}
      remove={() => serverActions.remove(name)}
      {...on}
    />
  );
}
