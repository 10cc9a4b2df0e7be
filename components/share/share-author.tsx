"use client";

import { useState } from "react";
import { useTranslations } from "use-intl";
import { Field } from "@/components/ui/controls/field";
import { Switch } from "@/components/ui/controls/switch";
import { useErrorText } from "@/components/ui/words/use-error-text";
import { changeSettings, useSettings } from "@/lib/client/settings/settings";

const maxName = 80;

/** Whether a link says who has shared it, and the name that it says, which is kept for the next one. */
export function ShareAuthor({ isShown, onChange }: { isShown: boolean; onChange(isShown: boolean): void }) {
  const t = useTranslations("share.author");
  const errorText = useErrorText();
  const { data } = useSettings();
  const [draft, setDraft] = useState<string>();
  const [failure, setFailure] = useState<string>();
  const name = draft ?? data?.displayName ?? "";
  const save = () => {
    if (draft === undefined || draft.trim() === data?.displayName) return;
    changeSettings({ displayName: draft.trim() }).then(
      () => setFailure(undefined),
      (error) => setFailure(errorText(error)),
    );
  };
  return (
    <div className="-mt-4 rule-b">
      <div className="flex min-h-8 items-center justify-between gap-x-4 phone:min-h-11">
        <span aria-hidden="true">{t("show")}</span>
        <Switch label={t("show")} checked={isShown} disabled={!data} onChange={onChange} />
      </div>
      {isShown && (
        <Field
          className="pb-2"
          label={t("name")}
          value={name}
          maxLength={maxName}
          autoComplete="name"
          error={failure}
          onChange={({ target }) => setDraft(target.value)}
          onBlur={save}
          onKeyDown={({ key }) => key === "Enter" && save()}
        />
      )}
    </div>
  );
}

/** The name that a link is to say; empty where there is none, or none is to be said. */
export function useAuthor(isShown: boolean): string {
  const { data } = useSettings();
  return isShown ? (data?.displayName ?? "") : "";
}
