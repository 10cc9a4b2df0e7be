/** Of every answer: `next.config.ts` has Next.js add them, and the server before it adds them where that is not asked. */
export const answerHeaders = [
  { key: "X-Content-Type-Options", value: "nosniff" },
  { key: "X-Frame-Options", value: "DENY" },
  { key: "Referrer-Policy", value: "same-origin" },
  { key: "Permissions-Policy", value: "camera=(), microphone=(), geolocation=()" },
];

/**
 * One more of them: a page of another site that has opened ours in a window gets no handle of it. The browser begins a new process
 * for that, so `next.config.ts` leaves it out where no page can have opened ours.
 */
export const openerPolicy = { key: "Cross-Origin-Opener-Policy", value: "same-origin" };

/** Shared conversations are for people with the link, not for search engines, caches or the next site. */
export const sharedHeaders = [
  { key: "X-Robots-Tag", value: "noindex" },
  { key: "Cache-Control", value: "private, no-store" },
  { key: "Referrer-Policy", value: "no-referrer" },
];

const headersOfAll = [...answerHeaders, openerPolicy];
const headersOfShares = [...headersOfAll, ...sharedHeaders];

/** Of an answer of the API at this path; of two by one name the later counts. */
export const headersOf = (path: string): typeof answerHeaders =>
  path.startsWith("/api/share/") ? headersOfShares : headersOfAll;
