import { notRun } from "@/lib/protocol/history";
import type { ToolCall, ToolResult } from "@/lib/protocol/message";
import type { ToolBox, ToolSpec } from "./ports";

/**
 * Tools of whoever has asked, beside those of the box: a call of one is handed to them, which ends the answer once the others of its
 * round have ended. One of theirs stands for another by the same name. With `oneCall` the first of a round is handed over alone.
 */
export function withCallerTools(
  tools: ToolBox,
  theirs: readonly ToolSpec[],
  { oneCall = false }: { oneCall?: boolean } = {},
): ToolBox {
  const names = new Set(theirs.map(({ name }) => name));
  let handed: ToolCall["id"] | undefined;
  let known: { own: readonly ToolSpec[]; all: readonly ToolSpec[] } | undefined;
  return {
    list() {
      const own = tools.list();
      // The same list while the own one is the same: adapters keep what they have made of it.
      if (known?.own !== own)
        known = { own, all: [...own.filter(({ name }) => !names.has(name)), ...theirs] };
      return known.all;
    },
    async call(call, context) {
      if (!names.has(call.name)) return tools.call(call, context);
      handed ??= call.id;
      return oneCall && handed !== call.id ? notRun(call.id, oneAtATime) : handedOver(call);
    },
  };
}

const oneAtATime =
  "Not run: one call at a time is made. Ask for this one again when the other one has its result.";

/** In place of a result, which comes with the next question of whoever has asked. */
const handedOver = ({ id }: ToolCall): ToolResult => ({
  ...{ id, status: "ok", reason: "handed_over", endsTurn: true },
  content: [{ type: "text", text: "Handed to the program that asks; what came of it is not known yet." }],
});
