"use client";

import { type ReactNode, useState } from "react";
import { useTranslations } from "use-intl";
import { useAct } from "@/components/settings/use-act";
import { Button } from "@/components/ui/controls/button";
import { Field } from "@/components/ui/controls/field";
import { Dialog } from "@/components/ui/layers/dialog";
import { notify } from "@/components/ui/toast";
import { deletePerson } from "@/lib/client/settings/people";
import type { PersonItem } from "@/lib/protocol/accounts";

/** Says what goes and that nobody else can keep it; the address is typed, as two people may have one name. */
export function DeletePersonDialog({ person, onClose }: { person: PersonItem; onClose(): void }) {
  const t = useTranslations("settings.people.deletion");
  const common = useTranslations("common");
  const act = useAct();
  const [typed, setTyped] = useState("");
  const [isBusy, setBusy] = useState(false);
  const { id, name, email, disabled } = person;
  const isMeant = typed.normalize("NFKC").trim().toLowerCase() === email;
  const submit = async () => {
    if (!isMeant || isBusy) return;
    setBusy(true);
    const isDone = await act(() => deletePerson(id));
    setBusy(false);
    if (!isDone) return;
    onClose();
    notify(t("done", { name }));
  };
  const bold = (text: ReactNode) => <b className="font-semibold text-ink">{text}</b>;
  return (
    <Dialog
      title={t("title", { name })}
      lede={t("note")}
      width={520}
      closeLabel={common("close")}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>{common("cancel")}</Button>
          <Button tone="ink" disabled={!isMeant} aria-busy={isBusy} onClick={() => void submit()}>
            {isBusy ? t("busy") : t("button")}
          </Button>
        </>
      }
    >
      <div className="mb-4 grid gap-2 text-pretty text-mach text-ink-2 wrap-anywhere">
        <p>{t.rich("goes", { b: bold })}</p>
        <p>{t.rich("stays", { b: bold })}</p>
        <p>{t.rich(disabled ? "exportDisabled" : "export", { b: bold, name })}</p>
      </div>
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          void submit();
        }}
      >
        <Field
          label={t("label", { email })}
          autoComplete="off"
          autoCapitalize="off"
          spellCheck={false}
          readOnly={isBusy}
          value={typed}
          onChange={({ target }) => setTyped(target.value)}
        />
      </form>
    </Dialog>
  );
}
