import { useEffect, useState } from "react";
import { oncePerFrame } from "@/lib/client/http/frame";
import type { McpLogEvent } from "@/lib/protocol/mcp-offers";
import { addLines, emptyTail, type LogTail } from "./log-tail";

const againMs = 3_000;

/** The log of a server as it is written, rendered once per frame at most; undefined until it is loaded. */
export function useServerLog(server: string): { tail: LogTail | undefined; isCut: boolean } {
  const [tail, setTail] = useState<LogTail>();
  const [isCut, setCut] = useState(false);
  useEffect(() => {
    let newest = emptyTail;
    const frame = oncePerFrame(() => setTail(newest));
    let timer: ReturnType<typeof setTimeout>;
    let source: EventSource;
    const open = () => {
      // When the browser reconnects, the log continues after the last event id.
      source = new EventSource(`/api/mcp/servers/${encodeURIComponent(server)}/logs`);
      source.addEventListener("lines", ({ data }) => {
        newest = addLines(newest, JSON.parse(data) as McpLogEvent);
        frame.ask();
      });
      source.onopen = () => setCut(false);
      source.onerror = () => {
        setCut(true);
        // After a response that is not a stream, such as a proxy's 502, the browser gives up.
        if (source.readyState === EventSource.CLOSED) timer = setTimeout(reopen, againMs);
      };
    };
    const reopen = () => {
      newest = emptyTail; // without an event id the whole log is sent again
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
