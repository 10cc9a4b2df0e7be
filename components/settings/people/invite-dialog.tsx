"use client";

import { useState } from "react";
import { useFormatter, useTranslations } from "use-intl";
import { FormDialog } from "@/components/settings/form-dialog";
import { FormRow } from "@/components/settings/form-row";
import { ShownOnce } from "@/components/settings/shown-once";
import { useFieldErrors } from "@/components/settings/use-field-errors";
import { Choice } from "@/components/ui/controls/choice";
import { Field } from "@/components/ui/controls/field";
import { asApiError } from "@/lib/client/http/http";
import { invite } from "@/lib/client/settings/people";
import type { NewInvitation, Role } from "@/lib/protocol/accounts";

/** For whom and as what; then the link, which is sent by whatever means people have. */
export function InviteDialog({ onClose }: { onClose(): void }) {
  const t = useTranslations("settings.people");
  const format = useFormatter();
  const [email, setEmail] = useState("");
  const [role, setRole] = useState<Role>("member");
  const [made, setMade] = useState<NewInvitation>();
  const { errors, setErrors, attempt } = useFieldErrors(["email"]);
  const make = async () => {
    setErrors({});
    const address = email.trim();
    const answer = await attempt(async () => {
      try {
        return await invite({ role, ...(address !== "" && { email: address }) });
      } catch (cause) {
        if (asApiError(cause).code !== "exists") throw cause;
        setErrors({ email: t("exists") });
        return undefined;
      }
    });
    setMade(answer);
  };
  if (made)
    return (
      <ShownOnce
        title={t("invitationTitle")}
        note={t("invitationNote", {
          until: format.dateTime(new Date(made.expiresAt), { dateStyle: "medium", timeStyle: "short" }),
        })}
        label={t("link")}
        copyLabel={t("copyLink")}
        value={made.url}
        onClose={onClose}
      />
    );
  return (
    <FormDialog
      title={t("inviteTitle")}
      lede={t("inviteNote")}
      makeLabel={t("makeLink")}
      onMake={make}
      onClose={onClose}
    >
      <Field
        label={t("address")}
        hint={t("addressHint")}
        error={errors.email}
        type="email"
        autoComplete="off"
        maxLength={254}
        value={email}
        onChange={({ target }) => setEmail(target.value)}
      />
      <FormRow label={t("role")} hint={t("roleHint")} isGroup>
        {({ labelId }) => (
          <Choice<Role>
            labelledBy={labelId}
            options={(["member", "admin"] as const).map((value) => ({ value, label: t(`roles.${value}`) }))}
            value={role}
            onChange={setRole}
          />
        )}
      </FormRow>
    </FormDialog>
  );
}
