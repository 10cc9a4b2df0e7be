import type { Metadata } from "next";
import { headers } from "next/headers";
import { cache } from "react";
import { readLocale, translator } from "@/app/i18n";
import { saidIn } from "@/app/said";
import { ShareScreen } from "@/components/share/share-screen";
import { Mark } from "@/components/ui/mark";
import { KnownSentences } from "@/components/ui/words/sentences";
import { getDeps } from "@/lib/server/entry/deps";
import { publicUrl } from "@/lib/server/env";
import { personOf } from "@/lib/server/http/guard";
import { readShare } from "@/lib/server/shares/read-share";

type Params = {
  params: Promise<{ token: string }>;
  searchParams: Promise<Record<string, string | string[] | undefined>>;
};

/** Once per request: each reading counts as a view. */
const read = cache(async (token: string) => readShare(await getDeps(), token));

export async function generateMetadata({ params }: Pick<Params, "params">): Promise<Metadata> {
  const page = await read((await params).token);
  const title = page.status === "ok" ? page.snapshot.title : "404";
  return {
    title: `${title} · Meguri`,
    robots: { index: false, follow: false },
    ...(page.status === "ok" && { openGraph: await preview(title) }),
  };
}

/** What other programs show of the link: its title, and the same picture for every one. */
async function preview(title: string): Promise<Metadata["openGraph"]> {
  const { env } = await getDeps();
  const image = { url: new URL("/share.png", publicUrl(env)), width: 1200, height: 630, alt: "Meguri" };
  return { type: "article", siteName: "Meguri", title, images: [image] };
}

export default async function SharePage({ params, searchParams }: Params) {
  const { token } = await params;
  const page = await read(token);
  const t = await translator("share");
  if (page.status !== "ok")
    return (
      <main className="grid h-dvh place-items-center p-6">
        <div className="max-w-[440px]">
          <Mark name />
          <h1 className="mt-4 font-voice text-title">{t(`ended.${page.status}`)}</h1>
          <p className="mt-1 max-w-150 text-[14px]/5 text-pretty text-ink-2">
            {t(`ended.${page.status}Hint`)}
          </p>
        </div>
      </main>
    );
  const { replay, ...snapshot } = page.snapshot;
  const plays = replay !== undefined && (await searchParams).play !== undefined;
  return (
    <KnownSentences said={saidIn(await readLocale(), snapshot)}>
      <ShareScreen
        token={token}
        // Times that nobody plays are not sent.
        snapshot={plays ? page.snapshot : snapshot}
        replay={replay && (plays ? "now" : "offered")}
        expiresAt={page.expiresAt}
        isOwnReader={(await personOf(await headers(), await getDeps())) !== undefined}
      />
    </KnownSentences>
  );
}
