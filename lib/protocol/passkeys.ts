/** Characters of the name that its owner gives it. */
export const maxPasskeyName = 80;

/** `GET /api/passkeys`: one's own. */
export interface PasskeyItem {
  id: string;
  name: string;
  createdAt: string;
  /** When it has signed its owner in; null until it has. */
  lastUsedAt: string | null;
}

/** Whether a page can use passkeys. */
export interface PasskeyPlace {
  /** Where they work; null: nowhere. */
  origin: string | null;
  /** The page was opened there. */
  isHere: boolean;
}
