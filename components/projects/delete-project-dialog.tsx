"use client";

import { useState } from "react";
import { useTranslations } from "use-intl";
import { Button } from "@/components/ui/controls/button";
import { Choice } from "@/components/ui/controls/choice";
import { Dialog } from "@/components/ui/layers/dialog";
import { notify, notifyFailure } from "@/components/ui/toast";
import { useErrorText } from "@/components/ui/words/use-error-text";
import { refreshConversations } from "@/lib/client/conversation/conversations";
import { projectActions } from "@/lib/client/conversation/projects";
import type { ProjectItem } from "@/lib/protocol/projects";

export interface DeleteProjectDialogProps {
  project: ProjectItem;
  onClose(): void;
  onDeleted(): void;
}

export default function DeleteProjectDialog({ project, onClose, onDeleted }: DeleteProjectDialogProps) {
  const t = useTranslations("projects.deletion");
  const common = useTranslations("common");
  const errorText = useErrorText();
  const [fate, setFate] = useState<"keep" | "delete">("keep");
  const [busy, setBusy] = useState(false);
  const { id, name, conversations } = project;
  const remove = async () => {
    setBusy(true);
    try {
      await projectActions.remove(id, fate);
      await refreshConversations();
      onDeleted();
      notify(t("done", { name }));
    } catch (cause) {
      notifyFailure(errorText(cause));
      setBusy(false);
    }
  };
  return (
    <Dialog
      title={t("title", { name })}
      lede={t("text")}
      width={440}
      closeLabel={common("close")}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>{common("cancel")}</Button>
          <Button tone="ink" disabled={busy} aria-busy={busy} onClick={remove}>
            {t("run")}
          </Button>
        </>
      }
    >
      {conversations.all > 0 && (
        <Choice<"keep" | "delete">
          label={t("what")}
          value={fate}
          options={[
            { value: "keep", label: t("keep") },
            { value: "delete", label: t("delete") },
          ]}
          onChange={setFate}
        />
      )}
    </Dialog>
  );
}
