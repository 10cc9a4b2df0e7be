import { readLocale } from "@/app/i18n";
import { messages } from "@/app/messages";
import { Language } from "@/app/providers";
import { ComparePage } from "@/components/run/compare/compare-page";

/** Answers beside each other, by the runs in `?ids=`; `?only=differences` leaves out loops that are the same. */
export default async function Page({ searchParams }: PageProps<"/runs/compare">) {
  const { ids = "", only } = await searchParams;
  const named = Array.isArray(ids) ? ids.join(",") : ids;
  const locale = await readLocale();
  const { settings: _, server: __, account: ___, ...spoken } = messages[locale];
  return (
    <Language locale={locale} messages={spoken}>
      <ComparePage key={named} ids={named.slice(0, 1_000)} only={only === "differences"} />
    </Language>
  );
}
