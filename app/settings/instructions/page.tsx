import { InstructionsPage } from "@/components/settings/instructions/instructions-page";

export default function Page() {
  return <InstructionsPage />;
}
