import { afterEach, expect, test, vi } from "vitest";
import type { NotificationAccess } from "./access";

afterEach(() => {
  vi.unstubAllGlobals();
  vi.resetModules();
});

interface Browser {
  isSecure?: boolean;
  permission?: NotificationPermission;
  answer?: NotificationPermission;
  /** It has the interface, and throws. */
  refuses?: boolean;
}

/** What the page makes of this browser, before and after a person wants notifications, and how often they are asked. */
async function tryIn(browser: Browser | null): Promise<[NotificationAccess, NotificationAccess, number]> {
  const { isSecure = true, permission = "default", answer = "granted", refuses = false } = browser ?? {};
  let asked = 0;
  class Notification {
    static permission = permission;
    static async requestPermission() {
      asked += 1;
      Notification.permission = answer;
    }
    constructor() {
      if (refuses) throw new TypeError("Illegal constructor");
    }
    close() {}
  }
  const globals = browser ? { Notification } : {};
  vi.stubGlobal("window", { isSecureContext: isSecure, ...globals });
  for (const [name, value] of Object.entries(globals)) vi.stubGlobal(name, value);
  const { askForAccess, readAccess } = await import("./access");
  return [readAccess(), await askForAccess(), asked];
}

test("the browser asks once a person wants notifications, and what they say holds", async () => {
  expect(await tryIn({})).toEqual(["default", "granted", 1]);
  expect(await tryIn({ permission: "granted" })).toEqual(["granted", "granted", 0]);
});

test("who has said no is not asked again", async () => {
  expect(await tryIn({ permission: "denied" })).toEqual(["denied", "denied", 0]);
});

test("where it cannot be, nobody is asked", async () => {
  expect(await tryIn({ isSecure: false })).toEqual(["insecure", "insecure", 0]);
  expect(await tryIn(null)).toEqual(["missing", "missing", 0]);
});

test("a browser that refuses to make one for a page is found out before it asks", async () => {
  expect(await tryIn({ refuses: true })).toEqual(["default", "missing", 0]);
});
