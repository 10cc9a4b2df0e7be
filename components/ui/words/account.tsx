"use client";

import { createContext, type ReactNode, use, useEffect, useState } from "react";
import { onTaken, takeBrowser } from "@/lib/client/settings/take-browser";
import type { Account } from "@/lib/protocol/accounts";

const Context = createContext<Account | null>(null);

/** Below it is known who is signed in; null where there are no accounts, and whoever is here may do everything. */
export function SignedIn({ account, children }: { account: Account | null; children: ReactNode }) {
  // Before anything below reads what is kept: who comes from the identity provider has passed no form of ours.
  useState(() => account && takeBrowser(account.id));
  useEffect(() => (account ? onTaken(account.id, () => window.location.reload()) : undefined), [account]);
  return <Context value={account}>{children}</Context>;
}

export const useAccount = (): Account | null => use(Context);

/** Whether who is here sets Meguri up for everybody. */
export function useIsAdmin(): boolean {
  const account = use(Context);
  return account === null || account.role === "admin";
}

/** What only who sets Meguri up can do: the server refuses it to others. */
export function ForAdmins({ children }: { children: ReactNode }) {
  return useIsAdmin() ? children : null;
}

/** Whether who is here sets up this server: who is an admin, and for one of their own everybody. */
export function useMayChange({ owner }: { owner: string }): boolean {
  return useIsAdmin() || owner !== "operator";
}

/** What only who sets up this server can do. */
export function ForOwner({ server, children }: { server: { owner: string }; children: ReactNode }) {
  return useMayChange(server) ? children : null;
}

/** What each does for themselves at this server, and at one that all share only who sets it up. */
export function ForUser({ server, children }: { server: { scope: "shared" | "user" }; children: ReactNode }) {
  return useIsOwnConnection(server) ? children : null;
}

/** Whether who is here signs in to this server, enters its secrets and accepts its tools: for themselves, or for everybody. */
export function useIsOwnConnection({ scope }: { scope: "shared" | "user" }): boolean {
  return useIsAdmin() || scope === "user";
}
