import type { EndedRun } from "./ended-runs";

/** A tab of this browser, as it says itself when it is asked. */
export interface TabView {
  id: string;
  /** The conversation that it shows. */
  conversationId: string | null;
  isLookedAt: boolean;
}

/**
 * Which tab tells of an end. It concerns the tabs that show its conversation, and all tabs where none does. Null when
 * one of those is looked at: the person sees it there, in the conversation or in the list.
 */
export function chooseTeller(
  { conversationId }: Pick<EndedRun, "conversationId">,
  tabs: readonly TabView[],
): TabView | null {
  const showing = tabs.filter((tab) => tab.conversationId === conversationId);
  const concerned = showing.length > 0 ? showing : tabs;
  return concerned.some(({ isLookedAt }) => isLookedAt) ? null : (concerned[0] ?? null);
}

/** Whether this page is in front and has the focus, or a frame in it has. Between two events only this knows. */
export function isLookedAt(): boolean {
  return document.visibilityState === "visible" && document.hasFocus();
}
