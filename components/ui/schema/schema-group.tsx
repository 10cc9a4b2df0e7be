"use client";

import { type ReactNode, useState } from "react";
import { cn } from "@/components/ui/cn";
import { FieldRow } from "@/components/ui/controls/field-line";
import { Icon } from "@/components/ui/icon";
import { isChanged, type SchemaFieldProps } from "./schema-scalar";

/** A longer list is folded to one line. */
const openUpTo = 3;
const shownFirst = 5;

export interface SchemaGroupProps extends SchemaFieldProps {
  /** What stands in it, in few words each. */
  names: readonly string[];
  children: ReactNode;
}

/** A list or an object as one line that opens: how much is in it, and the first and last of it. */
export function SchemaGroup({ draft, path, name, value, id, end, names, children }: SchemaGroupProps) {
  const [open, setOpen] = useState(names.length <= openUpTo || !Array.isArray(value));
  return (
    <fieldset className="min-w-0 flex-1" aria-label={name}>
      <FieldRow>
        <button
          type="button"
          id={id}
          aria-expanded={open}
          className="flex min-h-9 min-w-0 flex-1 items-center gap-2 text-left font-mono text-[13px]/5"
          onClick={() => setOpen(!open)}
        >
          {/* With an id a label names it. */}
          {!id && <span className="sr-only">{name}: </span>}
          <b className="font-text font-semibold">{names.length}</b>
          <span className={cn("truncate", isChanged(draft, path, value) ? "font-semibold" : "text-ink-2")}>
            {inFew(names)}
          </span>
          <Icon name={open ? "chevronDown" : "chevronRight"} size={12} />
        </button>
        {end}
      </FieldRow>
      {open && <div className="mb-2 pl-3 shadow-[inset_1px_0_var(--line,var(--rule))]">{children}</div>}
    </fieldset>
  );
}

function inFew(names: readonly string[]): string {
  if (names.length <= shownFirst + 1) return names.join(", ");
  return `${names.slice(0, shownFirst).join(", ")} … ${names.at(-1)}`;
}
