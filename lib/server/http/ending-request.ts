/** Marks a request whose answer, where it goes on and on, ends with a session. */
const key = Symbol.for("meguri.end");

/** The same request; its signal fires with this one too. */
export function endingWith(request: Request, end: AbortSignal): Request {
  // Next hands out a proxy of its request, which `new Request(request)` refuses.
  const { url, method, headers, body } = request;
  const copy = new Request(url, { method, headers, body, ...(body && { duplex: "half" }) });
  let signal: AbortSignal | undefined;
  return Object.defineProperties(copy, {
    // Made where it is asked for: Node 20 keeps a part of each one for as long as the session lasts.
    signal: {
      get() {
        signal ??= AbortSignal.any([request.signal, end]);
        return signal;
      },
    },
    [key]: { value: end },
  });
}

/** What ends the answer to this request besides its reader. */
export const endOf = (request: object): AbortSignal | undefined => (request as { [key]?: AbortSignal })[key];
