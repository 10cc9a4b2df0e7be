import { hasLocale } from "use-intl/core";
import { toldWords } from "@/lib/client/text/told-words";
import type { ExportWords } from "@/lib/server/transfer/told-conversation";
import { localeCookie, negotiate, translatorFor } from "./i18n";
import { locales } from "./messages";

/** What an exported page says beside the conversation, in the language of whoever asks. */
export function exportWords(request: Request): ExportWords {
  const { headers } = request;
  const chosen = new RegExp(`(?:^|;\\s*)${localeCookie}=(\\w+)`).exec(headers.get("cookie") ?? "")?.[1];
  const lang = hasLocale(locales, chosen) ? chosen : negotiate(headers.get("accept-language") ?? "");
  const t = translatorFor(lang, "transcript");
  return { ...toldWords((key) => t(key)), lang, from: t("from"), unfinished: t("unfinished") };
}
