import { isDeepStrictEqual } from "node:util";
import type { Provider } from "@/lib/agent/ports";
import type { ModelItem, Price } from "@/lib/protocol/settings";
import { openProviders } from "@/lib/providers/providers";
import { type LearnedModel, type ModelMemory, openModelMemory } from "@/lib/providers/shared/model-memory";
import { type Providers, UnknownModelError } from "@/lib/providers/types";
import type { BaseDeps } from "@/lib/server/base-deps";
import { StartError } from "@/lib/server/env";
import { accessOf } from "@/lib/server/provider-env";
import { readEndpoints } from "./endpoints";
import { adoptAccess, providerConfig, providerKeys, readAccess, readTraits } from "./provider-access";
import { allowedAddresses, openProviderNetwork } from "./provider-network";

/** The providers as they are configured now. A run keeps the model that it began with. */
export class LiveProviders implements Providers {
  private reloading: Promise<void> = Promise.resolve();
  /** What `read` gave when it was last looked at. */
  private before: unknown;

  constructor(
    private current: Providers,
    private readonly open: (privateHosts?: readonly string[]) => Promise<Providers>,
    /** What is stored of them. */
    private readonly read: () => Promise<unknown>,
  ) {}

  /** Takes up what has been changed in the settings. One after another: the last one has read the newest. */
  reload(): Promise<void> {
    const done = this.reloading.then(async () => {
      this.current = await this.open();
    });
    this.reloading = done.catch(() => {});
    return done;
  }

  /** The same where something may have been changed since the last call, as connections are opened anew. */
  async reloadChanged(): Promise<void> {
    const stored = await this.read();
    if (isDeepStrictEqual(stored, this.before)) return;
    await this.reload();
    this.before = stored;
  }

  models(): Promise<ModelItem[]> {
    return this.current.models();
  }

  defaultModel(): Promise<string> {
    return this.current.defaultModel();
  }

  provider(modelId: string): Provider {
    return this.current.provider(modelId);
  }

  window(modelId: string): number | undefined {
    return this.current.window(modelId);
  }

  price(modelId: string): Price | undefined {
    return this.current.price(modelId);
  }

  test(...args: Parameters<Providers["test"]>): Promise<number> {
    return this.current.test(...args);
  }

  testEndpoint(...args: Parameters<Providers["testEndpoint"]>): ReturnType<Providers["testEndpoint"]> {
    return this.current.testEndpoint(...args);
  }

  /** The same over connections that may also reach this private `host:port`, for one test. */
  reaching(privateHost: string): Promise<Providers> {
    return this.open([privateHost]);
  }
}

/** Throws StartError when the default model of the environment is none of what is configured. */
export async function openLiveProviders(access: ProviderDeps): Promise<LiveProviders> {
  const modelMemory = await openStoredMemory(access);
  const open = async () => {
    const config = await readConfig(access);
    const network = await openNetwork(access);
    try {
      return openProviders(config, { ...network, modelMemory });
    } catch (cause) {
      if (!(cause instanceof UnknownModelError)) throw cause;
      throw new StartError(`DEFAULT_MODEL: ${cause.message}`);
    }
  };
  // Later a key may be removed that the default model needs: another model serves then.
  const reopen = async (privateHosts?: readonly string[]) => {
    const config = await readConfig(access);
    const environment = { ...(await openNetwork(access, privateHosts)), modelMemory };
    try {
      return openProviders(config, environment);
    } catch {
      const { defaultModel: _, ...rest } = config;
      return openProviders(rest, environment);
    }
  };
  await adoptAccess(access);
  const read = () => Promise.all(providerKeys.map((key) => access.store.settings.get("system", key)));
  return new LiveProviders(await open(), reopen, read);
}

/** What models' servers have shown lasts as long as the store. What could not be written is found out again. */
async function openStoredMemory({ store, log }: Pick<BaseDeps, "store" | "log">): Promise<ModelMemory> {
  const key = "learned-apis";
  const kept = await store.settings.get<Record<string, LearnedModel>>("system", key);
  return openModelMemory(kept, (all) => {
    store.settings.set("system", key, all).catch((err: unknown) => {
      log.warn({ err }, "what was learned of a model's API was not stored");
    });
  });
}

type ProviderDeps = Pick<BaseDeps, "env" | "providerEnv" | "endpointEnv" | "store" | "secrets" | "log">;

/** To one origin, beside one for each run: lists of models, agents side by side, models that servers borrow. */
const spareConnections = 32;

/** New connections each time: an open one to an address that was removed would go on serving. */
async function openNetwork(deps: ProviderDeps, privateHosts: readonly string[] = []) {
  const allowed = allowedAddresses(
    deps.env,
    accessOf(deps.providerEnv),
    await readAccess(deps),
    await readEndpoints(deps),
  );
  const connections = deps.env.MAX_RUNS + spareConnections;
  return openProviderNetwork([...allowed, ...privateHosts], { connections });
}

const readConfig = async (deps: ProviderDeps) =>
  providerConfig(deps, await readAccess(deps), await readEndpoints(deps), await readTraits(deps));
