import { headers } from "next/headers";
import { notFound } from "next/navigation";
import { PeoplePage } from "@/components/settings/people/people-page";
import { accountOf } from "@/lib/server/entry/gate";

export default async function Page() {
  if ((await accountOf(await headers()))?.role !== "admin") notFound();
  return <PeoplePage />;
}
