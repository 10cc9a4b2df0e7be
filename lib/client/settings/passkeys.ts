import { ApiError, api } from "@/lib/client/http/http";
import { type Live, LiveStore, useLive } from "@/lib/client/http/live-store";
import type { Account } from "@/lib/protocol/accounts";
import type { Page } from "@/lib/protocol/http";
import type { PasskeyItem } from "@/lib/protocol/passkeys";

const passkeys = new LiveStore<Page<PasskeyItem>>({
  name: "passkeys",
  load: () => api<Page<PasskeyItem>>("/api/passkeys"),
  pace: () => 60_000,
});

export function usePasskeys(): Live<Page<PasskeyItem>> {
  return useLive(passkeys);
}

export const refreshPasskeys = (): Promise<void> => passkeys.refresh({ tell: true });

const post = <Answer>(path: string, body: object) => api<Answer>(path, { method: "POST", body });

/** Has the browser make one, which its person confirms there. */
export async function addPasskey(name: string): Promise<void> {
  const { startRegistration } = await loadBrowserPart();
  const optionsJSON = await post<Parameters<typeof startRegistration>[0]["optionsJSON"]>(
    "/api/passkeys/options",
    {},
  );
  const response = await startRegistration({ optionsJSON }).catch(refuse);
  await post("/api/passkeys", { name, response });
  await refreshPasskeys();
}

export async function removePasskey(id: string): Promise<void> {
  try {
    await api(`/api/passkeys/${id}`, { method: "DELETE" });
  } finally {
    await refreshPasskeys();
  }
}

/** With one of those that the browser knows for this site. */
export async function signInByPasskey(): Promise<Account> {
  const { startAuthentication } = await loadBrowserPart();
  const optionsJSON = await post<Parameters<typeof startAuthentication>[0]["optionsJSON"]>(
    "/api/auth/sign-in/passkey/options",
    {},
  );
  const response = await startAuthentication({ optionsJSON }).catch(refuse);
  return post<Account>("/api/auth/sign-in/passkey", { response });
}

/** 3 KB that few visits need. */
async function loadBrowserPart() {
  const part = await import("@simplewebauthn/browser");
  if (!part.browserSupportsWebAuthn())
    throw new ApiError("passkey_unsupported", "This browser has no passkeys; use another one.", 0);
  return part;
}

/** Browsers say little of why, so that a page learns nothing of whose passkeys there are. */
function refuse(cause: unknown): never {
  const name = cause instanceof Error ? cause.name : "";
  switch (name) {
    case "NotAllowedError":
    case "AbortError":
      throw new ApiError("passkey_cancelled", "No passkey was used: it was cancelled, or took too long.", 0);
    case "InvalidStateError":
      throw new ApiError("passkey_known", "This device has a passkey for your account already.", 0);
    case "ConstraintError":
    case "NotSupportedError":
      throw new ApiError(
        "passkey_unsupported",
        "This device cannot keep such a passkey. Set up its screen lock or PIN, or use another one.",
        0,
      );
    default:
      throw cause;
  }
}
