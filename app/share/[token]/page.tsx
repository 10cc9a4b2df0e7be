import type { Metadata } from "next";
import { cache } from "react";
import { formatterFor, readLocale, translator } from "@/app/i18n";
import { shareMeta } from "@/components/share/share-meta";
import { ShareScreen } from "@/components/share/share-screen";
import { Mark } from "@/components/ui/mark";
import { readShare } from "@/lib/server/shares";

type Params = { params: Promise<{ token: string }> };

/** Once per request: each reading counts as a view. */
const read = cache(readShare);

export async function generateMetadata({ params }: Params): Promise<Metadata> {
  const page = await read((await params).token);
  return {
    title: `${page.status === "ok" ? page.snapshot.title : "404"} · Meguri`,
    robots: { index: false, follow: false },
  };
}

export default async function SharePage({ params }: Params) {
  const { token } = await params;
  const page = await read(token);
  const locale = await readLocale();
  const t = await translator("share");
  if (page.status !== "ok")
    return (
      <main className="grid h-dvh place-items-center p-6">
        <div className="max-w-[440px]">
          <Mark name />
          <h1 className="page-title mt-4">{t(`ended.${page.status}`)}</h1>
          <p className="lede">{t(`ended.${page.status}Hint`)}</p>
        </div>
      </main>
    );
  const meta = shareMeta(page.snapshot, page.expiresAt, t, formatterFor(locale));
  return <ShareScreen token={token} snapshot={page.snapshot} meta={meta} />;
}
