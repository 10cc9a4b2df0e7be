"use client";

import { useId, useState } from "react";
import { useTranslations } from "use-intl";
import { Switch } from "@/components/ui/switch";

/** The arguments of a call while a person looks at them and may change them. */
export interface EditedArguments {
  original: Record<string, unknown>;
  /** As they would be sent; null while one of them cannot be read. */
  value: Record<string, unknown> | null;
  changed: boolean;
  /** The name of the first that cannot be read. */
  error: string | null;
  texts: Record<string, string>;
  edit(name: string, text: string): void;
}

export function useCallArguments(original: Record<string, unknown>): EditedArguments {
  const [texts, setTexts] = useState<Record<string, string>>({});
  const value: Record<string, unknown> = { ...original };
  let error: string | null = null;
  for (const [name, text] of Object.entries(texts)) {
    const read = readAs(original[name], text);
    if (read === unreadable) error ??= name;
    else value[name] = read;
  }
  return {
    original,
    value: error ? null : value,
    changed: error === null && JSON.stringify(value) !== JSON.stringify(original),
    error,
    texts,
    edit: (name, text) => setTexts((before) => ({ ...before, [name]: text })),
  };
}

/** One line for each argument, and each line is a field. */
export function CallArguments({ args }: { args: EditedArguments }) {
  const t = useTranslations("chat.card");
  const names = Object.keys(args.original);
  if (names.length === 0) return <p className="meta">{t("noArguments")}</p>;
  return (
    <div className="seal-args">
      {names.map((name) => (
        <ArgumentLine key={name} name={name} args={args} />
      ))}
    </div>
  );
}

function ArgumentLine({ name, args }: { name: string; args: EditedArguments }) {
  const t = useTranslations("chat.card");
  const id = useId();
  const before = args.original[name];
  const shown = args.texts[name] ?? write(before);
  const changed = shown !== write(before);
  const wrong = readAs(before, shown) === unreadable;
  return (
    <div>
      <label htmlFor={id}>{name}</label>
      <span className="seal-arg">
        {typeof before === "boolean" ? (
          <>
            <Switch
              id={id}
              label={name}
              checked={shown === "true"}
              onChange={(on) => args.edit(name, String(on))}
            />
            <span className="meta">{shown}</span>
          </>
        ) : (
          <textarea
            id={id}
            className="seal-field"
            rows={1}
            spellCheck={false}
            value={shown}
            aria-invalid={wrong || undefined}
            onChange={(event) => args.edit(name, event.target.value)}
          />
        )}
        {wrong ? (
          <span className="seal-from text-shu">{t("unreadable")}</span>
        ) : (
          changed && <span className="seal-from">{t("was", { value: clip(write(before)) })}</span>
        )}
      </span>
    </div>
  );
}

const unreadable = Symbol("unreadable");

/** Text stays text; everything else is JSON of the same kind. */
function readAs(before: unknown, text: string): unknown {
  if (typeof before === "string") return text;
  try {
    const value: unknown = JSON.parse(text);
    const isSame =
      before === null || (typeof value === typeof before && Array.isArray(value) === Array.isArray(before));
    return isSame ? value : unreadable;
  } catch {
    return unreadable;
  }
}

const write = (value: unknown) => (typeof value === "string" ? value : JSON.stringify(value));
const clip = (text: string) => (text.length > 24 ? `${text.slice(0, 24)}…` : text);
