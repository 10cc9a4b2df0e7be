import { ServersPage } from "@/components/settings/servers/servers-page";

export default async function Page({ params }: { params: Promise<{ server: string }> }) {
  return <ServersPage open={decodeURIComponent((await params).server)} />;
}
