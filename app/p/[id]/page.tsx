import { ProjectScreen } from "@/components/chat/project-screen";

export default function ProjectPage() {
  return <ProjectScreen />;
}
