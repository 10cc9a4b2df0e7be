import type { BaseDeps } from "@/lib/server/base-deps";
import { type SealedSetting, seal, unseal } from "@/lib/server/seal";
import { hooksKey, type StoredHook } from "@/lib/store/hook-ports";

/** What is kept sealed of a hook: addresses of chat services are secrets too. */
interface HookAddress {
  url: string;
  /** As it is shown: `whsec_` and base64. */
  secret: string;
}

/** A hook that can be used. */
export type OpenHook = Omit<StoredHook, "sealed"> & HookAddress;

export const sealedHooks: SealedSetting = {
  fits: (key) => key === hooksKey,
  reseal: (value, again) =>
    (value as StoredHook[]).map((hook) => ({ ...hook, sealed: again(purposeOf(hook.id), hook.sealed) })),
};

type HookStore = Pick<BaseDeps, "store" | "secrets">;

/** Those of a person as they are now, oldest first; without what was sealed under another secret. */
export async function readHooks(deps: HookStore, userId: string): Promise<OpenHook[]> {
  // What another process has added a moment ago is not to be missed.
  return opened(deps, (await deps.store.settings.reread<StoredHook[]>(userId, hooksKey)) ?? []);
}

/** In one transaction; what `change` throws leaves all as it is. */
export async function changeHooks(
  deps: HookStore,
  userId: string,
  change: (hooks: OpenHook[]) => OpenHook[],
): Promise<void> {
  await deps.store.settings.update(userId, hooksKey, (stored: StoredHook[] | undefined) =>
    change(opened(deps, stored ?? [])).map(
      ({ url, secret, ...hook }): StoredHook => ({
        ...hook,
        sealed: seal(deps.secrets.appSecret, purposeOf(hook.id), JSON.stringify({ url, secret })),
      }),
    ),
  );
}

function opened({ secrets }: HookStore, stored: readonly StoredHook[]): OpenHook[] {
  return stored.flatMap(({ sealed, ...hook }) => {
    const text = unseal(secrets.appSecret, purposeOf(hook.id), sealed);
    return text === undefined ? [] : { ...hook, ...(JSON.parse(text) as HookAddress) };
  });
}

/** Not of its person: it stays readable when its owner gets an account. */
const purposeOf = (id: string): string => `hook ${id}`;
