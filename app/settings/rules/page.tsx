import { RulesPage } from "@/components/settings/rules/rules-page";

export default function Page() {
  return <RulesPage />;
}
