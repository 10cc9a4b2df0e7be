import { readLocale } from "@/app/i18n";
import { messages } from "@/app/messages";
import { Language } from "@/app/providers";
import { MatrixPage } from "@/components/run/matrix/matrix-page";

/** Several models on several recordings. */
export default async function Page({ params }: PageProps<"/runs/matrix/[id]">) {
  const { id } = await params;
  const locale = await readLocale();
  const { settings: _, server: __, account: ___, ...spoken } = messages[locale];
  return (
    <Language locale={locale} messages={spoken}>
      <MatrixPage key={id} id={id} />
    </Language>
  );
}
