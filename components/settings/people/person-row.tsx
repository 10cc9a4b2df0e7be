"use client";

import { useRef, useState } from "react";
import { useFormatter, useNow, useTranslations } from "use-intl";
import { ShownOnce } from "@/components/settings/shown-once";
import { useAct } from "@/components/settings/use-act";
import { cn } from "@/components/ui/cn";
import { iconButtonClass } from "@/components/ui/controls/button";
import { Choice } from "@/components/ui/controls/choice";
import { TextButton } from "@/components/ui/controls/text-button";
import { Icon } from "@/components/ui/icon";
import { Menu } from "@/components/ui/layers/menu";
import { notify } from "@/components/ui/toast";
import { useAccount } from "@/components/ui/words/account";
import { changePerson, makeResetLink } from "@/lib/client/settings/people";
import { useSharedLimits } from "@/lib/client/settings/person-limits";
import type { PersonItem, Role } from "@/lib/protocol/accounts";
import { DeletePersonDialog } from "./delete-person-dialog";
import { LimitsEditor } from "./limits-editor";
import { ShareBar } from "./share-bar";
import { shareOf, useLimitWords } from "./use-limit-words";

export const personColumns =
  "grid-cols-[20px_minmax(0,1fr)_104px_168px_104px_92px_28px] mid:grid-cols-[20px_minmax(0,1fr)_104px_132px_96px_28px]";

/** A person with what they may do and have used today; what is done with them is behind the dots. */
export function PersonRow({ person }: { person: PersonItem }) {
  const t = useTranslations("settings.people");
  const act = useAct();
  const words = useLimitWords();
  const roleLimits = useSharedLimits();
  const [link, setLink] = useState<string>();
  const [isDeleting, setDeleting] = useState(false);
  const [isLimiting, setLimiting] = useState(false);
  const limitButton = useRef<HTMLButtonElement>(null);
  const { id, name, email, role, disabled } = person;
  const aDay = words.aDay(person.inForce) ?? t("limits.none");
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
        isLimiting && "bg-paper-2",
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
      <span className="text-ink-2 slim:order-1 slim:col-start-2">
        {!disabled && <Today person={person} />}
      </span>
      <span className="slim:order-1 slim:col-start-2">
        {!disabled && (
          <TextButton
            ref={limitButton}
            className="text-left text-mach"
            aria-expanded={isLimiting}
            aria-label={t("limits.openOf", { name, limit: aDay })}
            onClick={() => setLimiting(!isLimiting)}
          >
            {aDay}
          </TextButton>
        )}
      </span>
      <span className="text-ink-2 mid:hidden">
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
      {isLimiting && (
        <div className="order-2 col-[2/-1] pt-1 pb-2 slim:col-span-full">
          <LimitsEditor
            label={t("limits.of", { name })}
            limits={person.limits}
            behind={roleLimits.data?.[role]}
            onSave={async (limits) => {
              await changePerson(id, { limits });
              notify(t("limits.saved"));
            }}
            onClose={() => {
              setLimiting(false);
              limitButton.current?.focus();
            }}
          />
        </div>
      )}
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

function Today({ person: { today, inForce } }: { person: PersonItem }) {
  const t = useTranslations("settings.people");
  const words = useLimitWords();
  const share = shareOf(today, inForce);
  if (share === 1)
    return (
      <>
        <b className="block font-semibold text-shu">{words.used(today)}</b>
        <small className="block text-micro text-shu">{t("limits.over")}</small>
      </>
    );
  return (
    <>
      {words.used(today)}
      {share !== undefined && <ShareBar share={share} />}
    </>
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
