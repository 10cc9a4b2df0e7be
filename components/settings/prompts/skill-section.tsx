"use client";

import { useTranslations } from "use-intl";
import { LoadState } from "@/components/settings/load-state";
import { Section } from "@/components/settings/section";
import { useSentence } from "@/components/ui/words/sentences";
import { refreshSkills, useSkills } from "@/lib/client/servers/skills";

/** What models are offered, and what is in the folder of skills and cannot be used. */
export function SkillSection() {
  const t = useTranslations("settings.prompts.skills");
  const inWords = useSentence();
  const { data, error } = useSkills();
  return (
    <Section title={t("title")} note={t("note")}>
      {!data && <LoadState error={error} onRetry={refreshSkills} />}
      {data && data.items.length + data.broken.length === 0 && <p className="text-ink-3">{t("none")}</p>}
      {data && (
        <ul>
          {data.items.map(({ name, description, server }) => (
            <li key={name} className="py-2 not-first:rule-t">
              <p className="flex flex-wrap items-baseline gap-x-3">
                <b className="font-semibold wrap-anywhere">{name}</b>
                <small className="text-micro text-ink-3">{server ?? t("ofFolder")}</small>
              </p>
              <p className="line-clamp-3 text-ink-2 wrap-anywhere">{description}</p>
            </li>
          ))}
          {data.broken.map(({ folder, error: why }) => (
            <li key={`broken-${folder}`} className="py-2 not-first:rule-t">
              <p className="flex flex-wrap items-baseline gap-x-3">
                <b className="font-semibold wrap-anywhere">{folder}</b>
                <small className="text-micro text-shu">{t("broken")}</small>
              </p>
              <p className="text-ink-2 wrap-anywhere">{inWords(why)}</p>
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
}
