import { useTranslations } from "use-intl";
import { Section } from "@/components/settings/section";
import { buttonClass } from "@/components/ui/controls/button";
import { Icon } from "@/components/ui/icon";

/** A download of the browser's own, which keeps nothing in memory and shows how far it is. */
export function ExportSection() {
  const t = useTranslations("settings.data.export");
  return (
    <Section title={t("title")} note={t("note")}>
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
        <a href="/api/export" download className={buttonClass()}>
          <Icon name="download" size={14} />
          {t("all")}
        </a>
        <p className="min-w-0 flex-[1_1_260px] text-micro text-pretty text-ink-3">{t("what")}</p>
      </div>
    </Section>
  );
}
