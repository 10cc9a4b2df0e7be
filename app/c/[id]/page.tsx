import { ChatScreen } from "@/components/chat/chat-screen";

export default function ConversationPage() {
  return <ChatScreen />;
}
