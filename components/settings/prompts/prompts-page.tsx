"use client";

import { useRef, useState } from "react";
import { useTranslations } from "use-intl";
import { LoadState } from "@/components/settings/load-state";
import { PageHead } from "@/components/settings/page-head";
import { cn } from "@/components/ui/cn";
import { Button } from "@/components/ui/controls/button";
import { refreshOwnPrompts, useOwnPrompts } from "@/lib/client/conversation/prompts";
import { PromptForm } from "./prompt-form";
import { PromptList } from "./prompt-list";
import { SkillSection } from "./skill-section";

export function PromptsPage() {
  const t = useTranslations("settings.prompts");
  const { data, error } = useOwnPrompts();
  /** "new": the one that is being made; null: none. */
  const [open, setOpen] = useState<string | null>(null);
  const newButton = useRef<HTMLButtonElement>(null);
  const chosen = data?.items.find(({ id }) => id === open);
  const isOpen = open === "new" || chosen !== undefined;
  const close = () => {
    setOpen(null);
    newButton.current?.focus();
  };
  return (
    <>
      <PageHead title={t("title")} lede={<p>{t("lede")}</p>}>
        <Button ref={newButton} icon="plus" onClick={() => setOpen("new")}>
          {t("new")}
        </Button>
      </PageHead>
      {!data && <LoadState error={error} onRetry={refreshOwnPrompts} />}
      {data && (
        <div className="grid grid-cols-[minmax(0,280px)_minmax(0,1fr)] gap-x-8 pt-3 pb-5 rule-t mid:grid-cols-1">
          <div className={cn(isOpen && "mid:hidden")}>
            <PromptList prompts={data.items} open={open} onOpen={setOpen} />
          </div>
          <div className="min-w-0">
            {isOpen && <PromptForm key={open} prompt={chosen} onOpen={setOpen} onClose={close} />}
          </div>
        </div>
      )}
      <SkillSection />
    </>
  );
}
