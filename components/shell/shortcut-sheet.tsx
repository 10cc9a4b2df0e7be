"use client";

import { useTranslations } from "use-intl";
import { Key } from "@/components/ui/key";
import { Dialog } from "@/components/ui/layers/dialog";
import { shortcutGroups } from "./shortcut-groups";

/** Every key that does something, in one place; in two columns where there is room. */
export default function ShortcutSheet({ onClose }: { onClose(): void }) {
  const t = useTranslations("shell");
  const words = useTranslations("shell.shortcut");
  const common = useTranslations("common");
  return (
    <Dialog title={t("shortcuts")} closeLabel={common("close")} width={800} onClose={onClose}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable with the keyboard */}
      <div className="columns-2 gap-10 text-mach outline-offset-4 phone:columns-1" tabIndex={0}>
        {shortcutGroups.map(([group, keys]) => (
          <section key={group} className="mb-5 break-inside-avoid" aria-labelledby={`keys-${group}`}>
            <h3 id={`keys-${group}`} className="mb-1 text-micro text-ink-3">
              {words(`group.${group}`)}
            </h3>
            <dl>
              {Object.entries(keys).map(([name, key]) => (
                <div key={name} className="flex min-h-8 items-center gap-3 rule-b">
                  <dt className="min-w-0 flex-1 text-pretty">{words(name as Name)}</dt>
                  <dd className="whitespace-nowrap">
                    <Key keys={key} always />
                    <span className="sr-only">{spoken(key)}</span>
                  </dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </Dialog>
  );
}

type Name = Parameters<ReturnType<typeof useTranslations<"shell.shortcut">>>[0];

const spoken = (keys: string) => keys.replace("Mod", "Control").replace("Arrow", "Arrow ");
