"use client";

import { type ReactNode, useState } from "react";
import { useTranslations } from "use-intl";
import { latePart, useLatePart } from "@/components/ui/late-part";
import type { MenuEntry } from "@/components/ui/layers/menu-entry";
import { isSameSet, usePresets } from "@/lib/client/servers/presets";
import { PresetServers } from "./preset-servers";

const savePreset = latePart(() => import("./save-preset"));
const editPresets = latePart(() => import("./edit-presets"));

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
  const SavePreset = useLatePart(savePreset, asked === "save");
  const EditPresets = useLatePart(editPresets, asked === "edit");
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
      <>
        {SavePreset && <SavePreset servers={chosen} onClose={close} />}
        {EditPresets && <EditPresets onClose={close} />}
      </>
    ),
  };
}
