/** Those who wait for something to change. */
export class Waiters {
  private readonly waiting = new Set<() => void>();

  /** Resolves with the next change, or when the signal fires. */
  async next(limit: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.waiting.add(resolve);
    limit.addEventListener("abort", () => resolve(), { once: true });
    await promise;
    this.waiting.delete(resolve);
  }

  tell(): void {
    for (const resolve of this.waiting) resolve();
  }
}
