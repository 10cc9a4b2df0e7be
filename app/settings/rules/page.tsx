import { RulesPage } from "@/components/settings/rules-page";

export default function Page() {
  return <RulesPage />;
}
