/** The first that fits: most name others too. */
const browsers: readonly [RegExp, string][] = [
  [/\bEdg(e|A|iOS)?\//, "Edge"],
  [/\b(OPR|Opera)\//, "Opera"],
  [/\b(Firefox|FxiOS)\//, "Firefox"],
  [/(Chrome|\bCriOS)\//, "Chrome"],
  [/\bSafari\//, "Safari"],
];
const systems: readonly [RegExp, string][] = [
  [/\biPhone\b/, "iPhone"],
  [/\biPad\b/, "iPad"],
  [/\bAndroid\b/, "Android"],
  [/\bWindows\b/, "Windows"],
  [/\bMac OS X\b/, "macOS"],
  [/\bCrOS\b/, "ChromeOS"],
  [/\bLinux\b/, "Linux"],
];

/** What a browser calls itself, in short; undefined for one that is not known. */
export function agentWords(agent: string | null): { browser: string; system: string } | undefined {
  const find = (list: typeof browsers) => list.find(([pattern]) => pattern.test(agent ?? ""))?.[1];
  const [browser, system] = [find(browsers), find(systems)];
  return browser && system ? { browser, system } : undefined;
}
