import type { Page } from "@playwright/test";

type Mode = "pass" | "hold" | "refuse";

export interface ApiGate {
  /** From now on the answers whose address matches do not come until `refuse` or `pass` is called. */
  hold(address: RegExp): void;
  /** What is held and what is asked from now on is answered with a failure of the server. */
  refuse(): void;
  /** Everything is answered by the server again. */
  pass(): void;
}

/** Stands between a page and the API; everything else comes as it is. */
export async function gateApi(page: Page): Promise<ApiGate> {
  let mode: Mode = "pass";
  let held: RegExp | undefined;
  let opened = Promise.withResolvers<void>();
  const turn = (next: Mode) => {
    mode = next;
    opened.resolve();
  };
  await page.route("**/api/**", async (route) => {
    const { pathname, search } = new URL(route.request().url());
    if (!held?.test(pathname + search)) return route.fallback();
    if (mode === "hold") await opened.promise;
    if (mode !== "refuse") return route.fallback().catch(gone);
    return route.fulfill({ status: 500, json: { error: refusal } }).catch(gone);
  });
  return {
    hold(address) {
      opened.resolve();
      opened = Promise.withResolvers();
      held = address;
      mode = "hold";
    },
    refuse: () => turn("refuse"),
    pass: () => turn("pass"),
  };
}

const refusal = { code: "internal", message: "Something went wrong on our side; the log says more." };

/** The page that has asked is left. */
const gone = () => {};
