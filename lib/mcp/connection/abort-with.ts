/**
 * A controller that is also aborted by the signal, until it is released. `AbortSignal.any` would leave work for the
 * garbage collector with every call, several times what the call itself costs.
 */
export function abortWith(signal: AbortSignal): { controller: AbortController; release(): void } {
  const controller = new AbortController();
  const follow = () => controller.abort(signal.reason);
  if (signal.aborted) follow();
  else signal.addEventListener("abort", follow, { once: true });
  return { controller, release: () => signal.removeEventListener("abort", follow) };
}
