"use client";

import { useEffect, useId, useRef, useState } from "react";
import { useTranslations } from "use-intl";
import { isEnter } from "@/components/chat/parts/is-send-key";
import { Button } from "@/components/ui/controls/button";
import { fieldClass } from "@/components/ui/controls/field";
import { fillPrompt, type Prompt } from "@/lib/protocol/prompts";

const maxCharacters = 20_000;

/** By id of the prompt, what was typed and not inserted. It lasts until the tab is closed. */
const leftBehind = new Map<string, ReadonlyMap<string, string>>();

export interface OwnPromptFormProps {
  prompt: Prompt;
  onFilled(text: string): void;
  onCancel(): void;
}

/** A field for each variable: Enter inserts, Escape leaves and keeps what was typed. An empty one stays a variable in the text. */
export function OwnPromptForm({ prompt, onFilled, onCancel }: OwnPromptFormProps) {
  const t = useTranslations("chat.library");
  const id = useId();
  const [values, setValues] = useState<ReadonlyMap<string, string>>(
    () => leftBehind.get(prompt.id) ?? new Map(),
  );
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    const fields = [...(form.current?.querySelectorAll("textarea") ?? [])];
    (fields.find(({ value }) => value === "") ?? fields[0])?.focus();
  }, []);
  const insert = () => {
    leftBehind.delete(prompt.id);
    onFilled(fillPrompt(prompt.text, new Map([...values].filter(([, value]) => value !== ""))));
  };
  const change = (name: string, value: string) => {
    const next = new Map(values).set(name, value);
    leftBehind.set(prompt.id, next);
    setValues(next);
  };
  return (
    <form
      ref={form}
      aria-label={prompt.name}
      className="mb-2 grid max-h-[50vh] gap-2 overflow-y-auto rounded-control border border-rule bg-paper px-3.5 py-3"
      onSubmit={(event) => {
        event.preventDefault();
        insert();
      }}
      onKeyDown={(event) => {
        if (event.key !== "Escape" || event.nativeEvent.isComposing) return;
        event.preventDefault();
        event.stopPropagation();
        onCancel();
      }}
    >
      <p className="font-semibold wrap-anywhere">{prompt.name}</p>
      {prompt.variables.map((name, at) => (
        <div key={name} className="grid grid-cols-[9rem_1fr] items-start gap-x-3 gap-y-0.5 phone:grid-cols-1">
          <label htmlFor={`${id}-${at}`} className="py-1 text-mach/6 wrap-anywhere">
            {name}
          </label>
          <textarea
            id={`${id}-${at}`}
            rows={1}
            enterKeyHint="done"
            autoComplete="off"
            maxLength={maxCharacters}
            className={`${fieldClass()} field-sizing-content max-h-40 resize-none`}
            value={values.get(name) ?? ""}
            onChange={({ target }) => change(name, target.value)}
            onKeyDown={(event) => {
              if (!isEnter(event)) return;
              event.preventDefault();
              insert();
            }}
          />
        </div>
      ))}
      <div className="mt-2 flex flex-wrap items-center gap-2">
        <Button type="submit" tone="ink" keys="Enter">
          {t("insert")}
        </Button>
        <Button tone="quiet" onClick={onCancel}>
          {t("cancel")}
        </Button>
      </div>
    </form>
  );
}
