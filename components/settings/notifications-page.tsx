"use client";

import { useTranslations } from "use-intl";
import { Switch } from "@/components/ui/controls/switch";
import { askForAccess, useAccess } from "@/lib/client/notifications/access";
import { type EndedKind, endedKinds } from "@/lib/client/notifications/ended-runs";
import { changePreferences, usePreferences } from "@/lib/client/notifications/preferences";
import { FormRow } from "./form-row";
import { PageHead } from "./page-head";
import { Section } from "./section";

/** Of this browser: what it tells of, and whether it shows notifications. */
export function NotificationsPage() {
  const t = useTranslations("settings.notifications");
  return (
    <>
      <PageHead title={t("title")} lede={<p>{t("lede")}</p>} />
      <Section title={t("notifications")} note={t("promise")}>
        <ShowNotifications />
      </Section>
      <Section title={t("kinds")} note={t("kindsNote")}>
        <Kinds />
      </Section>
    </>
  );
}

/** Where the browser says no, what can be done about it; only a press here has it ask. */
function ShowNotifications() {
  const t = useTranslations("settings.notifications");
  const access = useAccess();
  const { isOn } = usePreferences();
  const turn = async (wanted: boolean) => {
    const answer = wanted ? await askForAccess() : "default";
    if (!wanted || answer === "granted") changePreferences({ isOn: wanted });
  };
  const isPossible = access === "default" || access === "granted";
  return (
    <FormRow
      label={t("show")}
      hint={t(isPossible ? "showHint" : access)}
      {...(access === "denied" && { error: t("denied") })}
    >
      {({ id, described }) => (
        <Switch
          id={id}
          label={t("show")}
          checked={isOn === true && access === "granted"}
          disabled={!isPossible}
          onChange={turn}
          {...described}
        />
      )}
    </FormRow>
  );
}

function Kinds() {
  const t = useTranslations("settings.notifications");
  const { kinds } = usePreferences();
  const turn = (kind: EndedKind, wanted: boolean) =>
    changePreferences({
      kinds: endedKinds.filter((each) => (each === kind ? wanted : kinds.includes(each))),
    });
  return endedKinds.map((kind) => (
    <FormRow key={kind} label={t(`kind.${kind}`)}>
      {({ id }) => (
        <Switch
          id={id}
          label={t(`kind.${kind}`)}
          checked={kinds.includes(kind)}
          onChange={(wanted) => turn(kind, wanted)}
        />
      )}
    </FormRow>
  ));
}
