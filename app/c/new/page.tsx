import { ChatScreen } from "@/components/chat/chat-screen";

/** A new chat with something in the message field; it never sends by itself. */
export default async function PromptedChatPage({ searchParams }: PageProps<"/c/new">) {
  const { prompt } = await searchParams;
  const text = Array.isArray(prompt) ? prompt[0] : prompt;
  return <ChatScreen prompt={text?.slice(0, 20_000)} />;
}
