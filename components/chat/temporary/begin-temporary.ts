import { chatOf } from "@/lib/client/conversation/use-conversation";

/** Goes to a new conversation of which nothing is kept. */
export function beginTemporary(go: (path: string) => void): void {
  chatOf(null).beTemporary(true);
  go("/");
}

/** Not behind a balancer: such a chat is in the memory of one instance, and the next request may come to another one. */
export const hasTemporaryChats = (): boolean => document.documentElement.dataset.instances !== "several";
