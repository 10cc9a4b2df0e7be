import { ArchivePage } from "@/components/archive/archive-page";

export default function Page() {
  return <ArchivePage />;
}
