"use client";

import { useRef, useState } from "react";
import { useTranslations } from "use-intl";
import { FormDialog } from "@/components/settings/form-dialog";
import { FormRow } from "@/components/settings/form-row";
import { useFieldErrors } from "@/components/settings/use-field-errors";
import { Check } from "@/components/ui/controls/check";
import { CheckGroup } from "@/components/ui/controls/check-group";
import { Choice } from "@/components/ui/controls/choice";
import { Field } from "@/components/ui/controls/field";
import { useIsAdmin } from "@/components/ui/words/account";
import { makeToken } from "@/lib/client/settings/tokens";
import { maxTokenName, type NewApiToken, type TokenScope, tokenScopes } from "@/lib/protocol/api-tokens";

/** Days; null: it does not expire. */
const lives = { days30: 30, days90: 90, year: 365, never: null } as const;
type Life = keyof typeof lives;
const allLives: readonly Life[] = ["days30", "days90", "year", "never"];

export interface TokenDialogProps {
  onClose(): void;
  onMade(token: NewApiToken): void;
}

/** What a new token is called, what it may, and for how long. */
export function TokenDialog({ onClose, onMade }: TokenDialogProps) {
  const t = useTranslations("settings.tokens");
  const [name, setName] = useState("");
  const [scopes, setScopes] = useState<readonly TokenScope[]>(["read"]);
  const [life, setLife] = useState<Life>("days90");
  const nameField = useRef<HTMLInputElement>(null);
  const { errors, setErrors, attempt } = useFieldErrors(["name", "scopes"]);
  const make = async () => {
    const isNamed = name.trim() !== "";
    setErrors({
      ...(!isNamed && { name: t("needName") }),
      ...(scopes.length === 0 && { scopes: t("needScope") }),
    });
    if (!isNamed) nameField.current?.focus();
    if (!isNamed || scopes.length === 0) return;
    const made = await attempt(() => makeToken({ name: name.trim(), scopes, expiresAt: endOf(life) }));
    if (made) onMade(made);
  };
  return (
    <FormDialog
      title={t("newTitle")}
      lede={t("newNote")}
      makeLabel={t("make")}
      onMake={make}
      onClose={onClose}
    >
      <Field
        ref={nameField}
        label={t("name")}
        hint={t("nameHint")}
        error={errors.name}
        autoComplete="off"
        maxLength={maxTokenName}
        value={name}
        onChange={({ target }) => setName(target.value)}
      />
      <Scopes chosen={scopes} error={errors.scopes} onChange={setScopes} />
      <FormRow label={t("expires")} isGroup>
        {({ labelId }) => (
          <Choice<Life>
            labelledBy={labelId}
            options={allLives.map((value) => ({ value, label: t(`lives.${value}`) }))}
            value={life}
            onChange={setLife}
          />
        )}
      </FormRow>
    </FormDialog>
  );
}

function Scopes({
  chosen,
  error,
  onChange,
}: {
  chosen: readonly TokenScope[];
  error: string | undefined;
  onChange(scopes: readonly TokenScope[]): void;
}) {
  const t = useTranslations("settings.tokens");
  const isAdmin = useIsAdmin();
  const offered = tokenScopes.filter((scope) => isAdmin || scope !== "admin");
  return (
    <CheckGroup legend={t("scopesLabel")} error={error}>
      {offered.map((scope) => (
        <Check
          key={scope}
          isChosen={chosen.includes(scope)}
          isOff={false}
          onChange={(isOn) =>
            onChange(offered.filter((each) => (each === scope ? isOn : chosen.includes(each))))
          }
        >
          <span className="font-semibold">{t(`scopes.${scope}`)}</span>{" "}
          <span className="text-ink-3">{t(`scopeNotes.${scope}`)}</span>
        </Check>
      ))}
    </CheckGroup>
  );
}

function endOf(life: Life): string | null {
  const days = lives[life];
  return days === null ? null : new Date(Date.now() + days * 24 * 3_600_000).toISOString();
}
