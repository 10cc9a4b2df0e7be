"use client";

import { useTranslations } from "use-intl";
import { useAct } from "@/components/settings/use-act";
import { Button } from "@/components/ui/controls/button";
import { Dialog } from "@/components/ui/layers/dialog";
import { notify } from "@/components/ui/toast";
import { deleteAgent } from "@/lib/client/settings/agent-file";

export interface DeleteAgentProps {
  id: string;
  onClose(): void;
  onDeleted(): void;
}

export function DeleteAgent({ id, onClose, onDeleted }: DeleteAgentProps) {
  const t = useTranslations("settings.agents");
  const common = useTranslations("common");
  const act = useAct();
  const remove = async () => {
    if (!(await act(() => deleteAgent(id)))) return;
    onClose();
    onDeleted();
    notify(t("deleted", { id }));
  };
  return (
    <Dialog
      title={t("deleteTitle", { id })}
      closeLabel={common("close")}
      width={440}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>{common("cancel")}</Button>
          <Button tone="ink" onClick={remove}>
            {t("delete")}
          </Button>
        </>
      }
    >
      <p className="text-mach text-ink-2">{t("deleteText")}</p>
    </Dialog>
  );
}
