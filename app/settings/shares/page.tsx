import { SharesPage } from "@/components/settings/shares-page";

export default function Page() {
  return <SharesPage />;
}
