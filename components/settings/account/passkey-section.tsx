"use client";

import { useRef, useState } from "react";
import { useFormatter, useTranslations } from "use-intl";
import { LoadState } from "@/components/settings/load-state";
import RemovalDialog from "@/components/settings/removal-dialog";
import { Rows } from "@/components/settings/rows";
import { Section } from "@/components/settings/section";
import { Button } from "@/components/ui/controls/button";
import { TextButton } from "@/components/ui/controls/text-button";
import { useFocusBack } from "@/components/ui/use-focus-back";
import { refreshPasskeys, removePasskey, usePasskeys } from "@/lib/client/settings/passkeys";
import type { PasskeyItem, PasskeyPlace } from "@/lib/protocol/passkeys";
import { PasskeyDialog } from "./passkey-dialog";

/** What signs one in without a password, where the page was opened by the name that passkeys belong to. */
export function PasskeySection({ isHere, origin }: PasskeyPlace) {
  const t = useTranslations("settings.passkeys");
  const [isAdding, setAdding] = useState(false);
  const add = useRef<HTMLButtonElement>(null);
  if (!isHere)
    return (
      <Section title={t("title")} note={t("note")}>
        <p className="text-ink-2">
          {origin === null
            ? t("needName")
            : t.rich("elsewhere", {
                origin,
                link: (text) => (
                  <a href={`${origin}/settings/account`} className="underline underline-offset-3">
                    {text}
                  </a>
                ),
              })}
        </p>
      </Section>
    );
  return (
    <Section
      title={t("title")}
      note={t("note")}
      action={
        <Button ref={add} icon="plus" onClick={() => setAdding(true)}>
          {t("add")}
        </Button>
      }
    >
      <PasskeyList onGone={() => add.current?.focus()} />
      {isAdding && <PasskeyDialog onClose={() => setAdding(false)} />}
    </Section>
  );
}

function PasskeyList({ onGone }: { onGone(): void }) {
  const t = useTranslations("settings.passkeys");
  const { data, error } = usePasskeys();
  const [removing, setRemoving] = useState<PasskeyItem>();
  const focusBack = useFocusBack(onGone);
  if (!data) return <LoadState error={error} onRetry={refreshPasskeys} lines={1} />;
  return (
    <div {...focusBack}>
      {data.items.length === 0 ? (
        <p className="py-3 text-ink-2">{t("none")}</p>
      ) : (
        <Rows inSection aria-label={t("title")}>
          {data.items.map((passkey) => (
            <PasskeyRow key={passkey.id} passkey={passkey} onRemove={() => setRemoving(passkey)} />
          ))}
        </Rows>
      )}
      {removing && (
        <RemovalDialog
          title={t("removeTitle", { name: removing.name })}
          text={t("removeText")}
          action={t("remove")}
          done={t("removed", { name: removing.name })}
          remove={() => removePasskey(removing.id)}
          onClose={() => setRemoving(undefined)}
        />
      )}
    </div>
  );
}

function PasskeyRow({ passkey, onRemove }: { passkey: PasskeyItem; onRemove(): void }) {
  const t = useTranslations("settings.passkeys");
  const format = useFormatter();
  const { name, createdAt, lastUsedAt } = passkey;
  return (
    <li className="flex min-h-11 items-center gap-x-4 py-1 rule-t">
      <span className="min-w-0 flex-1">
        <b className="block truncate font-semibold">{name}</b>
        <small className="block truncate text-micro text-ink-3">
          {t("made", { when: format.dateTime(new Date(createdAt), { dateStyle: "medium" }) })}
        </small>
      </span>
      <span className="text-ink-2">
        {lastUsedAt === null
          ? t("neverUsed")
          : format.dateTime(new Date(lastUsedAt), { dateStyle: "medium", timeStyle: "short" })}
      </span>
      <span>
        <TextButton aria-label={t("removeLabel", { name })} onClick={onRemove}>
          {t("remove")}
        </TextButton>
      </span>
    </li>
  );
}
