import { ClientsPage } from "@/components/settings/clients/clients-page";

export default function Page() {
  return <ClientsPage />;
}
