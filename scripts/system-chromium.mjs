import { existsSync } from "node:fs";

/**
 * The system's Chromium, if it has one. The headless shell comes first: the same engine without windows and profiles, for half
 * of what a browser costs a test.
 */
export const systemChromium = ["/usr/bin/chromium-headless-shell", "/usr/bin/chromium"].find((path) =>
  existsSync(path),
);
