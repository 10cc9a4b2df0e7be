import Link from "next/link";
import { buttonClass } from "@/components/ui/controls/button";
import { translator } from "./i18n";

export default async function NotFound() {
  const t = await translator("errors");
  return (
    <div className="grid flex-1 place-items-center p-6">
      <title>{`${t("missing")} · Meguri`}</title>
      <div className="max-w-[440px]">
        <h1 className="page-title">{t("missing")}</h1>
        <p className="lede mb-5">{t("missingHint")}</p>
        <Link href="/" className={buttonClass("ink")}>
          {t("home")}
        </Link>
      </div>
    </div>
  );
}
