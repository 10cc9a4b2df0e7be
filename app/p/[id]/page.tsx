import { ChatScreen } from "@/components/chat/chat-screen";

/** A new chat in a project, with what the project has round it. */
export default function ProjectPage() {
  return <ChatScreen />;
}
