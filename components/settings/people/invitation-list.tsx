"use client";

import { useFormatter, useTranslations } from "use-intl";
import { LoadState } from "@/components/settings/load-state";
import { Rows, RowsHead } from "@/components/settings/rows";
import { useAct } from "@/components/settings/use-act";
import { cn } from "@/components/ui/cn";
import { IconButton } from "@/components/ui/controls/button";
import { refreshInvitations, useInvitations, withdrawInvitation } from "@/lib/client/settings/people";
import type { InvitationItem } from "@/lib/protocol/accounts";

const columns = "grid-cols-[minmax(0,1fr)_84px_180px_116px_28px]";

/** Links that somebody can still join by. What they open is not kept, so that they cannot be copied again. */
export function InvitationList() {
  const t = useTranslations("settings.people");
  const { data, error } = useInvitations();
  if (data?.items.length === 0) return null;
  return (
    <section aria-labelledby="invitations" className="mt-6">
      <h2 id="invitations" className="mb-1 font-voice text-voice">
        {t("invitations")}
      </h2>
      {data ? (
        <Rows aria-labelledby="invitations">
          <RowsHead columns={columns}>
            <span>{t("address")}</span>
            <span>{t("role")}</span>
            <span>{t("from")}</span>
            <span>{t("ends")}</span>
            <span />
          </RowsHead>
          {data.items.map((invitation) => (
            <Invitation key={invitation.id} invitation={invitation} />
          ))}
        </Rows>
      ) : (
        <LoadState error={error} onRetry={refreshInvitations} lines={2} />
      )}
    </section>
  );
}

function Invitation({ invitation }: { invitation: InvitationItem }) {
  const t = useTranslations("settings.people");
  const format = useFormatter();
  const act = useAct();
  const day = (at: string) => format.dateTime(new Date(at), { month: "long", day: "numeric" });
  const { id, email, role, from, createdAt, expiresAt } = invitation;
  const name = email ?? t("anyone");
  return (
    <li
      className={cn(
        "grid min-h-11 items-center gap-x-4 py-1 rule-t slim:grid-cols-[minmax(0,1fr)_auto_28px]",
        columns,
      )}
    >
      <span className={cn("truncate", email !== null && "font-semibold")}>{name}</span>
      <span>{t(`roles.${role}`)}</span>
      <span className="truncate text-ink-2 slim:hidden">{t("fromWhen", { from, when: day(createdAt) })}</span>
      <span className="text-ink-2 slim:hidden">{day(expiresAt)}</span>
      <IconButton
        icon="cross"
        iconSize={14}
        tipSide="right-edge"
        label={t("withdraw", { name })}
        onClick={() => void act(() => withdrawInvitation(id))}
      />
    </li>
  );
}
