import { headers } from "next/headers";
import { notFound } from "next/navigation";
import { AccountPage } from "@/components/settings/account/account-page";
import { passkeyPlace } from "@/lib/server/accounts/passkey-site";
import { getDeps } from "@/lib/server/entry/deps";
import { accountOf } from "@/lib/server/entry/gate";

export default async function Page() {
  const received = await headers();
  const account = await accountOf(received);
  if (!account) notFound();
  const { env, store } = await getDeps();
  return (
    <AccountPage
      hasPassword={await store.accounts.hasPassword(account.id)}
      passkeys={passkeyPlace(env, received.get("host"))}
    />
  );
}
