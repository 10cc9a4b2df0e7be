"use client";

import { useState } from "react";
import { useTranslations } from "use-intl";
import { ObjectFields } from "@/components/ui/schema/schema-field";
import type { SchemaDraft } from "@/components/ui/schema/schema-scalar";
import { type LooseSchema, ownValue, pointer, setAt } from "@/lib/client/servers/schema-draft";

/** The arguments of a call while a person looks at them and may change them. */
export interface EditedArguments extends SchemaDraft {
  original: Record<string, unknown>;
  /** As they would be sent. */
  value: Record<string, unknown>;
  changed: boolean;
  /** Something in it cannot be read. */
  isBroken: boolean;
}

/** By the schema of the tool, where it is known. */
export function useCallArguments(
  original: Record<string, unknown>,
  schema: LooseSchema | undefined,
): EditedArguments {
  const [{ value, unread }, setState] = useState<Pick<EditedArguments, "value" | "unread">>({
    value: original,
    unread: {},
  });
  return {
    original,
    root: schema ?? {},
    value,
    unread,
    changed: changedNames(original, value).length > 0,
    isBroken: Object.keys(unread).length > 0,
    set: (path, next) =>
      setState((before) => ({
        value: setAt(before.value, path, next) as Record<string, unknown>,
        unread: without(before.unread, pointer(path)),
      })),
    setText: (path, text, next) =>
      setState((before) => {
        const others = without(before.unread, pointer(path));
        return next === undefined
          ? { value: before.value, unread: { ...others, [pointer(path)]: text } }
          : { value: setAt(before.value, path, next) as Record<string, unknown>, unread: others };
      }),
  };
}

/** Names of the arguments that are no longer what the model wrote. */
export function changedNames(before: Record<string, unknown>, now: Record<string, unknown>): string[] {
  return [...new Set([...Object.keys(before), ...Object.keys(now)])].filter(
    (name) => JSON.stringify(ownValue(before, name)) !== JSON.stringify(ownValue(now, name)),
  );
}

/** What cannot be read stands or falls with its place, and with what is around it. */
function without(unread: Readonly<Record<string, string>>, place: string): Record<string, string> {
  return Object.fromEntries(
    Object.entries(unread).filter(([at]) => at !== place && !at.startsWith(`${place}/`)),
  );
}

/** Lines of names and values, ruled in the tone of the card. */
export const argumentLines =
  "[--line:color-mix(in_srgb,var(--shu)_24%,transparent)] shadow-[inset_0_1px_var(--line)]";

/** One line for each argument, and each line is a field. */
export function CallArguments({ args }: { args: EditedArguments }) {
  const t = useTranslations("chat.card");
  const { value, root, original } = args;
  const names = [value, original, root.properties ?? {}].flatMap(Object.keys);
  if (names.length === 0) return <p className="text-mach text-ink-3">{t("noArguments")}</p>;
  return (
    <div className={argumentLines}>
      <ObjectFields draft={args} schema={root} path={[]} value={value} />
    </div>
  );
}
