import { ModelsPage } from "@/components/settings/models-page";

export default function Page() {
  return <ModelsPage />;
}
