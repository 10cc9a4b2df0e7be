/** `GET /api/search`: a message that has all the words. */
export interface SearchItem {
  conversationId: string;
  title: string;
  messageId: string;
  /** Calls are part of the message of the assistant. */
  role: "user" | "assistant";
  /** When the message was stored, ISO 8601. */
  at: string;
  snippet: SnippetPart[];
}

/** A piece of a message's text, and whether it is what was looked for. */
export interface SnippetPart {
  text: string;
  hit: boolean;
}
