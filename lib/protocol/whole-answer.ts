/** An answer of JSON that keeps its text: the server that writes it (`scripts/direct-routes.mjs`) need not read it as a stream. */
export function wholeJson(value: unknown, init?: ResponseInit): Response {
  const whole = JSON.stringify(value);
  const headers = new Headers(init?.headers);
  headers.set("Content-Type", "application/json");
  return Object.assign(new Response(whole, { ...init, headers }), { whole });
}
