import { SchedulesPage } from "@/components/settings/schedules/schedules-page";

export default function Page() {
  return <SchedulesPage />;
}
