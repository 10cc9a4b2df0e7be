import { ServerPage } from "@/components/settings/server/server-page";

interface PageProps {
  params: Promise<{ server: string }>;
  searchParams: Promise<{ tab?: string | string[] }>;
}

export default async function Page({ params, searchParams }: PageProps) {
  const [{ server }, { tab }] = await Promise.all([params, searchParams]);
  return <ServerPage name={decodeURIComponent(server)} tab={String(tab)} />;
}
