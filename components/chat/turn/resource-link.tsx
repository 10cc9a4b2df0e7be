"use client";

import { createContext, type ReactNode, useContext, useState } from "react";
import { useTranslations } from "use-intl";
import { TextButton } from "@/components/ui/controls/text-button";
import { useErrorText } from "@/components/ui/words/use-error-text";
import { useResourceUpdates } from "@/lib/client/servers/resource-updates";
import { readResource } from "@/lib/client/servers/server-actions";
import type { ResourceLinkPart, ToolContent } from "@/lib/protocol/message";

type Read = (server: string, uri: string) => Promise<ToolContent[]>;

/** Reads what a link points to, by the server that gave it; null where nobody may, as on a shared page. */
export const ResourceReader = createContext<Read | null>(readResource);

export interface ResourceLinkProps {
  part: ResourceLinkPart;
  server: string;
  /** How the content is shown. */
  children(content: ToolContent[]): ReactNode;
}

/** A resource that a tool points to. */
export function ResourceLink({ part, server, children }: ResourceLinkProps) {
  const read = useContext(ResourceReader);
  return (
    <div>
      <p>
        <b>{part.title ?? part.name}</b>{" "}
        <code className="text-[12px] wrap-anywhere text-ink-3">{part.uri}</code>
        {part.description && <span className="meta"> {part.description}</span>}
      </p>
      {read && server && (
        <Opener server={server} uri={part.uri} load={() => read(server, part.uri)}>
          {children}
        </Opener>
      )}
    </div>
  );
}

interface OpenerProps {
  server: string;
  uri: string;
  load(): Promise<ToolContent[]>;
  children(content: ToolContent[]): ReactNode;
}

/** Opened through its server on a click, and never by itself; says when it has changed there since. */
function Opener({ server, uri, load, children }: OpenerProps) {
  const t = useTranslations("chat.tool");
  const errorText = useErrorText();
  const [content, setContent] = useState<ToolContent[] | null>(null);
  const [state, setState] = useState<"closed" | "reading" | "open">("closed");
  const [failure, setFailure] = useState<string | null>(null);
  const { changed, markRead } = useResourceUpdates(server, uri, state === "open");
  const read = async () => {
    setFailure(null);
    setState("reading");
    try {
      setContent(await load());
      markRead();
      setState("open");
    } catch (error) {
      setFailure(errorText(error));
      setState("closed");
    }
  };
  return (
    <>
      <TextButton
        aria-expanded={state === "open"}
        aria-busy={state === "reading"}
        onClick={() => (state === "closed" ? void read() : setState("closed"))}
      >
        {t(state === "open" ? "closeResource" : state === "reading" ? "readingResource" : "openResource")}
      </TextButton>
      {changed && state === "open" && (
        <p className="meta" role="status">
          {t("resourceChanged")} <TextButton onClick={() => void read()}>{t("readAgain")}</TextButton>
        </p>
      )}
      {failure && (
        <p className="meta" role="alert">
          {failure}
        </p>
      )}
      {state !== "closed" && content && children(content)}
    </>
  );
}
