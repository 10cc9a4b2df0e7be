import { offlineWorker } from "@/lib/server/entry/offline-worker";

/** What browsers keep for when no server answers. Public: it says nothing that the sign-in page does not. */
export function GET(): Response {
  return new Response(offlineWorker(), {
    headers: {
      "Content-Type": "text/javascript; charset=utf-8",
      // Asked for again with each page, so that nobody keeps an old one.
      "Cache-Control": "no-cache",
      "Content-Security-Policy": "default-src 'none'; connect-src 'self'",
    },
  });
}
