import type { ToolCallId } from "@/lib/protocol/ids";
import type { ToolBox } from "./ports";

/** Arguments that a person has put in place of the model's, before the call was judged. */
interface EditedCall {
  id: ToolCallId;
  args: Record<string, unknown>;
}

/**
 * Runs one call with a person's arguments, by the rules that hold for any call. The model's message keeps its own; the result
 * says what really ran. Outermost, so that checks and questions are about these arguments.
 */
export function withEditedArgs(tools: ToolBox, edited: EditedCall | undefined): ToolBox {
  if (!edited) return tools;
  const { id, args } = edited;
  return {
    list: () => tools.list(),
    async call(call, context) {
      if (call.id !== id) return tools.call(call, context);
      // Why the model's could not be read is no matter of these.
      const { malformed: _, excess: __, ...asked } = call;
      const outcome = await tools.call({ ...asked, args }, context);
      return "waiting" in outcome || outcome.args ? outcome : { ...outcome, args };
    },
  };
}
