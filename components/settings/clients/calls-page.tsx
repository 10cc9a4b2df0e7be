"use client";

import { useTranslations } from "use-intl";
import { ClientCallList } from "@/components/client-calls";
import { PageHead } from "@/components/settings/page-head";
import { NearLink } from "@/components/ui/near-link";
import { useTokens } from "@/lib/client/settings/tokens";

/** What programs have called; of one of them where its token is named. */
export function CallsPage({ token }: { token: string | undefined }) {
  const t = useTranslations("settings.clients");
  const client = useTokens().data?.items.find(({ id }) => id === token);
  return (
    <>
      <PageHead
        title={client ? t("callsOf", { name: client.name }) : t("calls")}
        lede={
          <p>
            {t("callsLede")} <NearLink href="/settings/clients">{t("title")}</NearLink>
            {token !== undefined && (
              <>
                {", "}
                <NearLink href="/settings/clients/calls">{t("allCalls")}</NearLink>
              </>
            )}
          </p>
        }
      />
      <ClientCallList
        {...(token !== undefined && { token })}
        isMixed={token === undefined}
        none={t("noCalls")}
      />
    </>
  );
}
