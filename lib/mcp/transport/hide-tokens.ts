const dots = "••••";

/** The text without these secrets. */
export const hideTokens = (text: string, secrets: readonly string[]): string =>
  secrets.reduce((shown, secret) => shown.replaceAll(secret, dots), text);

/**
 * Takes the tokens that a server was sent out of a message of it, in place: no server has to tell them, and what it says
 * may be read by a model, shown and kept. However deep it is nested.
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
