import type { SayHow } from "@/lib/client/conversation/queue-lines";

/** Enter by itself, which sends what is written. Not while an input method composes; some browsers say so only by the code 229. */
export function isEnter(event: React.KeyboardEvent): boolean {
  return isSettledEnter(event) && !event.shiftKey;
}

/** In a field of several lines: Shift+Enter begins a line, and so does Enter on touch keys, which have no other. */
export function isSendKey(event: React.KeyboardEvent): boolean {
  return isEnter(event) && !matchMedia("(hover: none) and (pointer: coarse)").matches;
}

/** While an answer is written or waits, keys say how the message goes out; null: this key does not send. */
export function sayKey(event: React.KeyboardEvent): SayHow | null {
  const { shiftKey, ctrlKey, metaKey } = event;
  if (!isSettledEnter(event)) return null;
  if (ctrlKey || metaKey) return shiftKey ? "stop" : "next_turn";
  return isSendKey(event) ? "after" : null;
}

const isSettledEnter = ({ key, altKey, nativeEvent, keyCode }: React.KeyboardEvent): boolean =>
  key === "Enter" && !altKey && !nativeEvent.isComposing && keyCode !== 229;
