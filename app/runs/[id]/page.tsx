import { headers } from "next/headers";
import { preload } from "react-dom";
import { readLocale } from "@/app/i18n";
import { messages } from "@/app/messages";
import { Language } from "@/app/providers";
import { RunPage } from "@/components/run/run-page";

/** The words of the page come along here, and burden no other one. */
export default async function Page({ params }: PageProps<"/runs/[id]">) {
  const { id } = await params;
  // What the page asks for first comes while its scripts are read.
  if ((await headers()).get("sec-fetch-dest") === "document" && /^[\w-]+$/.test(id))
    for (const path of ["", "/events"])
      preload(`/api/runs/${id}${path}`, { as: "fetch", crossOrigin: "anonymous" });
  const locale = await readLocale();
  const { settings: _, server: __, account: ___, ...spoken } = messages[locale];
  return (
    <Language locale={locale} messages={spoken}>
      <RunPage key={id} id={id} />
    </Language>
  );
}
