"use client";

import { useContext, useEffect, useState } from "react";
import { useTranslations } from "use-intl";
import { chipLook, chipNameLook, chipSizeLook, FileAddress } from "@/components/chat/parts/file-part";
import { cn } from "@/components/ui/cn";
import { Icon } from "@/components/ui/icon";
import { useSize } from "@/components/ui/words/use-size";
import { api, asApiError } from "@/lib/client/http/http";
import { fileIdsIn } from "@/lib/protocol/file-references";
import type { RunFile } from "@/lib/protocol/http";
import { showInvisible } from "@/lib/protocol/show-invisible";

/** A call hands over no more; the server refuses it, and says so. */
const maxShown = 10;

interface NamedFilesProps {
  runId: string;
  /** As they would be sent. */
  args: Record<string, unknown>;
}

/** The files that the arguments of a call name (`attachment:<id>`): what each is, to look at before it is handed over. */
export function NamedFiles({ runId, args }: NamedFilesProps) {
  const t = useTranslations("chat.card.files");
  const ids = fileIdsIn(args).slice(0, maxShown);
  if (ids.length === 0) return null;
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-1.5 pt-2 text-mach text-ink-2">
      <span>{t("label")}</span>
      <ul aria-label={t("label")} className="contents">
        {ids.map((id) => (
          <li key={id} className="min-w-0">
            <NamedFile runId={runId} id={id} />
          </li>
        ))}
      </ul>
    </div>
  );
}

function NamedFile({ runId, id }: { runId: string; id: string }) {
  const t = useTranslations("chat.card.files");
  const size = useSize();
  const found = useRunFile(runId, id);
  const addressOf = useContext(FileAddress);
  if (found === undefined) return <span className="text-ink-3">{t("loading")}</span>;
  if (found === "gone" || found === "unknown")
    return <span className="text-shu">{t(found, { id: id.slice(0, 8) })}</span>;
  const { name, mimeType, data } = found;
  const shown = showInvisible(name);
  // A small file of a tool is in the history, and has no address.
  const href = data === undefined ? addressOf(id) : `data:application/octet-stream;base64,${data}`;
  return (
    <a
      className={cn(chipLook, "border-rule-2 no-underline hover:bg-paper-3 hover:text-ink phone:min-h-11")}
      href={href}
      title={t("open", { name: shown })}
      {...(data === undefined ? { target: "_blank", rel: "noreferrer" } : { download: name })}
    >
      <Icon name="attach" size={12} />
      <span className={chipNameLook}>{shown}</span>{" "}
      <span className={chipSizeLook}>
        {mimeType} · {size(found.size)}
      </span>
    </a>
  );
}

type Found = RunFile | "gone" | "unknown" | undefined;

/** Undefined until the server has answered; "unknown" where it has not. */
function useRunFile(runId: string, id: string): Found {
  const [found, setFound] = useState<Found>();
  useEffect(() => {
    const stop = new AbortController();
    api<RunFile>(`/api/runs/${encodeURIComponent(runId)}/files/${id}`, { signal: stop.signal })
      .then(setFound)
      .catch((cause: unknown) => {
        if (!stop.signal.aborted) setFound(asApiError(cause).status === 404 ? "gone" : "unknown");
      });
    return () => stop.abort();
  }, [runId, id]);
  return found;
}
