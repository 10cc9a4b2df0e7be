"use client";

import { useTranslations } from "use-intl";
import RemovalDialog from "@/components/settings/removal-dialog";
import { serverActions } from "@/lib/client/servers/server-actions";
import type { McpServerItem } from "@/lib/protocol/mcp";

export interface RemoveDialogProps {
  server: Pick<McpServerItem, "name" | "owner">;
  configPath: string;
  onClose(): void;
  onRemoved?(): void;
}

export default function RemoveDialog({ server: { name, owner }, configPath, ...on }: RemoveDialogProps) {
  const t = useTranslations("settings.servers");
  return (
    <RemovalDialog
      title={t("removeTitle", { name })}
      text={owner === "operator" ? t("removeText", { path: configPath }) : t("removeOwnText")}
      action={t("remove")}
      done={t("removed", { name })}
      remove={() => serverActions.remove(name)}
      {...on}
    />
  );
}
