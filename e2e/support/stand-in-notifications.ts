import { expect, type Page } from "@playwright/test";

/** What a page has shown by `new Notification`. */
export interface ShownNotification {
  title: string;
  body: string;
  lang: string;
  silent: boolean;
  isClosed: boolean;
}

interface StandIn {
  made: (ShownNotification & { onclick: (() => void) | null })[];
  look(isLookedAt: boolean): void;
}

declare global {
  var standIn: StandIn;
}

/**
 * The border of the browser: what it shows outside the page, what the person says when it asks, and whether they look at
 * the page. For all pages of its context, from their next load on.
 */
export async function standInNotifications(
  page: Page,
  options: { permission?: NotificationPermission; answer?: NotificationPermission; isOn?: boolean } = {},
): Promise<void> {
  await page.context().addInitScript(({ permission = "default", answer = "granted", isOn }) => {
    // A page that is empty yet has no storage.
    if (origin === "null") return;
    const made: StandIn["made"] = [];
    const state = { isLookedAt: true };
    const keptKey = "test.permission";
    class Notification {
      static get permission() {
        return localStorage.getItem(keptKey) ?? permission;
      }
      static async requestPermission() {
        localStorage.setItem(keptKey, answer);
        return answer;
      }
      constructor(title: string, { body = "", lang = "", silent }: NotificationOptions) {
        // What is made without the permission is not shown.
        if (Notification.permission !== "granted") return;
        const shown: StandIn["made"][number] = {
          ...{ title, body, lang, silent: silent === true, isClosed: false, onclick: null },
        };
        made.push(shown);
        this.shown = shown;
      }
      shown?: StandIn["made"][number];
      set onclick(listener: () => void) {
        if (this.shown) this.shown.onclick = listener;
      }
      close() {
        if (this.shown) this.shown.isClosed = true;
      }
    }
    const look = (isLookedAt: boolean) => {
      state.isLookedAt = isLookedAt;
      dispatchEvent(new Event(isLookedAt ? "focus" : "blur"));
    };
    document.hasFocus = () => state.isLookedAt;
    window.focus = () => look(true);
    Object.assign(globalThis, { Notification, standIn: { made, look } });
    if (isOn && localStorage.getItem("meguri.notifications") === null)
      localStorage.setItem(
        "meguri.notifications",
        JSON.stringify({ isOn, kinds: ["finished", "waiting", "failed"] }),
      );
  }, options);
}

/** Without their listeners, oldest first. */
export const shownIn = (page: Page): Promise<ShownNotification[]> =>
  page.evaluate(() => standIn.made.map(({ onclick: _, ...shown }) => shown));

/** Returns when the page watches for what it has to tell. */
export async function leave(page: Page): Promise<void> {
  await page.evaluate(() => standIn.look(false));
  await expect.poll(() => page.evaluate(() => localStorage.getItem("meguri.handled"))).not.toBeNull();
}

export const comeBack = (page: Page): Promise<void> => page.evaluate(() => standIn.look(true));

export const clickNotification = (page: Page): Promise<void> =>
  page.evaluate(() => standIn.made.at(-1)?.onclick?.());
