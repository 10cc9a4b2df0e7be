import { secretWords } from "@/lib/mcp/config/secrets-of";
import type { LoginMemory, PendingLogin, SavedLogin } from "./types";

/** Tokens are renewed every few minutes, and are valid for hours. */
const maxIssued = 30;

/** What is saved of the login of one server: read once, and written after each change. */
export class LoginStore {
  private current: SavedLogin;
  private loaded: Promise<void> | undefined;
  private writing: Promise<void> = Promise.resolve();
  private retired = false;
  /** Tokens that were issued, the newest last. */
  private readonly issued = new Set<string>();

  constructor(
    private readonly memory: LoginMemory,
    private readonly server: string,
    url: URL,
  ) {
    this.current = { url: url.href };
  }

  get saved(): Readonly<SavedLogin> {
    return this.current;
  }

  /** Reads what is saved, once; after a failure the next call reads again. */
  load(): Promise<void> {
    this.loaded ??= this.read().catch((cause) => {
      this.loaded = undefined;
      throw cause;
    });
    return this.loaded;
  }

  /** Writes in the order of the calls, so that the last change is what stays stored; what could not be written goes with the next one. */
  change(patch: Partial<SavedLogin>): Promise<void> {
    this.current = { ...this.current, ...patch };
    this.noteTokens();
    if (this.retired) return this.writing;
    const written = this.writing.then(() => this.memory.set(this.server, this.current));
    this.writing = written.catch(() => {});
    return written;
  }

  /** The sign-in that was begun with this state: returned once, however many answers arrive at the same time. */
  takePending(state: string): PendingLogin | undefined {
    const { pending } = this.current;
    if (pending?.state !== state) return undefined;
    this.current = { ...this.current, pending: undefined };
    return pending;
  }

  /** Keeps only how this client is registered. */
  async forget(): Promise<void> {
    await this.load();
    const { url, clients } = this.current;
    this.current = { url };
    await this.memory.set(this.server, clients && { url, clients });
  }

  /** The server was removed: nothing is stored any more. */
  retire(): void {
    this.retired = true;
  }

  /**
   * What must not be disclosed: tokens, including replaced ones that may still be valid, and what the client
   * authenticates with.
   */
  secrets(): string[] {
    const { clients = {}, dpopKey, pending } = this.current;
    const own = Object.values(clients).map(({ client_secret: secret }) => secret);
    return secretWords([
      ...this.issued,
      ...[...own, dpopKey?.d, pending?.codeVerifier].flatMap((one) => one ?? []),
    ]);
  }

  private async read(): Promise<void> {
    const saved = await this.memory.get(this.server);
    if (saved?.url === this.current.url) this.current = saved;
    this.noteTokens();
  }

  private noteTokens(): void {
    const { access_token, refresh_token, id_token } = this.current.tokens ?? {};
    for (const token of [access_token, refresh_token, id_token]) if (token) this.issued.add(token);
    for (const token of [...this.issued].slice(0, -maxIssued)) this.issued.delete(token);
  }
}
