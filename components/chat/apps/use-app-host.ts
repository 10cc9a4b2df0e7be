import { useContext, useRef } from "react";
import type { AppHost } from "@/lib/client/servers/app-session";
import { callForApp, readForApp } from "@/lib/client/servers/apps";
import type { ToolCallId } from "@/lib/protocol/ids";
import type { ToolResult } from "@/lib/protocol/message";
import { AppText } from "./app-text";
import type { useAsks } from "./use-asks";

type Put = ReturnType<typeof useAsks>["put"];

const mostTexts = 20;
const maxAddress = 4_000;

/** What an app of a server may do by way of the page: nothing that a person, the rules or its own server did not allow. */
export function useAppHost(
  server: string,
  callId: ToolCallId,
  put: Put,
): Pick<AppHost, "callTool" | "read" | "openLink" | "write"> {
  const write = useWrite();
  return {
    callTool: callerOf(server, callId, put),
    read: (uri) => readForApp(server, uri),
    openLink: async (url) => isLink(url) && (await put({ kind: "link", url })) !== "no",
    write,
  };
}

const isLink = (url: string) =>
  url.length <= maxAddress && URL.canParse(url) && /^https?:$/.test(new URL(url).protocol);

/** Calls as the rules say; what they ask about is put to the person, and a no is a result. */
function callerOf(server: string, id: ToolCallId, put: Put): AppHost["callTool"] {
  const declined: ToolResult = {
    id,
    status: "denied",
    content: [{ type: "text", text: "The user declined this call." }],
  };
  return async (tool, args, signal) => {
    const first = await callForApp({ server, tool, args }, signal);
    if ("result" in first) return first.result;
    const { reason, definition } = first.ask;
    const said = await put({ kind: "call", tool, args, reason }, signal);
    if (said === "no") return declined;
    const approved = { approved: definition, ...(said === "always" && { always: true }) };
    const second = await callForApp({ server, tool, args, ...approved }, signal);
    // Its definition has changed since it was shown: the person has said yes to another one.
    return "result" in second ? second.result : declined;
  };
}

/** Text for the message field, not more often than a person can look at. */
function useWrite(): AppHost["write"] {
  const put = useContext(AppText);
  const count = useRef(0);
  return (text) => {
    if (!put || text.trim() === "" || count.current >= mostTexts) return false;
    count.current++;
    return put(text);
  };
}
