import { ConversationScreen } from "@/components/chat/conversation-screen";

export default function ConversationPage() {
  return <ConversationScreen />;
}
