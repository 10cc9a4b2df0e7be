"use client";

import { useTranslations } from "use-intl";
import { IconButton } from "@/components/ui/controls/button";
import { ownValue } from "@/lib/client/servers/schema-draft";
import { isChanged, type SchemaFieldProps } from "./schema-scalar";

/** What a person made of it, in its own line, with the way back. */
export function Change({
  draft,
  name,
  path,
  value,
}: Pick<SchemaFieldProps, "draft" | "name" | "path" | "value">) {
  const t = useTranslations("common.form");
  const before = draft.original && ownValue(draft.original, name);
  if (before === undefined || !isChanged(draft, path, value)) return null;
  const was = typeof before === "string" ? before : JSON.stringify(before);
  return (
    <span className="text-ink-2 phone:order-last phone:basis-full phone:pb-2">
      {t.rich(value === undefined ? "leftOutByYou" : "changedByYou", {
        value: clip(was),
        del: (text) => <del className="font-mono text-[12px] text-ink-3">{text}</del>,
      })}{" "}
      <button
        type="button"
        className="whitespace-nowrap text-ink underline underline-offset-3"
        aria-label={t("putBackName", { name })}
        onClick={() => draft.set(path, before)}
      >
        {t("putBack")}
      </button>
    </span>
  );
}

interface ActProps {
  name: string;
  onClick(): void;
}

export function AddButton({ name, label, onClick }: ActProps & { label: string }) {
  return (
    <button
      type="button"
      className="min-h-6 font-mono text-[12px]/5 text-ink-2 underline-offset-3 hover:text-ink hover:underline phone:min-h-9"
      aria-label={label}
      onClick={onClick}
    >
      + {name}
    </button>
  );
}

export function RemoveButton({ name, onClick }: ActProps) {
  const t = useTranslations("common.form");
  return (
    <IconButton
      icon="cross"
      iconSize={12}
      className="h-9 w-6 self-start phone:h-11 phone:w-6"
      label={t("remove", { name })}
      tipSide="right-edge"
      onClick={onClick}
    />
  );
}

const clip = (text: string) => (text.length > 40 ? `${text.slice(0, 40)}…` : text);
