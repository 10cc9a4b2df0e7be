/** Enter by itself, which sends what is written. Not while an input method composes; some browsers say so only by the code 229. */
export function isEnter({ key, shiftKey, altKey, nativeEvent, keyCode }: React.KeyboardEvent): boolean {
  return key === "Enter" && !shiftKey && !altKey && !nativeEvent.isComposing && keyCode !== 229;
}

/** In a field of several lines: Shift+Enter begins a line, and so does Enter on touch keys, which have no other. */
export function isSendKey(event: React.KeyboardEvent): boolean {
  return isEnter(event) && !matchMedia("(hover: none) and (pointer: coarse)").matches;
}
