import type { Provider } from "@/lib/agent/ports";
import type { ModelItem } from "@/lib/protocol/http";
import type { Providers } from "@/lib/providers/types";

/** The providers as they are configured now. A run keeps the model that it began with. */
export class LiveProviders implements Providers {
  private reloading: Promise<void> = Promise.resolve();

  constructor(
    private current: Providers,
    private readonly open: (privateHosts?: readonly string[]) => Promise<Providers>,
  ) {}

  /** Takes up what has been changed in the settings. One after another: the last one has read the newest. */
  reload(): Promise<void> {
    const done = this.reloading.then(async () => {
      this.current = await this.open();
    });
    this.reloading = done.catch(() => {});
    return done;
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

  test(...args: Parameters<Providers["test"]>): Promise<number> {
    return this.current.test(...args);
  }

  /** As `test`, over connections that may also reach this private `host:port`, for this once. */
  async testAt(privateHost: string, ...args: Parameters<Providers["test"]>): Promise<number> {
    return (await this.open([privateHost])).test(...args);
  }
}
