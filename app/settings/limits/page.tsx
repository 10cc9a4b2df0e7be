import { LimitsPage } from "@/components/settings/limits-page";

export default function Page() {
  return <LimitsPage />;
}
