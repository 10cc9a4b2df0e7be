"use client";

import { useRef, useState } from "react";
import { notifyFailure } from "@/components/ui/toast";
import { useErrorText } from "@/components/ui/words/use-error-text";
import { asApiError } from "@/lib/client/http/http";

export type FieldErrors<Field extends string> = { [Name in Field]?: string | undefined };

/**
 * What the server refuses is said at the field that it names, if the form has it and nothing was changed in it since; everything else in
 * a message. A form tells of a change by `setErrors`.
 */
export function useFieldErrors<Field extends string>(fields: readonly Field[]) {
  const errorText = useErrorText();
  const [errors, show] = useState<FieldErrors<Field>>({});
  const busy = useRef(false);
  const changes = useRef(0);
  const setErrors = (now: FieldErrors<Field>) => {
    changes.current++;
    show(now);
  };
  const attempt = async <Answer>(work: () => Promise<Answer>): Promise<Answer | undefined> => {
    // Enter twice would make two.
    if (busy.current) return undefined;
    busy.current = true;
    const before = changes.current;
    try {
      return await work();
    } catch (error) {
      const field = fields.find((each) => each === fieldOf(error));
      const text = field === undefined ? errorText(error) : withoutField(errorText(error), field);
      if (field !== undefined && changes.current === before) show({ [field]: text } as FieldErrors<Field>);
      else notifyFailure(text);
      return undefined;
    } finally {
      busy.current = false;
    }
  };
  return { errors, setErrors, attempt };
}

/** The server begins with its own name of the field, which a person has never seen: the label stands above. */
function withoutField(text: string, field: string): string {
  const rest = text.replace(new RegExp(`^${field}(?:\\.[\\w.]+)?[:：]\\s*`), "");
  return rest.charAt(0).toUpperCase() + rest.slice(1);
}

function fieldOf(error: unknown): string | undefined {
  const { details } = asApiError(error);
  const { issues } = (details ?? {}) as { issues?: { path: string }[] };
  return issues?.[0]?.path.split(".")[0];
}
