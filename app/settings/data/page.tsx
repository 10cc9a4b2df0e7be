import { DataPage } from "@/components/settings/data/data-page";

export default function Page() {
  return <DataPage />;
}
