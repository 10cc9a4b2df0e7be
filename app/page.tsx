import { ChatScreen } from "@/components/chat/chat-screen";

export default function NewChatPage() {
  return <ChatScreen />;
}
