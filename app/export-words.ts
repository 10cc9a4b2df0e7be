import { hasLocale } from "use-intl/core";
import { toldWords } from "@/lib/client/text/told-words";
import type { ExportWords } from "@/lib/server/transfer/told-conversation";
import { localeCookie, negotiate, translatorFor } from "./i18n";
import { type Locale, locales } from "./messages";

/** What an exported page says beside the conversation, in the language of whoever asks. */
export function exportWords(request: Request): ExportWords {
  const lang = localeOf(request);
  const t = translatorFor(lang, "transcript");
  return { ...toldWords((key) => t(key)), lang, from: t("from"), unfinished: t("unfinished") };
}

/** The language of a request to a route: the one that was chosen, or what the browser asks for. */
export function localeOf({ headers }: Request): Locale {
  const chosen = new RegExp(`(?:^|;\\s*)${localeCookie}=(\\w+)`).exec(headers.get("cookie") ?? "")?.[1];
  return hasLocale(locales, chosen) ? chosen : negotiate(headers.get("accept-language") ?? "");
}
