/** Texts that several instances share, each with a version that grows with every write. */
export interface SharedDocuments {
  /** How people know where they are, as "PostgreSQL". */
  label: string;
  read(name: string): Promise<{ text: string; version: number } | undefined>;
  /**
   * Puts a text in place of the one with this version, undefined where none is there yet. The new version, or undefined
   * where another text is there now: then nothing is written.
   */
  write(name: string, text: string, version: number | undefined): Promise<number | undefined>;
  delete(name: string): Promise<void>;
  /** Of those that are there. */
  versions(names: readonly string[]): Promise<ReadonlyMap<string, number>>;
  names(prefix: string): Promise<string[]>;
}

/** Takes up the version that a document has now; undefined where there is none. */
export type Check = (version: number | undefined) => Promise<void>;

const pollMs = 2_000;

/** Sees what other instances have changed: every 2 s, and as soon as it is told to look. */
export class SharedChanges {
  private readonly followed = new Set<{ name: string; check: Check }>();
  private looking: Promise<void> = Promise.resolve();
  private waiting: Promise<void> | undefined;
  private timer: NodeJS.Timeout | undefined;
  private hasFailed = false;

  constructor(
    readonly documents: SharedDocuments,
    private readonly options: {
      /** What is looked at before the documents. */
      before(): Promise<void>;
      warn(message: string): void;
    },
  ) {}

  start(): void {
    this.timer = setTimeout(async () => {
      await this.look();
      if (this.timer) this.start();
    }, pollMs).unref();
  }

  stop(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
  }

  /** Returns how to stop. */
  follow(name: string, check: Check): () => void {
    const one = { name, check };
    this.followed.add(one);
    return () => void this.followed.delete(one);
  }

  /** Resolves when what was changed before the call is in force here, or could not be read. A hint of a change calls this. */
  look(): Promise<void> {
    // One that is under way may have read before the change.
    this.waiting ??= this.looking.then(() => {
      this.waiting = undefined;
      this.looking = this.lookOnce();
      return this.looking;
    });
    return this.waiting;
  }

  private async lookOnce(): Promise<void> {
    try {
      await this.options.before();
      const followed = [...this.followed];
      const versions = await this.documents.versions(followed.map(({ name }) => name));
      for (const { name, check } of followed) await check(versions.get(name));
      this.hasFailed = false;
    } catch (cause) {
      if (!this.hasFailed)
        this.options.warn(`What other instances have changed of MCP servers cannot be read now. (${cause})`);
      this.hasFailed = true;
    }
  }
}
