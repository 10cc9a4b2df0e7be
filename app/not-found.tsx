import { buttonClass } from "@/components/ui/controls/button";
import { NearLink } from "@/components/ui/near-link";
import { translator } from "./i18n";

export default async function NotFound() {
  const t = await translator("errors");
  return (
    <div className="grid flex-1 place-items-center p-6">
      <title>{`${t("missing")} · Meguri`}</title>
      <div className="max-w-[440px]">
        <h1 className="font-voice text-title">{t("missing")}</h1>
        <p className="mt-1 mb-5 max-w-150 text-[14px]/5 text-pretty text-ink-2">{t("missingHint")}</p>
        <NearLink href="/" className={buttonClass("ink")}>
          {t("home")}
        </NearLink>
      </div>
    </div>
  );
}
