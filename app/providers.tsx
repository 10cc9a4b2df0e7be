"use client";

import { ThemeProvider } from "next-themes";
import type { ReactNode } from "react";
import { type IntlError, IntlErrorCode, IntlProvider, type Locale, type Messages } from "use-intl";
import { ServerLanguage } from "@/components/ui/words/sentences";
import type { Translate } from "@/lib/client/text/sentences";

export interface ProvidersProps {
  locale: Locale;
  /** The namespaces that this part of the page speaks. */
  messages: Partial<Messages>;
  children: ReactNode;
}

export function Language({ locale, messages, children }: ProvidersProps) {
  return (
    <IntlProvider locale={locale} messages={messages as Messages} onError={report}>
      {children}
    </IntlProvider>
  );
}

/** No zone is given: that of the browser is meant, and to ask for its name costs a page 10 ms before it listens. */
function report(error: IntlError): void {
  if (error.code !== IntlErrorCode.ENVIRONMENT_FALLBACK) console.error(error);
}

/** English is what the server writes. */
const loaders: Partial<Record<Locale, () => Promise<Translate>>> = {
  ja: async () => {
    const [{ sentences }, { translator }] = await Promise.all([
      import("./messages/ja/sentences"),
      import("@/lib/client/text/sentences"),
    ]);
    return translator(sentences);
  },
};

/** What the server writes for people, in the language of the page. */
export function Translated({ locale, children }: Omit<ProvidersProps, "messages">) {
  return <ServerLanguage load={loaders[locale]}>{children}</ServerLanguage>;
}

/** Light, dark or the system's; the script that sets it before the first paint carries the nonce of the page. */
export function Theme({ nonce, children }: { nonce: string | undefined; children: ReactNode }) {
  return (
    <ThemeProvider attribute="data-theme" {...(nonce && { nonce })}>
      {children}
    </ThemeProvider>
  );
}
