import { chatOf } from "@/lib/client/conversation/use-conversation";

/** Goes to a new conversation of which nothing is kept. */
export function beginTemporary(router: { push(path: string): void }): void {
  chatOf(null).beTemporary(true);
  router.push("/");
}
