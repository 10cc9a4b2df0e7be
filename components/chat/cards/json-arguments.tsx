"use client";

import { type Schema, Validator } from "@cfworker/json-schema";
import { useId, useState } from "react";
import { useTranslations } from "use-intl";
import { isObject, type LooseSchema } from "@/lib/client/servers/schema-draft";
import { admitReferences } from "@/lib/protocol/admit-references";
import { namesFile } from "@/lib/protocol/file-references";
import { changedNames, type EditedArguments } from "./call-arguments";

/** All arguments as one JSON object; what does not fit the schema of the tool names its place. */
export default function JsonArguments({ args }: { args: EditedArguments }) {
  const t = useTranslations("chat.card.json");
  const id = useId();
  const [text, setText] = useState(() => JSON.stringify(args.value, null, 2));
  const fault = faultOf(text, args.root);
  const changed = changedNames(args.original, args.value);
  const change = (next: string) => {
    setText(next);
    args.setText([], next, faultOf(next, args.root) ? undefined : JSON.parse(next));
  };
  return (
    <>
      <textarea
        aria-label={t("label")}
        aria-describedby={id}
        aria-invalid={fault !== null || undefined}
        className="block field-sizing-content max-h-100 min-h-24 w-full resize-none rounded-control border border-rule-2 bg-paper px-3 py-2 font-mono text-code focus-visible:rounded-control focus-visible:border-ink focus-visible:outline-1 focus-visible:outline-offset-0"
        spellCheck={false}
        value={text}
        onChange={({ target }) => change(target.value)}
      />
      <p id={id} role="status" className="pt-1 text-micro text-ink-3">
        {fault ? (
          <span className="text-shu">{t(fault.kind, { line: fault.line, place: fault.place })}</span>
        ) : (
          <>
            {Object.keys(args.root).length > 0 && `${t("fits")} `}
            {changed.length > 0 && t("differs", { count: changed.length, names: changed.join(", ") })}
          </>
        )}
      </p>
    </>
  );
}

interface Fault {
  kind: "syntax" | "noObject" | "misfit";
  line: number;
  place: string;
}

function faultOf(text: string, schema: LooseSchema): Fault | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return { kind: "syntax", line: lineOf(text, String(error)), place: "" };
  }
  if (!isObject(value)) return { kind: "noObject", line: 0, place: "" };
  const place = misfitOf(value, schema);
  return place === null ? null : { kind: "misfit", line: 0, place };
}

/** Browsers name the line, or the character. */
function lineOf(text: string, message: string): number {
  const line = /line (\d+)/.exec(message)?.[1];
  if (line !== undefined) return Number(line);
  const at = /position (\d+)/.exec(message)?.[1];
  return text.slice(0, at === undefined ? text.length : Number(at)).split("\n").length;
}

/** Where the value does not fit, as `/items/0/price`; null where it does, or the schema cannot be used. */
function misfitOf(value: unknown, schema: LooseSchema): string | null {
  try {
    const fitting = namesFile(value) ? admitReferences(schema) : schema;
    const { valid, errors } = new Validator(fitting as Schema, "2020-12").validate(value);
    return valid ? null : (errors.at(-1)?.instanceLocation.replace(/^#/, "") ?? "") || "/";
  } catch {
    return null;
  }
}
