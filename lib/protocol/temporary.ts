/** Bytes of all temporary chats of a person together: what was said, results, files. */
export const maxTemporaryBytes = 20 * 1024 * 1024;
/** How long one stays after it was last used. */
export const temporaryForMs = 60 * 60_000;

/**
 * Whether it is the id of something that is in memory alone: a UUID of version 8, while all others are of version 7. Told by the
 * id alone, it is known also of one that has ended.
 */
export const isTemporaryId = (id: string): boolean =>
  /^[\da-f]{8}-[\da-f]{4}-8[\da-f]{3}-[\da-f]{4}-[\da-f]{12}$/.test(id);
