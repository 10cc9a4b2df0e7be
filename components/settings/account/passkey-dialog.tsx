"use client";

import { useRef, useState } from "react";
import { useTranslations } from "use-intl";
import { FormDialog } from "@/components/settings/form-dialog";
import { useAct } from "@/components/settings/use-act";
import { useFieldErrors } from "@/components/settings/use-field-errors";
import { Field } from "@/components/ui/controls/field";
import { notify } from "@/components/ui/toast";
import { api, asApiError } from "@/lib/client/http/http";
import { addPasskey } from "@/lib/client/settings/passkeys";
import { maxPasskeyName } from "@/lib/protocol/passkeys";
import { agentWords } from "./agent-words";

/** What a new passkey is called; then the browser asks for the owner of the device. */
export function PasskeyDialog({ onClose }: { onClose(): void }) {
  const t = useTranslations("settings.passkeys");
  const sessions = useTranslations("settings.account");
  const [name, setName] = useState(() => {
    const known = agentWords(navigator.userAgent);
    return known ? sessions("browserOn", known) : "";
  });
  const [mustSignIn, setMustSignIn] = useState(false);
  const act = useAct();
  const nameField = useRef<HTMLInputElement>(null);
  const { errors, setErrors, attempt } = useFieldErrors(["name"]);
  const add = async () => {
    const isNamed = name.trim() !== "";
    setErrors(isNamed ? {} : { name: t("needLabel") });
    if (!isNamed) return nameField.current?.focus();
    const isAdded = await attempt(async () => {
      try {
        await addPasskey(name.trim());
        return true;
      } catch (cause) {
        if (asApiError(cause).code !== "sign_in_again") throw cause;
        setMustSignIn(true);
        return false;
      }
    });
    if (!isAdded) return;
    onClose();
    notify(t("added", { name: name.trim() }));
  };
  const signInAgain = async () => {
    if (await act(() => api("/api/session", { method: "DELETE" })))
      window.location.replace("/sign-in?next=/settings/account");
  };
  return (
    <FormDialog
      title={t("addTitle")}
      lede={t("addNote")}
      makeLabel={t("continue")}
      onMake={add}
      onClose={onClose}
    >
      <Field
        ref={nameField}
        label={t("label")}
        hint={t("labelHint")}
        error={errors.name}
        autoComplete="off"
        maxLength={maxPasskeyName}
        value={name}
        onChange={({ target }) => setName(target.value)}
      />
      <p role="alert" className="mt-3 text-mach text-pretty text-shu empty:hidden">
        {mustSignIn &&
          t.rich("signInAgain", {
            link: (text) => (
              <button
                type="button"
                className="underline underline-offset-3"
                onClick={() => void signInAgain()}
              >
                {text}
              </button>
            ),
          })}
      </p>
    </FormDialog>
  );
}
