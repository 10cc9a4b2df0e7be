import { headers } from "next/headers";
import { preload } from "react-dom";
import { ConversationScreen } from "@/components/chat/conversation-screen";

export default async function ConversationPage({ params }: PageProps<"/c/[id]">) {
  const { id } = await params;
  // Comes while the scripts are read, and the first fetch of the page takes it. Not where one walks here from another
  // page: a conversation that is known there may not be fetched at once, and what lies about would grow old.
  if ((await headers()).get("sec-fetch-dest") === "document" && /^[\w-]+$/.test(id))
    preload(`/api/conversations/${id}`, { as: "fetch", crossOrigin: "anonymous" });
  return <ConversationScreen />;
}
