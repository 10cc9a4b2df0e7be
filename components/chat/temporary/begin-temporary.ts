import { chatOf } from "@/lib/client/conversation/use-conversation";

/** Goes to a new conversation of which nothing is kept. */
export function beginTemporary(go: (path: string) => void): void {
  chatOf(null).beTemporary(true);
  go("/");
}
