"use client";

import { useState } from "react";
import { useTranslations } from "use-intl";
import { fieldClass } from "@/components/ui/controls/field";
import { findModels } from "@/lib/client/conversation/find-models";
import { useModels } from "@/lib/client/conversation/models";
import { Check } from "./check";

/** Of a matrix. */
const maxModels = 6;
/** Rows that are drawn: what is further down is found by its name. */
const maxDrawn = 60;

export interface ModelChecksProps {
  chosen: readonly string[];
  onChange(chosen: string[]): void;
}

/** Up to six models; those that cannot be reached are left out. */
export function ModelChecks({ chosen, onChange }: ModelChecksProps) {
  const t = useTranslations("run.matrix");
  const items = useModels().data?.items ?? [];
  const [query, setQuery] = useState("");
  const { groups, more } = findModels(
    items.filter(({ reachable }) => reachable),
    query,
    maxDrawn,
  );
  const isFull = chosen.length >= maxModels;
  return (
    <fieldset>
      <legend className="mb-1 text-ink-2">{t("models", { max: maxModels })}</legend>
      <input
        className={fieldClass()}
        aria-label={t("find")}
        placeholder={t("find")}
        autoComplete="off"
        spellCheck={false}
        value={query}
        onChange={({ target }) => setQuery(target.value)}
      />
      <div className="mt-1 max-h-48 overflow-y-auto">
        {groups.flatMap(({ items: ofGroup }) =>
          ofGroup.map(({ id, name }) => (
            <Check
              key={id}
              isChosen={chosen.includes(id)}
              isOff={isFull && !chosen.includes(id)}
              onChange={(isOn) => onChange(isOn ? [...chosen, id] : chosen.filter((each) => each !== id))}
            >
              {name}
            </Check>
          )),
        )}
      </div>
      <p className="text-micro text-ink-2">
        {groups.length === 0 ? t("noModel") : more > 0 && t("moreModels", { count: more })}
      </p>
    </fieldset>
  );
}
