/** `/c/<id>`; everything else is a new conversation. */
export function conversationIn(pathname: string | null): string | null {
  const id = /^\/c\/([^/]+)$/.exec(pathname ?? "")?.[1];
  return id === undefined || id === "new" ? null : decodeURIComponent(id);
}

/** `/p/<id>`: a new conversation begins in this project. */
export const projectIn = (pathname: string | null): string | null => {
  const id = /^\/p\/([^/]+)$/.exec(pathname ?? "")?.[1];
  return id === undefined ? null : decodeURIComponent(id);
};

/** Next.js takes part in this: the address changes, and nothing is fetched or mounted for it. */
export function showAddress(id: string): void {
  window.history.replaceState(null, "", addressOf(id));
}

export const addressOf = (id: string) => `/c/${encodeURIComponent(id)}`;
