/** Lets work under the same key run one after another, in the order in which it came. For this process only. */
export class KeyedMutex {
  private readonly last = new Map<string, Promise<unknown>>();

  async run<Value>(key: string, work: () => Promise<Value>): Promise<Value> {
    const before = this.last.get(key);
    const mine = (async () => {
      await before?.catch(() => {});
      return work();
    })();
    this.last.set(key, mine);
    try {
      return await mine;
    } finally {
      if (this.last.get(key) === mine) this.last.delete(key);
    }
  }
}
