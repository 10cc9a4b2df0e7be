import { type BrowserContext, expect } from "@playwright/test";

export interface ContextWatch {
  /** Fails when a page asked another host for anything, opened a dialog, broke the policy or threw. */
  expectQuiet(): void;
}

/**
 * Listens to everything that a page must never do, from the first request on. `refused`: what the policy is expected to
 * stop, which browsers complain about.
 */
export async function watchContext(
  context: BrowserContext,
  origins: string[],
  refused?: RegExp,
): Promise<ContextWatch> {
  const seen: string[] = [];
  context.on("request", (request) => {
    const url = request.url();
    if (!origins.some((origin) => url.startsWith(`${origin}/`)) && !/^(data|blob|about|file):/.test(url))
      seen.push(`foreign request: ${url}`);
  });
  context.on("dialog", (dialog) => {
    seen.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  context.on("weberror", (error) => seen.push(`thrown: ${error.error().message}`));
  context.on("console", (message) => {
    const text = message.text();
    if (refused?.test(text)) return;
    if (/Content Security Policy|securitypolicyviolation|Minified React error/.test(text))
      seen.push(`console: ${text}`);
  });
  await context.addInitScript(() => {
    addEventListener("securitypolicyviolation", ({ violatedDirective, blockedURI }) =>
      console.error(`securitypolicyviolation ${violatedDirective} ${blockedURI}`),
    );
  });
  return { expectQuiet: () => expect(seen).toEqual([]) };
}
