"use client";

import { useState } from "react";
import { useTranslations } from "use-intl";
import { Field } from "@/components/ui/controls/field";
import { isNamed, type Prompt } from "@/lib/protocol/prompts";
import { readDraft } from "./prompt-draft";

/** Fewer are seen at a glance. */
const searchedFrom = 8;

export interface PromptListProps {
  prompts: readonly Prompt[];
  open: string | null;
  onOpen(id: string): void;
}

/** Each with how it begins. */
export function PromptList({ prompts, open, onOpen }: PromptListProps) {
  const t = useTranslations("settings.prompts");
  const [typed, setTyped] = useState("");
  const isSearched = prompts.length >= searchedFrom;
  const shown = isSearched ? prompts.filter(({ name }) => isNamed(name, typed.trim())) : prompts;
  if (prompts.length === 0)
    return <p className="max-w-120 py-3 text-mach text-pretty text-ink-3">{t("none")}</p>;
  return (
    <>
      {isSearched && (
        <Field
          className="mb-2"
          type="search"
          hideLabel
          label={t("search")}
          placeholder={t("search")}
          maxLength={200}
          value={typed}
          onChange={({ target }) => setTyped(target.value)}
        />
      )}
      <p className="text-mach text-ink-3 empty:hidden" role="status">
        {shown.length === 0 && t("notFound")}
      </p>
      <ul aria-label={t("label")} className="text-mach">
        {shown.map((prompt) => (
          <li key={prompt.id} className="rule-b">
            <button
              type="button"
              aria-current={prompt.id === open ? "true" : undefined}
              className="flex min-h-15 w-full items-center gap-3 px-2 py-2 text-left hover:bg-paper-2 aria-[current]:bg-paper-2"
              onClick={() => onOpen(prompt.id)}
            >
              <span className="min-w-0 flex-1">
                <b className="block truncate text-[14px] font-semibold">{prompt.name}</b>
                <small className="block truncate text-micro text-ink-3">{prompt.text.slice(0, 200)}</small>
              </span>
              {readDraft(prompt.id) && (
                <small className="flex-none text-micro text-ink-3">{t("unsaved")}</small>
              )}
            </button>
          </li>
        ))}
      </ul>
    </>
  );
}
