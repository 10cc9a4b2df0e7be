"use client";

import { lazy, type ReactNode, Suspense, useState } from "react";
import { useTranslations } from "use-intl";
import type { MenuEntry } from "@/components/ui/layers/menu-entry";
import { isSameSet, usePresets } from "@/lib/client/servers/presets";
import { PresetServers } from "./preset-servers";

const SavePreset = lazy(() => import("./save-preset"));
const EditPresets = lazy(() => import("./edit-presets"));

export interface PresetMenu {
  /** The presets to choose from; nothing where there are none. */
  choices: MenuEntry[];
  /** To keep the present choice and to change what is kept. */
  tasks: MenuEntry[];
  /** What is asked at the moment, in front of the page. */
  dialog: ReactNode;
}

/** The part of the menu of servers that is about presets; `chosen` are the servers that would be kept now. */
export function usePresetMenu(
  chosen: readonly string[],
  choose: (servers: readonly string[]) => void,
): PresetMenu {
  const t = useTranslations("chat.presets");
  const presets = usePresets().data?.items ?? [];
  const [asked, setAsked] = useState<"save" | "edit" | null>(null);
  const close = () => setAsked(null);
  const choices = presets.map(
    ({ name, servers }): MenuEntry => ({
      kind: "choice",
      label: name,
      note: <PresetServers servers={servers} />,
      chosen: isSameSet(servers, chosen),
      onSelect: () => choose(servers),
    }),
  );
  return {
    choices: choices.length === 0 ? [] : [{ kind: "label", label: t("label") }, ...choices, { kind: "rule" }],
    tasks: [
      { label: t("saveAs"), icon: "plus", onSelect: () => setAsked("save") },
      ...(presets.length === 0
        ? []
        : [{ label: t("edit"), icon: "pencil", onSelect: () => setAsked("edit") } as const]),
    ],
    dialog: (
      <Suspense fallback={null}>
        {asked === "save" && <SavePreset servers={chosen} onClose={close} />}
        {asked === "edit" && <EditPresets onClose={close} />}
      </Suspense>
    ),
  };
}
