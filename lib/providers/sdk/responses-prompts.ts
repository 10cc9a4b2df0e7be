import type { JSONObject } from "@ai-sdk/provider";
import { PromptWriter, type SignatureForm } from "./prompt-writer";

/** Under which the SDK has its options and metadata, whatever the server is. */
export const responsesKey = "openai";

/** What a history is written for. */
export interface PromptNeeds {
  /** The model can see images. */
  images: boolean;
  /** The server can read the reasoning that is encrypted in it. */
  reasoning: boolean;
}

/**
 * The writers of one model, made when they are needed. `mark` names the model as well: no other one can read its
 * reasoning. `onUnencrypted` is called when reasoning comes without what has to go back.
 */
export function responsesPrompts(
  mark: string,
  onUnencrypted: () => void,
): (needs: PromptNeeds) => PromptWriter {
  const made = new Map<string, PromptWriter>();
  const read = readToken(onUnencrypted);
  return ({ images, reasoning }) => {
    const name = `${images} ${reasoning}`;
    const known = made.get(name);
    if (known) return known;
    const writer = new PromptWriter({
      ...{ key: responsesKey, mark },
      signatures: { read, write: reasoning ? writeToken : () => ({}) },
      carries: (mediaType) => (images && seen.test(mediaType)) || mediaType === "application/pdf",
    });
    made.set(name, writer);
    return writer;
  };
}

const seen = /^image\/(png|jpeg|webp|gif)$/;

/** What has to go back as JSON: of reasoning the item and its encrypted content, of a text its phase. */
const readToken =
  (onUnencrypted: () => void): SignatureForm["read"] =>
  ({ itemId, reasoningEncryptedContent, phase }: JSONObject) => {
    if (typeof reasoningEncryptedContent === "string")
      return JSON.stringify({ id: itemId, encrypted: reasoningEncryptedContent });
    if (reasoningEncryptedContent === null) onUnencrypted();
    return typeof phase === "string" ? JSON.stringify({ phase }) : undefined;
  };

function writeToken(token: string): JSONObject {
  const { id, encrypted, phase } = parse(token);
  return {
    ...(id && encrypted && { itemId: id, reasoningEncryptedContent: encrypted }),
    ...(phase && { phase }),
  };
}

function parse(token: string): Partial<Record<"id" | "encrypted" | "phase", string>> {
  try {
    return JSON.parse(token) as Partial<Record<"id" | "encrypted" | "phase", string>>;
  } catch {
    // A signature that is none of ours.
    return {};
  }
}
