import { NotificationsPage } from "@/components/settings/notifications-page";

export default function Page() {
  return <NotificationsPage />;
}
