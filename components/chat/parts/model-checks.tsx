"use client";

import { useState } from "react";
import { useTranslations } from "use-intl";
import { cn } from "@/components/ui/cn";
import { Check } from "@/components/ui/controls/check";
import { fieldClass } from "@/components/ui/controls/field";
import { useSentence } from "@/components/ui/words/sentences";
import { findModels } from "@/lib/client/conversation/find-models";
import { useModels } from "@/lib/client/conversation/models";

/** Rows that are drawn: what is further down is found by its name. */
const maxDrawn = 60;

export interface ModelChecksProps {
  label: string;
  /** Keeps the label for readers only. */
  hideLabel?: boolean;
  max: number;
  /** All of them can be reached. */
  chosen: readonly string[];
  onChange(chosen: string[]): void;
  /** How high the list is. */
  className: string;
}

/** Chooses several models, found by their names; one that cannot be reached says why. */
export function ModelChecks({ label, hideLabel, max, chosen, onChange, className }: ModelChecksProps) {
  const t = useTranslations("chat.compare");
  const inWords = useSentence();
  const [query, setQuery] = useState("");
  const { groups, more } = findModels(useModels().data?.items ?? [], query, maxDrawn);
  const isFull = chosen.length >= max;
  return (
    <fieldset className="text-mach">
      <legend className={hideLabel ? "sr-only" : "mb-1 text-ink-2"}>{label}</legend>
      <input
        className={fieldClass()}
        aria-label={t("find")}
        placeholder={t("find")}
        autoComplete="off"
        spellCheck={false}
        value={query}
        onChange={({ target }) => setQuery(target.value)}
      />
      <div className={cn("mt-2 overflow-y-auto", className)}>
        {groups.map(({ provider, label: ofGroup, items }) => (
          <div key={provider}>
            <p className="pt-2 pb-0.5 text-micro text-ink-2">{ofGroup}</p>
            {items.map(({ id, name, reachable, reason }) => (
              <Check
                key={id}
                isChosen={chosen.includes(id)}
                isOff={!reachable || (isFull && !chosen.includes(id))}
                onChange={(isOn) => onChange(isOn ? [...chosen, id] : chosen.filter((each) => each !== id))}
              >
                {name}
                {!reachable && reason && <small className="block text-micro">{inWords(reason)}</small>}
              </Check>
            ))}
          </div>
        ))}
      </div>
      <p className="mt-2 text-micro text-ink-2">
        {groups.length === 0 ? t("none") : more > 0 && t("more", { count: more })}
      </p>
    </fieldset>
  );
}
