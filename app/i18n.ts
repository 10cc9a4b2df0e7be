import { cookies, headers } from "next/headers";
import { cache } from "react";
import { createTranslator, hasLocale } from "use-intl/core";
import { type Locale, locales, type Messages, messages, type Namespace } from "./messages";

/** Set by the language page; wins over what the browser asks for. */
export const localeCookie = "locale";

/** The language of this request. */
export const readLocale = cache(async (): Promise<Locale> => {
  const chosen = (await cookies()).get(localeCookie)?.value;
  if (hasLocale(locales, chosen)) return chosen;
  return negotiate((await headers()).get("accept-language") ?? "");
});

/** For server components: `const t = await translator("share")`. */
export async function translator<N extends Namespace>(namespace: N, locale?: Locale) {
  return translatorFor(locale ?? (await readLocale()), namespace);
}

export function translatorFor<N extends Namespace>(locale: Locale, namespace: N) {
  return createTranslator<Messages, N>({ locale, messages: messages[locale], namespace: namespace as never });
}

/** The first language of an Accept-Language header that we have, by its weights; English if none. */
export function negotiate(header: string): Locale {
  const wanted = header
    .slice(0, 500)
    .split(",")
    .map((entry) => {
      const [tag = "", ...parameters] = entry.trim().toLowerCase().split(";");
      const weight = parameters.find((parameter) => parameter.trim().startsWith("q="));
      return { language: tag.split("-")[0], weight: weight ? Number(weight.split("=")[1]) : 1 };
    })
    .filter(({ weight }) => weight > 0)
    .sort((a, b) => b.weight - a.weight);
  for (const { language } of wanted) if (hasLocale(locales, language)) return language;
  return "en";
}
