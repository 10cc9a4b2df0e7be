"use client";

import { useRef, useState } from "react";
import { useTranslations } from "use-intl";
import { LoadState } from "@/components/settings/load-state";
import { PageHead } from "@/components/settings/page-head";
import { cn } from "@/components/ui/cn";
import { Button } from "@/components/ui/controls/button";
import { ForAdmins } from "@/components/ui/words/account";
import { refreshAgents, useAgents } from "@/lib/client/conversation/agents";
import { AgentEditor } from "./agent-editor";
import { AgentList } from "./agent-list";

export function AgentsPage({ asked }: { asked: string | null }) {
  const t = useTranslations("settings.agents");
  const { data, error } = useAgents();
  /** "new": the one that is being made, which no agent is called here; null: none. */
  const [open, setOpen] = useState<string | null>(asked);
  const newButton = useRef<HTMLButtonElement>(null);
  const close = () => {
    setOpen(null);
    newButton.current?.focus();
  };
  const id = open === newId ? undefined : (open ?? undefined);
  return (
    <>
      <PageHead title={t("title")} lede={<p>{t("lede")}</p>}>
        <ForAdmins>
          <Button ref={newButton} icon="plus" onClick={() => setOpen(newId)}>
            {t("new")}
          </Button>
        </ForAdmins>
      </PageHead>
      {!data && <LoadState error={error} onRetry={refreshAgents} />}
      {data && (
        <div className="grid grid-cols-[minmax(0,220px)_minmax(0,1fr)] gap-x-8 pt-3 rule-t mid:grid-cols-1">
          <div className={cn(open !== null && "mid:hidden")}>
            <AgentList agents={data} open={open} onOpen={setOpen} />
          </div>
          <div className="min-w-0">
            {open !== null && (
              <AgentEditor key={open} id={id} agents={data} onSaved={setOpen} onClose={close} />
            )}
          </div>
        </div>
      )}
    </>
  );
}

/** No agent can be called this. */
const newId = "*";
