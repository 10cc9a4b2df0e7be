"use client";

import { useEffect, useRef } from "react";
import { useTranslations } from "use-intl";
import { StateFields, type StateFieldsProps } from "@/components/state-fields";

export interface AgentStateProps extends StateFieldsProps {
  /** How often a message was held back because something is missing here. */
  held: number;
}

/** What the chosen agent begins with, above the message. */
export default function AgentState({ held, ...fields }: AgentStateProps) {
  const t = useTranslations("chat.agents");
  const place = useRef<HTMLFieldSetElement>(null);
  useEffect(() => {
    if (held > 0) place.current?.querySelector<HTMLInputElement>("input:invalid")?.focus();
  }, [held]);
  return (
    <fieldset ref={place} className="grid max-h-[30vh] gap-2 overflow-y-auto px-3.5 pt-3">
      <legend className="sr-only">{t("begins")}</legend>
      <StateFields {...fields} />
    </fieldset>
  );
}
