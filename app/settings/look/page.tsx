import { LookPage } from "@/components/settings/look-page";

export default function Page() {
  return <LookPage />;
}
