import { expect, test } from "vitest";
import { chooseTeller, type TabView } from "./tabs-of-browser";

const tab = (id: string, conversationId: string | null, isLookedAt = false): TabView => ({
  id,
  conversationId,
  isLookedAt,
});
const tellerOf = (...tabs: TabView[]) => chooseTeller({ conversationId: "a" }, tabs)?.id ?? null;

test("a tab that nobody looks at tells", () => {
  expect(tellerOf(tab("1", null))).toBe("1");
  expect(tellerOf(tab("1", "a"))).toBe("1");
});

test("of several tabs one tells: one that shows the conversation, if there is one", () => {
  expect(tellerOf(tab("1", null), tab("2", "b"))).toBe("1");
  expect(tellerOf(tab("1", null), tab("2", "a"), tab("3", "a"))).toBe("2");
});

test("who looks at the conversation needs no telling, wherever else it is open", () => {
  expect(tellerOf(tab("1", "a", true))).toBeNull();
  expect(tellerOf(tab("1", "a"), tab("2", "a", true))).toBeNull();
});

test("who looks at another conversation sees it in the list, unless it is open in a tab that nobody looks at", () => {
  expect(tellerOf(tab("1", "b", true))).toBeNull();
  expect(tellerOf(tab("1", "b", true), tab("2", null))).toBeNull();
  expect(tellerOf(tab("1", "b", true), tab("2", "a"))).toBe("2");
});
