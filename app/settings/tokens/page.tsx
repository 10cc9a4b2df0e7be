import { headers } from "next/headers";
import { notFound } from "next/navigation";
import { TokensPage } from "@/components/settings/account/tokens-page";
import { accountOf } from "@/lib/server/entry/gate";

/** With accounts they are on the page of one's account. */
export default async function Page() {
  if (await accountOf(await headers())) notFound();
  return <TokensPage />;
}
