"use client";

import { useRef, useState } from "react";
import { notifyFailure } from "@/components/ui/toast";
import { useErrorText } from "@/components/ui/words/use-error-text";
import { asApiError } from "@/lib/client/http/http";
import type { AssistantFields } from "@/lib/protocol/assistants";

export type FieldErrors = { [Field in keyof AssistantFields]?: string | undefined };

/** What the server refuses is said at the field that it names; everything else in a message. */
export function useFieldErrors() {
  const errorText = useErrorText();
  const [errors, setErrors] = useState<FieldErrors>({});
  const busy = useRef(false);
  const attempt = async <Answer>(work: () => Promise<Answer>): Promise<Answer | undefined> => {
    // Enter twice would make two.
    if (busy.current) return undefined;
    busy.current = true;
    try {
      return await work();
    } catch (error) {
      const field = fieldOf(error);
      if (field) setErrors({ [field]: errorText(error) });
      else notifyFailure(errorText(error));
      return undefined;
    } finally {
      busy.current = false;
    }
  };
  return { errors, setErrors, attempt };
}

const shown = new Set([
  "name",
  "icon",
  "description",
  "instructions",
  "model",
  "effort",
  "servers",
  "agent",
  "examples",
]);

function fieldOf(error: unknown): string | undefined {
  const { details } = asApiError(error);
  const { issues } = (details ?? {}) as { issues?: { path: string }[] };
  const field = issues?.[0]?.path.split(".")[0];
  return field && shown.has(field) ? field : undefined;
}
