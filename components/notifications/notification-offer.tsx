"use client";

import { useTranslations } from "use-intl";
import { TextButton } from "@/components/ui/controls/text-button";
import { notify, notifyFailure } from "@/components/ui/toast";
import { askForAccess, useAccess } from "@/lib/client/notifications/access";
import { changePreferences, usePreferences } from "@/lib/client/notifications/preferences";

/** One line, until the person has decided; the browser asks only after it was pressed. */
export default function NotificationOffer() {
  const t = useTranslations("notifications.offer");
  const access = useAccess();
  const { isOn } = usePreferences();
  if (isOn !== null || (access !== "default" && access !== "granted")) return null;
  const turnOn = async () => {
    const answer = await askForAccess();
    // Without an answer to the browser's question the offer stays.
    if (answer === "default") return;
    changePreferences({ isOn: answer === "granted" });
    if (answer === "granted") notify(t("on"));
    else notifyFailure(t("blocked"));
  };
  return (
    <p className="flex flex-wrap items-baseline gap-x-3 pb-2 pl-(--gutter) text-micro leading-5 text-ink-3">
      <span>{t("text")}</span>
      <TextButton className="text-ink-2" onClick={turnOn}>
        {t("yes")}
      </TextButton>
      <TextButton onClick={() => changePreferences({ isOn: false })}>{t("no")}</TextButton>
    </p>
  );
}
