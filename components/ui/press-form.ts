import type { KeyboardEvent } from "react";

/** The keys of a form that opens in place: Mod+Enter sends it, Escape closes it. */
export function pressForm(event: KeyboardEvent, submit: () => void, close: () => void): void {
  if (event.nativeEvent.isComposing || event.defaultPrevented) return;
  // A menu within closes itself first.
  if (event.key === "Escape" && !(event.target as Element).closest("[role=menu], dialog")) close();
  else if (event.key === "Enter" && (event.metaKey || event.ctrlKey)) submit();
  else return;
  event.preventDefault();
  event.stopPropagation();
}
