import type { Metadata, Viewport } from "next";
import { cookies, headers } from "next/headers";
import type { ReactNode } from "react";
import { EarlyClick } from "@/components/shell/early-click";
import { Shell } from "@/components/shell/shell";
import { Toaster } from "@/components/ui/toast";
import { SignedIn } from "@/components/ui/words/account";
import { accountOf, hasOtherInstances, programSource } from "@/lib/server/entry/gate";
import "./globals.css";
import { readLocale, translator } from "./i18n";
import { messages } from "./messages";
import { Language, Theme, Translated } from "./providers";

export async function generateMetadata(): Promise<Metadata> {
  const t = await translator("shell");
  return {
    description: t("description"),
    // Conversations are private, and a shared link is found by its link only.
    robots: { index: false, follow: false },
    referrer: "no-referrer",
  };
}

export const viewport: Viewport = {
  width: "device-width",
  initialScale: 1,
  viewportFit: "cover",
  interactiveWidget: "resizes-content",
  themeColor: [
    { media: "(prefers-color-scheme: light)", color: "#fbf9f4" },
    { media: "(prefers-color-scheme: dark)", color: "#0c0b0a" },
  ],
};

export default async function RootLayout({ children }: { children: ReactNode }) {
  const locale = await readLocale();
  const sideClosed = (await cookies()).get("side")?.value === "closed";
  const { run: _, settings: __, server: ___, account: ____, ...spoken } = messages[locale];
  const sent = await headers();
  const nonce = sent.get("x-nonce") ?? undefined;
  return (
    <html
      lang={locale}
      // Where diagrams are drawn and pages of models run; the policy of the page allows frames from there and of apps alone.
      data-programs={await programSource(sent)}
      data-instances={(await hasOtherInstances()) ? "several" : undefined}
      suppressHydrationWarning
    >
      {/* Something beside may take room at the right, and a notice at the bottom. */}
      <body className="pr-(--sheet) pb-(--notice) print:p-0">
        <EarlyClick nonce={nonce}>
          <Theme nonce={nonce}>
            <Language locale={locale} messages={spoken}>
              <Translated locale={locale}>
                <SignedIn account={await accountOf(sent)}>
                  <Shell sideClosed={sideClosed}>{children}</Shell>
                </SignedIn>
              </Translated>
              <Toaster closeLabel={messages[locale].common.close} />
            </Language>
          </Theme>
        </EarlyClick>
      </body>
    </html>
  );
}
