const dots = "••••";

/** Masks these secrets in the text. */
export const hideTokens = (text: string, secrets: readonly string[]): string =>
  secrets.reduce((shown, secret) => shown.replaceAll(secret, dots), text);

/**
 * Masks in place, at any depth, the tokens that a server was sent and repeats in a message: its messages are read by
 * models, shown and stored.
 */
export function hideTokensIn(message: object, secrets: readonly string[]): void {
  if (secrets.length === 0) return;
  const rest: object[] = [message];
  for (let at = rest.pop(); at; at = rest.pop())
    for (const [name, value] of Object.entries(at)) {
      const shown = hideTokens(name, secrets);
      if (shown !== name) Reflect.deleteProperty(at, name);
      if (typeof value === "string") {
        const text = hideTokens(value, secrets);
        if (text !== value || shown !== name) Reflect.set(at, shown, text);
      } else {
        if (shown !== name) Reflect.set(at, shown, value);
        if (typeof value === "object" && value !== null) rest.push(value);
      }
    }
}
