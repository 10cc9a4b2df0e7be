"use client";

import { useRef, useState } from "react";
import { useTranslations } from "use-intl";
import { LoadState } from "@/components/settings/load-state";
import { PageHead } from "@/components/settings/page-head";
import { Rows, RowsHead } from "@/components/settings/rows";
import { Button } from "@/components/ui/controls/button";
import { useFocusBack } from "@/components/ui/use-focus-back";
import { refreshPeople, usePeople } from "@/lib/client/settings/people";
import type { PersonItem } from "@/lib/protocol/accounts";
import type { Use } from "@/lib/protocol/person-limits";
import { InvitationList } from "./invitation-list";
import { InviteDialog } from "./invite-dialog";
import { PersonRow, personColumns } from "./person-row";
import { RoleLimits } from "./role-limits";
import { useLimitWords } from "./use-limit-words";

/** Who may use Meguri, for admins. */
export function PeoplePage() {
  const t = useTranslations("settings.people");
  const { data, error } = usePeople();
  const [isInviting, setInviting] = useState(false);
  const inviteButton = useRef<HTMLButtonElement>(null);
  const focusBack = useFocusBack(() => inviteButton.current?.focus());
  const words = useLimitWords();
  const disabled = data?.filter((person) => person.disabled).length ?? 0;
  return (
    <>
      <PageHead
        title={t("title")}
        lede={
          <p>
            {data && t("lede", { count: data.length, disabled })}{" "}
            {data && t("limits.ledeUsed", { used: words.used(total(data)) })} {t("ledeRest")}
          </p>
        }
      >
        <Button ref={inviteButton} icon="plus" onClick={() => setInviting(true)}>
          {t("invite")}
        </Button>
      </PageHead>
      {data ? (
        <Rows aria-label={t("title")} {...focusBack}>
          <RowsHead columns={personColumns}>
            <span />
            <span>{t("person")}</span>
            <span>{t("role")}</span>
            <span>{t("limits.today")}</span>
            <span>{t("limits.aDay")}</span>
            <span className="mid:hidden">{t("seen")}</span>
            <span />
          </RowsHead>
          {data.map((person) => (
            <PersonRow key={person.id} person={person} />
          ))}
        </Rows>
      ) : (
        <LoadState error={error} onRetry={refreshPeople} />
      )}
      <InvitationList />
      <RoleLimits />
      {isInviting && <InviteDialog onClose={() => setInviting(false)} />}
    </>
  );
}

const total = (people: readonly PersonItem[]): Use => ({
  tokens: people.reduce((sum, { today }) => sum + today.tokens, 0),
  cost: people.reduce((sum, { today }) => sum + today.cost, 0),
});
