import { PromptsPage } from "@/components/settings/prompts/prompts-page";

export default function Page() {
  return <PromptsPage />;
}
