const prefix = "meguri.";
const ownerKey = `${prefix}account`;

/** What is kept in this browser, such as drafts, is of one person: it goes where another one signs in. */
export function takeBrowser(id: string): void {
  if (typeof window === "undefined") return;
  try {
    if (localStorage.getItem(ownerKey) === id) return;
    for (const name of Object.keys(localStorage)) if (name.startsWith(prefix)) localStorage.removeItem(name);
    localStorage.setItem(ownerKey, id);
  } catch {
    // Where nothing is kept, nothing is left.
  }
}

/** Calls `then` where somebody else signs in in another tab: what this one shows and writes would be the other one's. */
export function onTaken(id: string, then: () => void): () => void {
  const look = ({ key, newValue }: StorageEvent) => {
    if (key === ownerKey && newValue !== null && newValue !== id) then();
  };
  window.addEventListener("storage", look);
  return () => window.removeEventListener("storage", look);
}
