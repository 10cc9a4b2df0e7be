import { headers } from "next/headers";
import { preload } from "react-dom";
import { readLocale } from "@/app/i18n";
import { saidIn } from "@/app/said";
import { ConversationScreen } from "@/components/chat/conversation-screen";
import { readForPage } from "@/lib/server/entry/gate";

export default async function ConversationPage({ params }: PageProps<"/c/[id]">) {
  const { id } = await params;
  const sent = await headers();
  // Not where one walks here from another page: a conversation that is known there may not be fetched at once, and what
  // lies about would grow old.
  const isVisit = sent.get("sec-fetch-dest") === "document";
  const opened = isVisit ? await readForPage(sent, id) : null;
  // Comes while the scripts are read, and the first fetch of the page takes it.
  if (isVisit && !opened && /^[\w-]+$/.test(id))
    preload(`/api/conversations/${id}`, { as: "fetch", crossOrigin: "anonymous" });
  return (
    <>
      <ConversationScreen opened={opened} said={saidIn(await readLocale(), opened?.detail, opened?.live)} />
      {opened && (
        <script
          nonce={sent.get("x-nonce") ?? undefined}
          suppressHydrationWarning
          // biome-ignore lint/security/noDangerouslySetInnerHtml: our own function, for the time before our scripts
          dangerouslySetInnerHTML={{ __html: `(${toEnd})()` }}
        />
      )}
    </>
  );
}

/** Runs in the browser while the page is read: a conversation opens at its end. */
function toEnd(): void {
  const thread = document.querySelector("main [data-scroll]");
  if (thread) thread.scrollTop = thread.scrollHeight;
}
