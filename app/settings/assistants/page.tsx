import { AssistantsPage } from "@/components/settings/assistants/assistants-page";

export default function Page() {
  return <AssistantsPage />;
}
