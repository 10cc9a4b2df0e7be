import { namesFile } from "@/lib/protocol/file-references";
import { notRun } from "@/lib/protocol/history";
import type { ToolCall } from "@/lib/protocol/message";
import type { OpenCalls } from "@/lib/protocol/open-calls";
import type { ToolBox } from "./ports";

/**
 * Answers a call that names a file which cannot be handed to its tool: no person is asked about a call that cannot run. What
 * was asked or sent before passes: a person may have changed the arguments, and whoever sends looks once more.
 */
export function withFileCheck(
  tools: ToolBox,
  findFault: (call: ToolCall) => Promise<string | undefined>,
  open: OpenCalls,
): ToolBox {
  return {
    list: () => tools.list(),
    async call(call, context) {
      const known = open.get(call.id);
      const isNew = !known?.sent && !known?.answers[call.id];
      const fault = isNew && namesFile(call.args) ? await findFault(call) : undefined;
      return fault === undefined ? tools.call(call, context) : notRun(call.id, `Not run: ${fault}.`);
    },
  };
}
