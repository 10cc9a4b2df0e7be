"use client";

import { memo } from "react";
import { useTranslations } from "use-intl";
import { Menu } from "@/components/ui/layers/menu";
import { useModel } from "@/lib/client/conversation/models";
import { pickLook } from "./pick-look";
import type { SendChoices } from "./use-send-options";

/** How much the model thinks before it answers; not there where it takes no effort, or nobody says which. */
export const EffortPicker = memo(function EffortPicker({ options }: { options: SendChoices }) {
  const t = useTranslations("chat.composer.effort");
  const words = useTranslations("common.effort");
  const model = useModel(options.model);
  const efforts = model?.efforts ?? [];
  if (efforts.length === 0) return null;
  const { effort, setEffort } = options;
  const set = model?.traits?.effort;
  return (
    <Menu
      side="top"
      entries={[
        {
          kind: "choice",
          label: t("unset"),
          ...(set && { note: words(set) }),
          chosen: effort === null,
          onSelect: () => setEffort(null),
        },
        ...efforts.map((each) => ({
          kind: "choice" as const,
          label: words(each),
          chosen: each === effort,
          onSelect: () => setEffort(each),
        })),
      ]}
      trigger={{
        className: pickLook,
        "aria-label": t("label", { effort: effort ? words(effort) : t("unset") }),
        children: <span className="truncate">{effort ? words(effort) : t("short")}</span>,
      }}
    />
  );
});
