"use client";

import { useState } from "react";
import { useTranslations } from "use-intl";
import { ObjectFields } from "@/components/ui/schema-field";
import type { SchemaDraft } from "@/components/ui/schema-scalar";
import { type LooseSchema, pointer, setAt } from "@/lib/client/servers/schema-draft";

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
    changed: JSON.stringify(value) !== JSON.stringify(original),
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

/** What cannot be read stands or falls with its place, and with what is around it. */
function without(unread: Readonly<Record<string, string>>, place: string): Record<string, string> {
  return Object.fromEntries(
    Object.entries(unread).filter(([at]) => at !== place && !at.startsWith(`${place}/`)),
  );
}

/** One line for each argument, and each line is a field. */
export function CallArguments({ args }: { args: EditedArguments }) {
  const t = useTranslations("chat.card");
  const { original, value, root } = args;
  const isEmpty = Object.keys(value).length === 0 && Object.keys(root.properties ?? {}).length === 0;
  if (isEmpty) return <p className="meta">{t("noArguments")}</p>;
  const changed = Object.keys(original).filter(
    (name) => JSON.stringify(value[name]) !== JSON.stringify(original[name]),
  );
  return (
    <>
      <div className="seal-args">
        <ObjectFields draft={args} schema={root} path={[]} value={value} />
      </div>
      {changed.length > 0 && (
        <p className="meta">
          {changed.map((name) => `${name}: ${t("was", { value: clip(write(original[name])) })}`).join("; ")}
        </p>
      )}
    </>
  );
}

const write = (value: unknown) => (typeof value === "string" ? value : JSON.stringify(value));
const clip = (text: string) => (text.length > 40 ? `${text.slice(0, 40)}…` : text);
