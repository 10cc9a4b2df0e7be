import { HooksPage } from "@/components/settings/hooks/hooks-page";

export default function Page() {
  return <HooksPage />;
}
