import { UsagePage } from "@/components/settings/usage/usage-page";

export default function Page() {
  return <UsagePage />;
}
