import { LimitsPage } from "@/components/settings/limits/limits-page";

export default function Page() {
  return <LimitsPage />;
}
