import { headers } from "next/headers";
import { notFound } from "next/navigation";
import { AccountPage } from "@/components/settings/account/account-page";
import { getDeps } from "@/lib/server/entry/deps";
import { accountOf } from "@/lib/server/entry/gate";

export default async function Page() {
  const account = await accountOf(await headers());
  if (!account) notFound();
  const { store } = await getDeps();
  return <AccountPage hasPassword={await store.accounts.hasPassword(account.id)} />;
}
