"use client";

import { createContext, type ReactNode, useContext, useState } from "react";
import { useTranslations } from "use-intl";
import { useErrorText } from "@/components/ui/use-error-text";
import { readResource } from "@/lib/client/servers";
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
    <div className="call-link">
      <p>
        <b>{part.title ?? part.name}</b> <code>{part.uri}</code>
        {part.description && <span className="meta"> {part.description}</span>}
      </p>
      {read && server && <Opener load={() => read(server, part.uri)}>{children}</Opener>}
    </div>
  );
}

/** Opened through its server on a click, and never by itself. */
function Opener({
  load,
  children,
}: {
  load(): Promise<ToolContent[]>;
  children(content: ToolContent[]): ReactNode;
}) {
  const t = useTranslations("chat.tool");
  const errorText = useErrorText();
  const [content, setContent] = useState<ToolContent[] | null>(null);
  const [state, setState] = useState<"closed" | "reading" | "open">("closed");
  const [failure, setFailure] = useState<string | null>(null);
  const toggle = async () => {
    if (state !== "closed") return setState("closed");
    setFailure(null);
    setState("reading");
    try {
      setContent(content ?? (await load()));
      setState("open");
    } catch (error) {
      setFailure(errorText(error));
      setState("closed");
    }
  };
  return (
    <>
      <button
        type="button"
        className="call-raw"
        aria-expanded={state === "open"}
        aria-busy={state === "reading"}
        onClick={() => void toggle()}
      >
        {t(state === "open" ? "closeResource" : state === "reading" ? "readingResource" : "openResource")}
      </button>
      {failure && (
        <p className="meta" role="alert">
          {failure}
        </p>
      )}
      {state === "open" && content && children(content)}
    </>
  );
}
