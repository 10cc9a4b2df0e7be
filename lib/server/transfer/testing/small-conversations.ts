import type { ImportedConversation, ImportedMessage } from "@/lib/server/transfer/imported";

const idOf = (number: number): string => `5ca1ab1e-0000-4000-8000-${String(number).padStart(12, "0")}`;

/** A word that is in the conversation of this number alone. */
export const placeOf = (number: number): string => `orchard${String(number).padStart(6, "0")}`;

/** Conversations of 2 to 10 messages, the same each time: several of them share a commit. */
export const smallConversations = (count: number): ImportedConversation[] =>
  Array.from({ length: count }, (_, number) => {
    const messages = Array.from({ length: 2 * (1 + (number % 5)) }, (__, at) => message(number, at));
    return {
      ...{ source: "chatgpt", sourceId: idOf(number), title: `Orchard ${number}`, leafId: null },
      ...{ createdAt: 1_700_000_000_000, updatedAt: 1_700_000_000_000 + number },
      ...{ messages, files: [], leftOut: [] },
    };
  });

function message(number: number, at: number): ImportedMessage {
  const text = `${placeOf(number)} word${at} `.repeat(40);
  return {
    ...{ id: `m${at}`, parentId: at === 0 ? null : `m${at - 1}`, createdAt: 1_700_000_000_000 + 1_000 * at },
    message: { role: at % 2 === 0 ? "user" : "assistant", parts: [{ type: "text", text }] },
  };
}
