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
          <Row key={name} label={t(`shortcut.${name}`)} keys={keys} />
        ))}
      </dl>
      <h3 className="mt-5 mb-1 text-micro text-ink-3">{t("shortcut.card.title")}</h3>
      <dl className="text-mach">
        {answers.map(([name, keys]) => (
          <Row key={name} label={t(`shortcut.card.${name}`)} keys={keys} />
        ))}
      </dl>
    </Dialog>
  );
}

function Row({ label, keys }: { label: string; keys: string }) {
  return (
    <div className="flex min-h-9 items-center rule-b">
      <dt className="flex-1">{label}</dt>
      <dd>
        <Key keys={keys} always />
        <span className="sr-only">{keys.replace("Mod", "Control")}</span>
      </dd>
    </div>
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

/** With the focus in a question that waits, and outside of a field. */
const answers = [
  ["once", "Mod+Enter"],
  ["run", "R"],
  ["always", "Shift+A"],
  ["server", "Shift+S"],
  ["reads", "Shift+R"],
  ["deny", "D"],
  ["json", "E"],
] as const;
