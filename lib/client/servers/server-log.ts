import { useEffect, useState } from "react";
import { oncePerFrame } from "@/lib/client/http/frame";
import { addLines, emptyTail, type LogTail } from "@/lib/client/http/log-tail";
import type { McpLogEvent } from "@/lib/protocol/mcp-offers";

const againMs = 3_000;

/** The log of a server as it is written, drawn anew once per frame at most; undefined until it is there. */
export function useServerLog(server: string): { tail: LogTail | undefined; isCut: boolean } {
  const [tail, setTail] = useState<LogTail>();
  const [isCut, setCut] = useState(false);
  useEffect(() => {
    let newest = emptyTail;
    const frame = oncePerFrame(() => setTail(newest));
    let timer: ReturnType<typeof setTimeout>;
    let source: EventSource;
    const open = () => {
      // Opened again by the browser, it goes on after the last mark.
      source = new EventSource(`/api/mcp/servers/${encodeURIComponent(server)}/logs`);
      source.addEventListener("lines", ({ data }) => {
        newest = addLines(newest, JSON.parse(data) as McpLogEvent);
        frame.ask();
      });
      source.onopen = () => setCut(false);
      source.onerror = () => {
        setCut(true);
        // After an answer that is no stream, a proxy's 502, the browser gives up.
        if (source.readyState === EventSource.CLOSED) timer = setTimeout(reopen, againMs);
      };
    };
    const reopen = () => {
      newest = emptyTail; // without a mark, all that is kept comes once more
      open();
    };
    open();
    return () => {
      clearTimeout(timer);
      source.close();
      frame.cancel();
    };
  }, [server]);
  return { tail, isCut };
}
