"use client";

import { useLocale } from "use-intl";

/** What stands between two sentences: nothing in Japanese. */
export function useGap(): string {
  return useLocale() === "ja" ? "" : " ";
}
