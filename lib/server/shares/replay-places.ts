import type { ToolCallId } from "@/lib/protocol/ids";
import type { AssistantMessage } from "@/lib/protocol/message";
import { outsideMarks } from "@/lib/protocol/redacted-text";
import type { ReplayStep } from "@/lib/protocol/share-replay";

/** Something of a turn, until the turn is whole and its message is known. */
export interface Draft {
  at: number;
  agent: string | undefined;
  what: { type: "text" | "reasoning"; characters: number } | { type: "tool_call"; id: ToolCallId };
  steps: ReplayStep[];
}

interface Place {
  part: number;
  /** Characters of the part by then; of a call none. */
  to: number;
}

/** Where each draft stands in the message; undefined where they are not what it says. Calls that the message has dropped have no place. */
export function placesOf(drafts: readonly Draft[], { parts }: AssistantMessage): Place[][] | undefined {
  let part = 0;
  let to = 0;
  const places: Place[][] = [];
  for (const { what } of drafts) {
    const own: Place[] = [];
    places.push(own);
    if (what.type === "tool_call") {
      const at = parts.findIndex((each) => each.type === "tool_call" && each.id === what.id);
      if (at < 0) continue;
      if (at !== part) return undefined;
      own.push({ part: at, to: 0 });
      part++;
      continue;
    }
    for (let left = what.characters; left > 0; ) {
      const each = parts[part];
      if (each?.type !== what.type) return undefined;
      const taken = Math.min(left, each.text.length - to);
      to += taken;
      left -= taken;
      own.push({ part, to });
      if (to < each.text.length) continue;
      part++;
      to = 0;
    }
  }
  return part === parts.length ? places : undefined;
}

/** Where each part is in the message as it is shown; parts are only left out by their kind. */
export function shownParts(message: AssistantMessage, shown: AssistantMessage): (number | undefined)[] {
  let next = 0;
  return message.parts.map(({ type }) => (shown.parts[next]?.type === type ? next++ : undefined));
}

/** A redacted text has another length: the way through it is the same. */
export function scaled(
  to: number,
  part: AssistantMessage["parts"][number] | undefined,
  { text: shown }: { text: string },
): number {
  const { length } = shown;
  const whole = part && part.type !== "tool_call" ? part.text.length : 0;
  return to >= whole ? length : outsideMarks(shown, Math.min(length, Math.round((to / whole) * length)));
}
