"use client";

import { usePathname } from "next/navigation";
import { useTranslations } from "use-intl";
import { SideGroup } from "@/components/shell/side-group";
import { cn } from "@/components/ui/cn";
import { iconButtonClass } from "@/components/ui/controls/button";
import { Icon } from "@/components/ui/icon";
import { NearLink } from "@/components/ui/near-link";
import { useAccount, useIsAdmin } from "@/components/ui/words/account";
import { api } from "@/lib/client/http/http";
import { needsMember, needsPerson, useServers } from "@/lib/client/servers/servers";
import { hasPage, settingsPages } from "./settings-pages";
import { useAct } from "./use-act";

/** The pages of the settings, in place of the conversations. */
export function SettingsNav() {
  const t = useTranslations("settings");
  const shell = useTranslations("shell");
  const pathname = usePathname();
  const servers = useServers().data?.items;
  const account = useAccount();
  const isAdmin = useIsAdmin();
  const needy = servers?.filter(isAdmin ? needsPerson : needsMember).length ?? 0;
  return (
    <>
      <header className="flex h-12 flex-none items-center gap-2 pr-2 pl-4">
        <NearLink
          href="/"
          className={cn(iconButtonClass, "tip")}
          aria-label={shell("back")}
          data-tip={shell("back")}
          data-tip-side="left-edge"
        >
          <Icon name="arrowLeft" />
        </NearLink>
        <span className="font-voice text-[17px] leading-6 font-semibold">{t("title")}</span>
      </header>
      <nav className="min-h-0 flex-1 overflow-y-auto px-2 pb-2 thin-bar" aria-label={t("nav.label")}>
        {settingsPages
          .map(([group, pages]) => [group, pages.filter(([page]) => hasPage(page, account))] as const)
          .filter(([, pages]) => pages.length > 0)
          .map(([group, pages]) => (
            <SideGroup key={group} id={`settings-${group}`} title={t(`nav.${group}`)}>
              {pages.map(([page, href]) => (
                <NearLink
                  key={page}
                  href={href}
                  className={linkClass}
                  aria-current={pathname.startsWith(href) ? "page" : undefined}
                >
                  {t(`${page}.title`)}
                  {page === "servers" && servers && (
                    <small className="text-micro font-normal text-ink-3">
                      {needy > 0 ? (
                        <b className="font-normal text-shu">{shell("needYou", { count: needy })}</b>
                      ) : (
                        servers.length
                      )}
                    </small>
                  )}
                </NearLink>
              ))}
              {group === "you" && <SignOut />}
            </SideGroup>
          ))}
      </nav>
      <footer className="flex-none p-2 rule-t">
        <p className="truncate px-2 text-micro leading-5 text-ink-3">
          {account
            ? t("signedInAs", { name: account.name, role: t(`people.roles.${account.role}`) })
            : t("version")}
        </p>
      </footer>
    </>
  );
}

/** Of this browser alone: the page that comes says how to get in again. */
function SignOut() {
  const t = useTranslations("settings");
  const act = useAct();
  const signOut = async () => {
    // Whole, so that nothing of what was shown stays in memory.
    if (await act(() => api("/api/session", { method: "DELETE" }))) window.location.replace("/");
  };
  return (
    <button type="button" className={linkClass} onClick={signOut}>
      {t("nav.signOut")}
    </button>
  );
}

const linkClass =
  "flex min-h-7 w-full items-center justify-between rounded-control px-2 text-ink-2 no-underline hover:bg-paper-3 aria-[current]:bg-paper-3 aria-[current]:font-semibold aria-[current]:text-ink phone:min-h-11";
