"use client";

import { useRef, useState } from "react";
import { useTranslations } from "use-intl";
import { LoadState } from "@/components/settings/load-state";
import { PageHead } from "@/components/settings/page-head";
import { cn } from "@/components/ui/cn";
import { Button } from "@/components/ui/controls/button";
import { refreshSchedules, useSchedules } from "@/lib/client/settings/schedules";
import { ScheduleForm } from "./schedule-form";
import { ScheduleList } from "./schedule-list";
import { TriggerSection } from "./trigger-section";

/** Questions that are asked without a person: at their times, and when another program calls. */
export function SchedulesPage() {
  const t = useTranslations("settings.schedules");
  const { data, error } = useSchedules();
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
      {!data && <LoadState error={error} onRetry={refreshSchedules} />}
      {data && (
        <div className="grid grid-cols-[minmax(0,376px)_minmax(0,1fr)] gap-x-10 pb-5 rule-t mid:grid-cols-1">
          <div className={cn(isOpen && "mid:hidden")}>
            <ScheduleList schedules={data.items} open={open} onOpen={setOpen} />
          </div>
          <div className="min-w-0 pt-3">
            {isOpen && <ScheduleForm key={open} schedule={chosen} onOpen={setOpen} onClose={close} />}
          </div>
        </div>
      )}
      <TriggerSection />
    </>
  );
}
