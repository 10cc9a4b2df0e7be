import { headers } from "next/headers";
import { notFound } from "next/navigation";
import { AuditPage } from "@/components/settings/audit/audit-page";
import { auditGroups } from "@/lib/protocol/audit";
import { accountOf } from "@/lib/server/entry/gate";

interface Props {
  searchParams: Promise<Record<string, string | string[] | undefined>>;
}

export default async function Page({ searchParams }: Props) {
  if ((await accountOf(await headers()))?.role !== "admin") notFound();
  const query = await searchParams;
  const read = (name: string): string => (typeof query[name] === "string" ? query[name].slice(0, 100) : "");
  const group = auditGroups.find((name) => name === read("group")) ?? "";
  const days = /^[1-9]\d{0,2}$/.test(read("days")) ? read("days") : "";
  return <AuditPage initial={{ q: read("q"), person: read("person"), group, days }} />;
}
