"use client";

import { useTranslations } from "use-intl";
import { Icon } from "@/components/ui/icon";

/** What becomes of a conversation of which nothing is kept. */
export default function TemporaryLine() {
  const t = useTranslations("chat.temporary");
  return (
    <p
      className="mx-auto flex w-full max-w-[728px] items-baseline gap-2 px-6 pt-2 pb-1.5 meta phone:px-4"
      role="note"
    >
      <Icon name="temporary" size={14} className="flex-none translate-y-0.5" />
      {t("line")}
    </p>
  );
}
