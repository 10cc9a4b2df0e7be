"use client";

import { useState } from "react";
import { useTranslations } from "use-intl";
import { useFieldErrors } from "@/components/settings/use-field-errors";
import { Button } from "@/components/ui/controls/button";
import { Field } from "@/components/ui/controls/field";
import { notify } from "@/components/ui/toast";
import { asApiError } from "@/lib/client/http/http";
import { changePassword } from "@/lib/client/settings/account";
import { passwordLength } from "@/lib/protocol/accounts";

/** The present password and a new one; every other browser is signed out by it. */
export function PasswordForm({ onClose }: { onClose(): void }) {
  const t = useTranslations("settings.account");
  const common = useTranslations("common");
  const { errors, setErrors, attempt } = useFieldErrors(["current", "password"]);
  const [isBusy, setBusy] = useState(false);
  const save = async (data: FormData) => {
    const [current, password] = [String(data.get("current")), String(data.get("password"))];
    if (current === "") return setErrors({ current: t("needCurrent") });
    setBusy(true);
    const isDone = await attempt(async () => {
      try {
        await changePassword(current, password);
        return true;
      } catch (cause) {
        if (asApiError(cause).code !== "wrong_password") throw cause;
        setErrors({ current: t("wrong") });
        return false;
      }
    });
    setBusy(false);
    if (!isDone) return;
    notify(t("changed"));
    onClose();
  };
  return (
    <form
      noValidate
      className="grid max-w-90 gap-3"
      onSubmit={(event) => {
        event.preventDefault();
        setErrors({});
        void save(new FormData(event.currentTarget));
      }}
    >
      <Field
        label={t("current")}
        name="current"
        type="password"
        autoComplete="current-password"
        autoFocus
        error={errors.current}
      />
      <Field
        label={t("new")}
        name="password"
        type="password"
        autoComplete="new-password"
        hint={t("newHint", { min: passwordLength.min })}
        error={errors.password}
      />
      <div className="flex gap-2">
        <Button tone="ink" type="submit" aria-busy={isBusy}>
          {t("change")}
        </Button>
        <Button tone="quiet" onClick={onClose}>
          {common("cancel")}
        </Button>
      </div>
    </form>
  );
}
