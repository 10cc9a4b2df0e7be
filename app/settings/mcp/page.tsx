import { preload } from "react-dom";
import { ServersPage } from "@/components/settings/servers/servers-page";
import { serversUrl } from "@/lib/client/servers/servers-url";

export default function Page() {
  // Comes while the scripts are read. The first fetch of the page takes it (`fetchServersAhead`), so that none lies about to grow old.
  preload(serversUrl, { as: "fetch", crossOrigin: "anonymous" });
  return <ServersPage />;
}
