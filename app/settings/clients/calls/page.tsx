import { CallsPage } from "@/components/settings/clients/calls-page";

interface Props {
  searchParams: Promise<Record<string, string | string[] | undefined>>;
}

export default async function Page({ searchParams }: Props) {
  const { token } = await searchParams;
  return <CallsPage token={typeof token === "string" && token !== "" ? token.slice(0, 100) : undefined} />;
}
