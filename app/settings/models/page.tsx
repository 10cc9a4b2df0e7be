import { ModelsPage } from "@/components/settings/models/models-page";

export default function Page() {
  return <ModelsPage />;
}
