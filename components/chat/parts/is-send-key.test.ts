import type { KeyboardEvent } from "react";
import { afterEach, expect, it } from "vitest";
import { isEnter, isSendKey } from "./is-send-key";

const real = globalThis.matchMedia;
afterEach(() => {
  globalThis.matchMedia = real;
});

const press = (more: object = {}, isComposing = false) =>
  ({ key: "Enter", keyCode: 13, nativeEvent: { isComposing }, ...more }) as KeyboardEvent;
const withTouchKeys = (matches: boolean) => {
  globalThis.matchMedia = () => ({ matches }) as MediaQueryList;
};

it("Enter sends, Shift+Enter begins a line, and what an input method composes is never sent", () => {
  withTouchKeys(false);
  for (const sends of [isEnter, isSendKey]) {
    expect([press(), press({ ctrlKey: true })].map(sends)).toEqual([true, true]);
    const others = [
      press({ shiftKey: true }),
      press({ altKey: true }),
      press({ key: "a" }),
      press({}, true),
      press({ keyCode: 229 }),
    ];
    expect(others.map(sends)).toEqual(others.map(() => false));
  }
});

it("touch keys, which have no Shift+Enter, begin a line with Enter, where there can be several", () => {
  withTouchKeys(true);
  expect([isEnter(press()), isSendKey(press())]).toEqual([true, false]);
});
