"use client";

import { type FormEvent, useId, useState } from "react";
import { useTranslations } from "use-intl";
import { Button, IconButton } from "@/components/ui/controls/button";
import { InstructionsField, isTooLong } from "@/components/ui/controls/instructions-field";
import { Dialog } from "@/components/ui/layers/dialog";
import { useErrorText } from "@/components/ui/words/use-error-text";
import { projectActions } from "@/lib/client/conversation/projects";
import { tokensOf } from "@/lib/protocol/count-tokens";
import type { ProjectDetail } from "@/lib/protocol/projects";
import { Part } from "./part";

export function ProjectInstructions({ project }: { project: ProjectDetail }) {
  const t = useTranslations("projects.page");
  const [editing, setEditing] = useState(false);
  const { instructions } = project;
  return (
    <Part
      title={t("instructions")}
      action={
        <IconButton
          icon="pencil"
          label={t("editInstructions")}
          tipSide="right-edge"
          onClick={() => setEditing(true)}
        />
      }
    >
      {instructions === "" ? (
        <p className="text-mach text-pretty text-ink-3">{t("noInstructions")}</p>
      ) : (
        <>
          <p className="line-clamp-5 text-mach wrap-anywhere whitespace-pre-line text-ink-2">
            {instructions}
          </p>
          <p className="mt-1 meta">{t("tokens", { count: tokensOf(instructions) })}</p>
        </>
      )}
      {editing && <EditDialog project={project} onClose={() => setEditing(false)} />}
    </Part>
  );
}

/** Where it cannot be stored, the text stays and the dialog says why. */
function EditDialog({ project, onClose }: { project: ProjectDetail; onClose(): void }) {
  const t = useTranslations("projects.page");
  const common = useTranslations("common");
  const errorText = useErrorText();
  const form = useId();
  const [text, setText] = useState(project.instructions);
  const [failure, setFailure] = useState<string>();
  const [busy, setBusy] = useState(false);
  const save = async (event: FormEvent) => {
    event.preventDefault();
    if (isTooLong(text) || busy) return;
    setBusy(true);
    try {
      await projectActions.change(project.id, { instructions: text.trim() });
      onClose();
    } catch (cause) {
      setFailure(errorText(cause));
      setBusy(false);
    }
  };
  return (
    <Dialog
      title={t("instructions")}
      lede={project.name}
      closeLabel={common("close")}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>{common("cancel")}</Button>
          <Button tone="ink" type="submit" form={form} aria-busy={busy}>
            {t("save")}
          </Button>
        </>
      }
    >
      <form id={form} onSubmit={save} noValidate>
        <InstructionsField
          label={t("instructions")}
          hint={t("instructionsHint")}
          value={text}
          onChange={setText}
          rows={10}
        />
        {failure && (
          <p role="alert" className="mt-2 text-mach text-shu">
            {failure}
          </p>
        )}
      </form>
    </Dialog>
  );
}
