import { headers } from "next/headers";
import { notFound } from "next/navigation";
import { AccountPage } from "@/components/settings/account/account-page";
import { accountOf } from "@/lib/server/entry/gate";

export default async function Page() {
  if (!(await accountOf(await headers()))) notFound();
  return <AccountPage />;
}
