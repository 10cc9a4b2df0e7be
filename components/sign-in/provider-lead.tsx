"use client";

import { useTranslations } from "use-intl";
import { cn } from "@/components/ui/cn";
import { buttonClass } from "@/components/ui/controls/button";
import type { OidcFailure } from "@/lib/protocol/accounts";

export interface ProviderLeadProps {
  /** The identity provider, and where the browser goes to sign in there. */
  provider: { name: string; href: string };
  /** Why the sign-in that this browser comes from has led nowhere. */
  failed: OidcFailure | undefined;
}

/** The way in by the identity provider, above that by a password. */
export function ProviderLead({ provider: { name, href }, failed }: ProviderLeadProps) {
  const t = useTranslations("account");
  const reasons = useTranslations("account.failed");
  return (
    <>
      {failed && (
        <p role="alert" className="mb-3 text-mach text-pretty text-shu">
          {reasons(failed, { name })}
        </p>
      )}
      <a href={href} className={cn(buttonClass("ink"), "h-10 w-full justify-center")}>
        <span className="min-w-0 truncate">{t("signInWith", { name })}</span>
      </a>
      <p className="mt-5 mb-2 flex items-center gap-3 text-micro text-ink-3 before:h-px before:flex-1 before:bg-rule after:h-px after:flex-1 after:bg-rule">
        {t("orPassword")}
      </p>
    </>
  );
}
