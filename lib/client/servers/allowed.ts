import { useSettings } from "@/lib/client/settings/settings";
import { judgeTool } from "@/lib/protocol/tool-rules";
import { useServers } from "./servers";

/** Whether a call of this tool runs without approval, as far as the page knows the rules. */
export function useIsAllowed(server: string, tool: string): boolean {
  const settings = useSettings().data;
  const tools = useServers().data?.items.find(({ name }) => name === server)?.tools;
  const found = tools?.find(({ name }) => name === tool);
  if (!settings || !found) return false;
  return judgeTool(settings.rules, server, found, settings.toolApproval).effect === "allow";
}
