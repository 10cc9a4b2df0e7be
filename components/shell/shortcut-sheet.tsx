"use client";

import { useTranslations } from "use-intl";
import { Key } from "@/components/ui/key";
import { Dialog } from "@/components/ui/layers/dialog";

/** Every key that does something, in one place. */
export default function ShortcutSheet({ onClose }: { onClose(): void }) {
  const t = useTranslations("shell");
  const common = useTranslations("common");
  return (
    <Dialog title={t("shortcuts")} closeLabel={common("close")} width={440} onClose={onClose}>
      <dl className="text-mach">
        {shortcuts.map(([name, keys]) => (
          <div key={name} className="flex min-h-9 items-center rule-b">
            <dt className="flex-1">{t(`shortcut.${name}`)}</dt>
            <dd>
              <Key keys={keys} always />
              <span className="sr-only">{keys.replace("Mod", "Control")}</span>
            </dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}

const shortcuts = [
  ["newChat", "Mod+Shift+O"],
  ["sidebar", "Mod+Shift+S"],
  ["settings", "Mod+."],
  ["sheet", "Mod+/"],
  ["composer", "Shift+Escape"],
  ["send", "Enter"],
  ["newLine", "Shift+Enter"],
  ["stop", "Escape"],
  ["askAfter", "Enter"],
  ["steer", "Mod+Enter"],
  ["stopAndAsk", "Shift+Mod+Enter"],
] as const;
