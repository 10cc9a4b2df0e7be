"use client";

import { useTranslations } from "use-intl";
import { Choice } from "@/components/ui/controls/choice";
import { Switch } from "@/components/ui/controls/switch";
import { ShareAuthor } from "./share-author";
import type { Look } from "./use-look";

export interface ShareChoices {
  expiry: "never" | "day" | "week" | "month";
  /** The link also plays how it came to be. */
  replay: boolean;
  /** It says who has shared it. */
  author: boolean;
}

export interface ShareOptionsProps {
  look: Look;
  choices: ShareChoices;
  onChange(choices: ShareChoices): void;
}

/** What would be public in words, and when the link ends. */
export function ShareOptions({ look: { preview }, choices, onChange }: ShareOptionsProps) {
  const t = useTranslations("share");
  const questions = preview.messages.filter(({ role, runId }) => role === "user" && runId === null).length;
  const calls = preview.messages.flatMap((message) =>
    message.role === "assistant" ? message.parts.filter(({ type }) => type === "tool_call") : [],
  ).length;
  return (
    <div className="grid gap-4 text-mach">
      <p className="text-ink-2">
        {t(preview.author === undefined ? "public" : "publicNamed", { questions, calls })}
      </p>
      <div className="flex flex-wrap items-center justify-between gap-x-6 rule-y">
        <span aria-hidden="true" className="py-2">
          {t("ends")}
        </span>
        <Choice
          label={t("ends")}
          options={expiries.map((value) => ({ value, label: t(`expiry.${value}`) }))}
          value={choices.expiry}
          onChange={(expiry) => onChange({ ...choices, expiry })}
        />
      </div>
      <div className="-mt-4 flex min-h-8 items-center justify-between gap-x-4 rule-b phone:min-h-11">
        <span aria-hidden="true">{t("replay.offer")}</span>
        <Switch
          label={t("replay.offer")}
          checked={choices.replay}
          onChange={(replay) => onChange({ ...choices, replay })}
        />
      </div>
      <ShareAuthor isShown={choices.author} onChange={(author) => onChange({ ...choices, author })} />
    </div>
  );
}

const expiries = ["never", "day", "week", "month"] as const;
