import { notFound } from "next/navigation";
import { DocPage } from "@/components/settings/about/doc-page";
import { linksOf, readDoc } from "@/lib/server/about/about";

export default async function Page({ params }: PageProps<"/settings/about/[doc]">) {
  const text = await readDoc((await params).doc);
  if (text === undefined) notFound();
  return <DocPage text={text} links={linksOf(text)} />;
}
