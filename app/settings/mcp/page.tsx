import { ServersPage } from "@/components/settings/servers/servers-page";

export default function Page() {
  return <ServersPage />;
}
