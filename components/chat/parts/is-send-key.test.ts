import type { KeyboardEvent } from "react";
import { afterEach, expect, it } from "vitest";
import { isEnter, isSendKey, sayKey } from "./is-send-key";

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

it("keys say how a message goes out while an answer is written", () => {
  withTouchKeys(false);
  const ways = [
    {},
    { ctrlKey: true },
    { metaKey: true },
    { ctrlKey: true, shiftKey: true },
    { metaKey: true, shiftKey: true },
  ];
  expect(ways.map((way) => sayKey(press(way)))).toEqual(["after", "next_turn", "next_turn", "stop", "stop"]);
  for (const way of ways)
    for (const composes of [press(way, true), press({ ...way, keyCode: 229 })])
      expect(sayKey(composes)).toBeNull();
  expect([press({ shiftKey: true }), press({ altKey: true }), press({ key: "a" })].map(sayKey)).toEqual([
    null,
    null,
    null,
  ]);
  withTouchKeys(true);
  expect([sayKey(press()), sayKey(press({ ctrlKey: true }))]).toEqual([null, "next_turn"]);
});
