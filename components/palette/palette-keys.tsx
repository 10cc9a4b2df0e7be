"use client";

import { useTranslations } from "use-intl";
import { Key } from "@/components/ui/key";
import type { GroupId } from "./palette-group";

/** The keys of the palette, under its list, as many as fit; on phones there are none. */
export function PaletteKeys({ next }: { next: GroupId | null }) {
  const t = useTranslations("palette");
  const keys: [keys: string, label: string][] = [
    ["↑↓", t("key.move")],
    ["Enter", t("key.open")],
    ["Tab", next ? t("key.only", { group: t(`groupInText.${next}`) }) : t("key.all")],
    [">", t("key.commands")],
    ["Mod+Enter", t("key.beside")],
  ];
  return (
    <div
      aria-hidden="true"
      className="flex h-9 flex-none gap-5 px-4 text-micro whitespace-nowrap text-ink-3 rule-t phone:hidden"
    >
      <div className="flex h-9 min-w-0 flex-1 flex-wrap gap-x-5 overflow-hidden">
        {keys.map(([key, label]) => (
          <Hint key={key} keys={key} label={label} />
        ))}
      </div>
      <Hint keys="Escape" label={t("key.close")} />
    </div>
  );
}

function Hint({ keys, label }: { keys: string; label: string }) {
  return (
    <span className="inline-flex h-9 items-center gap-1.5">
      <Key keys={keys} />
      {label}
    </span>
  );
}
