/** What `GET /api/events` says that it has changed: the name of an event, which tells no more. */
export const hints = ["conversations", "servers", "settings"] as const;
export type Hint = (typeof hints)[number];
