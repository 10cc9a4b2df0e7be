"use client";

import { ThemeProvider } from "next-themes";
import type { ReactNode } from "react";
import { IntlProvider, type Locale, type Messages } from "use-intl";

export interface ProvidersProps {
  locale: Locale;
  /** The namespaces that this part of the page speaks. */
  messages: Partial<Messages>;
  children: ReactNode;
}

export function Language({ locale, messages, children }: ProvidersProps) {
  const timeZone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  return (
    <IntlProvider locale={locale} messages={messages as Messages} timeZone={timeZone}>
      {children}
    </IntlProvider>
  );
}

/** Light, dark or the system's; the script that sets it before the first paint carries the nonce of the page. */
export function Theme({ nonce, children }: { nonce: string | undefined; children: ReactNode }) {
  return (
    <ThemeProvider attribute="data-theme" {...(nonce && { nonce })}>
      {children}
    </ThemeProvider>
  );
}
