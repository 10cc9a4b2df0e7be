"use client";

import { type FormEvent, useId, useRef, useState } from "react";
import { useTranslations } from "use-intl";
import { Button } from "@/components/ui/controls/button";
import { Field } from "@/components/ui/controls/field";
import { Dialog } from "@/components/ui/layers/dialog";
import { useErrorText } from "@/components/ui/words/use-error-text";
import { projectActions } from "@/lib/client/conversation/projects";
import { type ProjectItem, projectLimits } from "@/lib/protocol/projects";

export interface NewProjectDialogProps {
  onClose(): void;
  onMade(project: ProjectItem): void;
}

/** Asks for a name alone; everything else is on the project's page. */
export default function NewProjectDialog({ onClose, onMade }: NewProjectDialogProps) {
  const t = useTranslations("projects");
  const common = useTranslations("common");
  const errorText = useErrorText();
  const form = useId();
  const [name, setName] = useState("");
  const [error, setError] = useState<string>();
  const busy = useRef(false);
  const make = async (event: FormEvent) => {
    event.preventDefault();
    // Enter twice would make two.
    if (busy.current) return;
    busy.current = true;
    try {
      onMade(await projectActions.add(name));
    } catch (cause) {
      setError(errorText(cause));
    }
    busy.current = false;
  };
  return (
    <Dialog
      title={t("newProject")}
      lede={t("createLede")}
      width={440}
      closeLabel={common("close")}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>{common("cancel")}</Button>
          <Button tone="ink" type="submit" form={form}>
            {t("create")}
          </Button>
        </>
      }
    >
      <form id={form} onSubmit={make} noValidate>
        <Field
          label={t("name")}
          value={name}
          maxLength={projectLimits.name}
          error={error}
          onChange={(event) => {
            setName(event.target.value);
            setError(undefined);
          }}
        />
      </form>
    </Dialog>
  );
}
