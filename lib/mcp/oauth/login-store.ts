import type {
  OAuthDiscoveryState,
  StoredOAuthClientInformation,
  StoredOAuthTokens,
} from "@modelcontextprotocol/client";
import { secretWords } from "@/lib/mcp/config/secrets-of";

/** What is saved of a sign-in to one MCP server; all of it is secret. */
export interface SavedLogin {
  /** The address that it was made for; it is not used for another one. */
  url: string;
  /** Bound to the issuer that they name. */
  tokens?: StoredOAuthTokens | undefined;
  /** Our registration with each authorization server, by issuer. */
  clients?: Record<string, StoredOAuthClientInformation> | undefined;
  discovery?: OAuthDiscoveryState | undefined;
  /** Key pair of DPoP as private JWK, when the authorization server binds tokens to one. */
  dpopKey?: JsonWebKey;
  /** When a person last signed in, epoch ms; gone after signing out. */
  signedInAt?: number | undefined;
  /** A sign-in that was begun and has not ended. */
  pending?: PendingLogin | undefined;
  /** A wider scope than was granted, which the server has asked for. */
  wantedScope?: string | undefined;
}

export interface PendingLogin {
  state: string;
  codeVerifier: string;
  redirectUrl: string;
  /** A page of this application that the person came from. */
  returnTo?: string;
  scope?: string;
  /** Epoch ms. */
  expiresAt: number;
}

/** Stores logins, encrypted, by name of the server. */
export interface LoginMemory {
  get(server: string): Promise<SavedLogin | undefined>;
  /** Stores what `change` makes of what is stored, in one transaction. */
  update(server: string, change: (saved: SavedLogin | undefined) => SavedLogin): Promise<void>;
  delete(server: string): Promise<void>;
  /**
   * Does the work while no other process does any for this login, waiting for its turn; `isHeld` is to be asked where bytes
   * leave. Without it there is no other process.
   */
  alone?(server: string, work: (isHeld: () => boolean) => Promise<void>): Promise<void>;
}

/** Tokens are renewed every few minutes, and are valid for hours. */
const maxIssued = 30;
/** Changes that wait for a disk that takes no writes. */
const maxUnwritten = 100;

type Change = (saved: SavedLogin) => SavedLogin;

/**
 * What is saved of the login of one server. Each change is made to what is stored at that moment, which another process
 * may have changed; what could not be stored goes with the next change.
 */
export class LoginStore {
  private current: SavedLogin;
  private loaded: Promise<void> | undefined;
  private writing: Promise<void> = Promise.resolve();
  private unwritten: readonly Change[] = [];
  private retired = false;
  /** Tokens that were issued, the newest last. */
  private readonly issued = new Set<string>();

  constructor(
    private readonly memory: LoginMemory,
    private readonly server: string,
    private readonly url: URL,
  ) {
    this.current = { url: url.href };
  }

  get saved(): Readonly<SavedLogin> {
    return this.current;
  }

  /** Reads what is saved, once; after a failure the next call reads again. */
  load(): Promise<void> {
    this.loaded ??= this.orForget(this.read());
    return this.loaded;
  }

  /** One that was never read is read when it is needed. */
  get isRead(): boolean {
    return this.loaded !== undefined;
  }

  /** Another process may have changed it. */
  reload(): Promise<void> {
    // After what is being written, and before what comes: what was read earlier would come back.
    const read = this.writing.then(() => this.read());
    this.writing = read.catch(() => {});
    this.loaded = this.orForget(read);
    return this.loaded;
  }

  /** Counts at once, and resolves when it is stored. A function is given what is stored at that moment. */
  change(patch: Partial<SavedLogin> | ((saved: SavedLogin) => Partial<SavedLogin>)): Promise<void> {
    return this.make((saved) => ({ ...saved, ...(typeof patch === "function" ? patch(saved) : patch) }));
  }

  /**
   * The sign-in that was begun with this state: returned once, however many answers arrive at the same time, in this
   * process or in another one.
   */
  async takePending(state: string): Promise<PendingLogin | undefined> {
    let taken: PendingLogin | undefined;
    await this.change(({ pending }) => {
      taken = pending?.state === state ? pending : undefined;
      return taken ? { pending: undefined } : {};
    });
    return taken;
  }

  /** Keeps only how this client is registered. */
  async forget(): Promise<void> {
    await this.load();
    await this.make(({ url, clients }) => ({ url, ...(clients && { clients }) }));
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

  private orForget(read: Promise<void>): Promise<void> {
    return read.catch((cause) => {
      this.loaded = undefined;
      throw cause;
    });
  }

  private async read(): Promise<void> {
    this.show(made(this.unwritten, this.ofThisAddress(await this.memory.get(this.server))));
  }

  private make(change: Change): Promise<void> {
    this.unwritten = [...this.unwritten, change].slice(-maxUnwritten);
    this.show(change(this.current));
    const written = this.writing.then(() => this.write());
    this.writing = written.catch(() => {});
    return written;
  }

  private async write(): Promise<void> {
    const changes = this.unwritten;
    if (this.retired || changes.length === 0) return;
    let stored = this.current;
    await this.memory.update(this.server, (saved) => {
      stored = made(changes, this.ofThisAddress(saved));
      return stored;
    });
    this.unwritten = this.unwritten.filter((change) => !changes.includes(change));
    this.show(made(this.unwritten, stored));
  }

  /** What is saved for another address is not used. */
  private ofThisAddress(saved: SavedLogin | undefined): SavedLogin {
    return saved?.url === this.url.href ? saved : { url: this.url.href };
  }

  private show(login: SavedLogin): void {
    this.current = login;
    const { access_token, refresh_token, id_token } = login.tokens ?? {};
    for (const token of [access_token, refresh_token, id_token]) if (token) this.issued.add(token);
    for (const token of [...this.issued].slice(0, -maxIssued)) this.issued.delete(token);
  }
}

const made = (changes: readonly Change[], login: SavedLogin): SavedLogin =>
  changes.reduce((before, change) => change(before), login);
