import { toldWords } from "@/lib/client/text/told-words";
import type { ShareFileWords } from "@/lib/server/shares/share-file";
import { localeOf } from "./export-words";
import { translatorFor } from "./i18n";

/** What the file of a shared copy says beside it, in the language of whoever asks. */
export function shareFileWords(request: Request): ShareFileWords {
  const lang = localeOf(request);
  const [told, share, chat] = [
    translatorFor(lang, "transcript"),
    translatorFor(lang, "share"),
    translatorFor(lang, "chat"),
  ];
  const moment = (at: string) => momentIn(lang, at);
  return {
    ...toldWords((key) => told(key)),
    ...{ lang, from: share("from"), hidden: chat("tool.withheld.hiddenLong") },
    shortened: (count) => chat("tool.withheld.shortenedLong", { count }),
    redacted: (kind) => share("redacted", { kind: share(`findings.kinds.${kind}`) }),
    meta: ({ author, createdAt, models, expiresAt }) =>
      [
        author !== undefined && share("metaBy", { name: author.replace(/[.。]$/, "") }),
        moment(createdAt),
        models.length > 0 && new Intl.ListFormat(lang).format(models),
        expiresAt !== null && share.markup("metaEnds", { date: () => moment(expiresAt) }),
      ]
        .filter((part) => part !== false)
        .map((part) => part + share("stop"))
        .join(lang === "ja" ? "" : " "),
  };
}

/** In UTC by name, as nobody knows where it will be read. */
const momentIn = (lang: string, at: string): string =>
  new Intl.DateTimeFormat(lang, {
    ...{ year: "numeric", month: "long", day: "numeric", hour: "2-digit", minute: "2-digit" },
    ...{ hourCycle: "h23", timeZone: "UTC", timeZoneName: "short" },
  }).format(new Date(at));
