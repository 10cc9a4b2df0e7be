"use client";

import { useState } from "react";
import { useFormatter, useNow, useTranslations } from "use-intl";
import { ShownOnce } from "@/components/settings/shown-once";
import { useAct } from "@/components/settings/use-act";
import { cn } from "@/components/ui/cn";
import { iconButtonClass } from "@/components/ui/controls/button";
import { Choice } from "@/components/ui/controls/choice";
import { Icon } from "@/components/ui/icon";
import { Menu } from "@/components/ui/layers/menu";
import { notify } from "@/components/ui/toast";
import { useAccount } from "@/components/ui/words/account";
import { changePerson, makeResetLink } from "@/lib/client/settings/people";
import type { PersonItem, Role } from "@/lib/protocol/accounts";
import { DeletePersonDialog } from "./delete-person-dialog";

export const personColumns = "grid-cols-[20px_minmax(0,1fr)_132px_116px_28px]";

/** A person with what they may do; what is done with them is behind the dots. */
export function PersonRow({ person }: { person: PersonItem }) {
  const t = useTranslations("settings.people");
  const act = useAct();
  const [link, setLink] = useState<string>();
  const [isDeleting, setDeleting] = useState(false);
  const { id, name, email, role, disabled } = person;
  const isSelf = useAccount()?.id === id;
  const change = (patch: Parameters<typeof changePerson>[1], said: string) =>
    act(() => changePerson(id, patch)).then((isDone) => {
      if (!isDone) return;
      // What this page shows and offers is no longer for who is here.
      if (isSelf) window.location.assign("/");
      else notify(said);
    });
  const roles = (["admin", "member"] as const).map((value) => ({ value, label: t(`roles.${value}`) }));
  return (
    <li
      className={cn(
        "grid min-h-11 items-center gap-x-4 py-1 rule-t slim:grid-cols-[20px_minmax(0,1fr)_28px]",
        personColumns,
        disabled && "text-ink-3",
      )}
    >
      <span
        aria-hidden="true"
        className="grid size-5 place-items-center rounded-full border border-rule-2 text-[10px] leading-none font-semibold text-ink-2"
      >
        {[...name][0]?.toUpperCase()}
      </span>
      <span className="min-w-0">
        <b className={cn("block truncate", disabled ? "font-normal" : "font-semibold")}>{name}</b>
        <small className="block truncate text-micro text-ink-3">{email}</small>
      </span>
      <span className="slim:order-1 slim:col-start-2">
        {disabled ? (
          t("disabled")
        ) : (
          <Choice<Role>
            label={t("roleOf", { name })}
            options={roles}
            value={role}
            onChange={(next) =>
              void change({ role: next }, t("roleChanged", { name, role: t(`roles.${next}`) }))
            }
          />
        )}
      </span>
      <span className="text-ink-2 slim:hidden">
        <Seen at={person.lastSeenAt} />
      </span>
      <Menu
        align="end"
        trigger={{
          className: iconButtonClass,
          "aria-label": t("more", { name }),
          children: <Icon name="more" size={16} />,
        }}
        entries={[
          {
            label: t("resetLink"),
            onSelect: () => void act(async () => setLink((await makeResetLink(id)).url)),
          },
          {
            label: t(disabled ? "enable" : "disable"),
            onSelect: () =>
              void change({ disabled: !disabled }, t(disabled ? "enabled" : "nowDisabled", { name })),
          },
          ...(isSelf
            ? []
            : [{ kind: "rule" as const }, { label: t("delete"), onSelect: () => setDeleting(true) }]),
        ]}
      />
      {link !== undefined && (
        <ShownOnce
          title={t("resetTitle", { name })}
          note={t("resetNote")}
          label={t("link")}
          copyLabel={t("copyLink")}
          value={link}
          onClose={() => setLink(undefined)}
        />
      )}
      {isDeleting && <DeletePersonDialog person={person} onClose={() => setDeleting(false)} />}
    </li>
  );
}

function Seen({ at }: { at: string | null }) {
  const t = useTranslations("settings.people");
  const format = useFormatter();
  const now = useNow({ updateInterval: 60_000 });
  if (at === null) return t("never");
  const date = new Date(at);
  return now.getTime() - date.getTime() < 6 * 60_000 ? t("now") : format.relativeTime(date, now);
}
