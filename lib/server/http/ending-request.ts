/** Marks a request whose answer, where it goes on and on, ends with a session. */
const key = Symbol.for("meguri.end");

/** The same request; its signal fires with this one too. Not a copy, which would cost as much as the rest of a small request. */
export function endingWith(request: Request, end: AbortSignal): Request {
  let signal: AbortSignal | undefined;
  return new Proxy(request, {
    get(target, name) {
      if (name === key) return end;
      // Made where it is asked for: Node 20 keeps a part of each one for as long as the session lasts.
      if (name === "signal") {
        signal ??= AbortSignal.any([target.signal, end]);
        return signal;
      }
      const value: unknown = Reflect.get(target, name, target);
      // Methods and getters of a request want the request itself.
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}

/** What ends the answer to this request besides its reader. */
export const endOf = (request: object): AbortSignal | undefined => (request as { [key]?: AbortSignal })[key];
