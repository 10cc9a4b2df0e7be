"use client";

import { useState } from "react";
import { useFormatter, useTranslations } from "use-intl";
import { Payload } from "@/components/chat/parts/payload";
import { cn } from "@/components/ui/cn";
import type { SentServer } from "@/lib/client/run/request-parts";
import { showInvisible } from "@/lib/protocol/show-invisible";

/** The tools by their servers, each server with its sum. */
export function ToolRows({ servers }: { servers: readonly SentServer[] }) {
  const t = useTranslations("run.request");
  if (servers.length === 0) return <p className="pl-5 text-ink-2">{t("noTools")}</p>;
  return servers.map((server) => <ServerRow key={server.server} server={server} />);
}

function ServerRow({ server: { server, tools, tokens } }: { server: SentServer }) {
  const t = useTranslations("run.request");
  return (
    <Opening
      name={server || t("otherTools")}
      note={tools.map(({ name }) => showInvisible(name)).join(", ")}
      tokens={tokens}
      isNew={tools.some(({ isNew }) => isNew)}
    >
      {() =>
        tools.map((tool) => (
          <Opening
            key={tool.name}
            name={showInvisible(tool.name)}
            note=""
            tokens={tool.tokens}
            isNew={tool.isNew}
          >
            {() => <Payload text={tool.text} />}
          </Opening>
        ))
      }
    </Opening>
  );
}

interface OpeningProps {
  name: string;
  note: string;
  tokens: number;
  isNew: boolean;
  children(): React.ReactNode;
}

function Opening({ name, note, tokens, isNew, children }: OpeningProps) {
  const t = useTranslations("run.request");
  const format = useFormatter();
  const [open, setOpen] = useState(false);
  return (
    <div>
      <button
        type="button"
        aria-expanded={open}
        className="flex min-h-7 w-full items-center gap-x-2 pl-5 text-left hover:bg-paper-2 phone:min-h-11"
        onClick={() => setOpen(!open)}
      >
        <span className={cn("flex-none", isNew && "font-semibold")}>
          {name}
          {isNew && <span className="sr-only"> {t("isNew")}</span>}
        </span>
        <span className="min-w-0 flex-1 truncate text-ink-3">{note}</span>
        <span className="text-ink-2">{format.number(tokens)}</span>
      </button>
      {open && <div className="pb-2 pl-5">{children()}</div>}
    </div>
  );
}
