"use client";

import { useRef, useState } from "react";
import { useTranslations } from "use-intl";
import { FormRow } from "@/components/settings/form-row";
import { LoadState } from "@/components/settings/load-state";
import { Rows } from "@/components/settings/rows";
import { useAct } from "@/components/settings/use-act";
import { Button } from "@/components/ui/controls/button";
import { Choice } from "@/components/ui/controls/choice";
import { TextButton } from "@/components/ui/controls/text-button";
import { Dialog } from "@/components/ui/layers/dialog";
import { notify } from "@/components/ui/toast";
import {
  changeSharedLimits,
  refreshSharedLimits,
  useSharedLimits,
} from "@/lib/client/settings/person-limits";
import type { Role } from "@/lib/protocol/accounts";
import type { PersonLimits } from "@/lib/protocol/person-limits";
import { LimitsEditor } from "./limits-editor";
import { useLimitWords } from "./use-limit-words";

/** What holds for everybody whose own limits do not say otherwise, and how long conversations stay. */
export function RoleLimits() {
  const t = useTranslations("settings.people.limits");
  const { data, error } = useSharedLimits();
  return (
    <section aria-labelledby="role-limits" className="mt-6">
      <h2 id="role-limits" className="font-voice text-voice">
        {t("title")}
      </h2>
      <p className="mb-2 max-w-150 text-micro text-pretty text-ink-3">{t("note")}</p>
      {data ? (
        <>
          <Rows aria-labelledby="role-limits">
            <RoleRow of="member" limits={data.member} />
            <RoleRow of="admin" limits={data.admin} />
          </Rows>
          <RetentionRow days={data.retention.days} />
        </>
      ) : (
        <LoadState error={error} onRetry={refreshSharedLimits} lines={3} />
      )}
    </section>
  );
}

function RoleRow({ of: role, limits }: { of: Role; limits: PersonLimits }) {
  const t = useTranslations("settings.people.limits");
  const roles = useTranslations("settings.people.roles");
  const words = useLimitWords();
  const [isOpen, setOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const name = roles(role);
  return (
    <li className="py-2.5 rule-t">
      <div className="flex items-center gap-x-4">
        <span className="font-semibold">{name}</span>
        <span className="min-w-0 flex-1 truncate text-ink-2">{words.all(limits)}</span>
        <TextButton
          ref={button}
          className="self-center"
          aria-expanded={isOpen}
          aria-label={t("changeOf", { name })}
          onClick={() => setOpen(!isOpen)}
        >
          {t("change")}
        </TextButton>
      </div>
      {isOpen && (
        <div className="mt-2">
          <LimitsEditor
            label={t("of", { name })}
            limits={limits}
            onSave={async (patch) => {
              await changeSharedLimits({ [role]: patch });
              notify(t("saved"));
            }}
            onClose={() => {
              setOpen(false);
              button.current?.focus();
            }}
          />
        </div>
      )}
    </li>
  );
}

/** The usual lengths, and the one that is set if it is another. */
function RetentionRow({ days }: { days: number | undefined }) {
  const t = useTranslations("settings.people.limits");
  const lengths = useTranslations("settings.data");
  const common = useTranslations("common");
  const act = useAct();
  const known = [...new Set([365, 90, 30, ...(days === undefined ? [] : [days])])].toSorted((a, b) => b - a);
  const options = [
    { value: "always", label: lengths("always") },
    ...known.map((each) => ({
      value: String(each),
      label: each === 365 ? lengths("oneYear") : lengths("days", { days: each }),
    })),
  ];
  const [asked, setAsked] = useState<number>();
  const change = async (next: number | null) => {
    setAsked(undefined);
    if (await act(() => changeSharedLimits({ retention: { days: next } }))) notify(t("saved"));
  };
  return (
    <FormRow label={t("retention")} hint={t("retentionHint")} isGroup>
      {({ labelId }) => (
        <>
          <Choice
            labelledBy={labelId}
            options={options}
            value={String(days ?? "always")}
            onChange={(value) => (value === "always" ? void change(null) : setAsked(Number(value)))}
          />
          {asked !== undefined && (
            <Dialog
              title={t("retentionTitle", { days: asked })}
              closeLabel={common("close")}
              width={440}
              onClose={() => setAsked(undefined)}
              actions={
                <>
                  <Button onClick={() => setAsked(undefined)}>{common("cancel")}</Button>
                  <Button tone="ink" onClick={() => void change(asked)}>
                    {t("retentionAccept")}
                  </Button>
                </>
              }
            >
              <p className="text-mach text-ink-2">{t("retentionText", { days: asked })}</p>
            </Dialog>
          )}
        </>
      )}
    </FormRow>
  );
}
