import { decodeAttestationObject } from "@simplewebauthn/server/helpers";
import type { z } from "zod";
import type { Page } from "@/lib/protocol/http";
import type { PasskeyItem } from "@/lib/protocol/passkeys";
import type { PasskeyBody, PasskeySignInBody } from "@/lib/server/contract/passkeys";
import { HttpError, notFound } from "@/lib/server/http/errors";
import type { Person } from "@/lib/server/http/guard";
import type { KeyedMutex } from "@/lib/server/keyed-mutex";
import type { PasskeyRow } from "@/lib/store/account-ports";
import type { Attempts } from "./attempts";
import { type Auth, type AuthDeps, onlyAgent, onlyCookies } from "./auth";
import { passkeySite } from "./passkey-site";
import { invalidPasskey, told } from "./refusals";

/** Of one person. */
const maxPasskeys = 20;
/** Challenges that wait for their answer, of everybody: whoever opens the sign-in page can ask for one. */
const maxPending = 10_000;

type PasskeyDeps = Pick<AuthDeps, "env" | "store" | "log"> & {
  auth: Auth;
  addingPasskeys: KeyedMutex;
  attempts: Pick<Attempts, "count" | "forget">;
};

/**
 * Keys that a device keeps and shows to nobody; it signs a challenge with one where its owner has unlocked it. The library
 * keeps each challenge for 5 minutes, gives its name to the browser that asks in a signed cookie, and takes it once.
 */
export class Passkeys {
  constructor(private readonly deps: PasskeyDeps) {}

  async list({ id }: Pick<Person, "id">): Promise<Page<PasskeyItem>> {
    const rows = await this.deps.store.passkeys.list(id);
    return { items: rows.map(toItem), nextCursor: null };
  }

  /** What a browser makes a new one from, and the cookie of its challenge. */
  async begin(request: Request, person: Person): Promise<{ options: object; headers: Headers }> {
    await this.assertRoom(person);
    await this.assertPossible();
    const { response: options, headers } = await told(
      this.deps.auth.api.generatePasskeyRegistrationOptions({
        headers: onlyCookies(request.headers, this.deps.env),
        returnHeaders: true,
      }),
    );
    return { options, headers };
  }

  async add(
    request: Request,
    person: Person,
    { name, response }: z.output<typeof PasskeyBody>,
  ): Promise<PasskeyItem> {
    assertNoCertificate(response.response.attestationObject);
    const { store, auth, addingPasskeys } = this.deps;
    return addingPasskeys.run(person.id, async () => {
      await this.assertRoom(person);
      if (await store.passkeys.byCredential(response.id))
        throw new HttpError(
          409,
          "exists",
          "response: this passkey is in use already; choose another device.",
        );
      const { id } = await told(
        auth.api.verifyPasskeyRegistration({
          body: { name, response },
          headers: onlyCookies(request.headers, this.deps.env),
        }),
      );
      const added = (await store.passkeys.list(person.id)).find((row) => row.id === id);
      if (!added) throw notFound("passkey");
      return toItem(added);
    });
  }

  /** What it was called. */
  async remove({ id: userId }: Person, id: string): Promise<string> {
    const removed = await this.deps.store.passkeys.delete(userId, id);
    if (!removed) throw notFound("passkey");
    return removed.name;
  }

  /** The same for everybody who asks: whose passkey it is turns out afterwards. */
  async beginSignIn(): Promise<{ options: object; headers: Headers }> {
    await this.assertPossible();
    const { response, headers } = await told(
      this.deps.auth.api.generatePasskeyAuthenticationOptions({
        headers: new Headers(),
        returnHeaders: true,
      }),
    );
    return { options: { ...response, userVerification: "required" }, headers };
  }

  async signIn(request: Request, { response }: z.output<typeof PasskeySignInBody>) {
    const { store, auth, attempts, log } = this.deps;
    const attempt = `passkey ${response.id}`;
    attempts.count(attempt);
    const known = await store.passkeys.byCredential(response.id);
    const browser = new Headers([
      ...onlyCookies(request.headers, this.deps.env),
      ...onlyAgent(request.headers),
    ]);
    const { response: signedIn, headers } = await told(
      auth.api.verifyPasskeyAuthentication({ body: { response }, headers: browser, returnHeaders: true }),
    );
    attempts.forget(attempt);
    if (known)
      await store.passkeys
        .noteUsed(known.id, Date.now())
        .catch((err) => log.warn({ err }, "when a passkey was used was not written"));
    return { user: signedIn.user, headers, passkey: known?.name ?? "" };
  }

  /** Whose it is, for the audit log. */
  async ownerOf({ response: { id } }: z.output<typeof PasskeySignInBody>): Promise<string> {
    return (await this.deps.store.passkeys.byCredential(id))?.email ?? "passkey";
  }

  private async assertPossible(): Promise<void> {
    if (!passkeySite(this.deps.env))
      throw new HttpError(
        409,
        "passkeys_need_a_name",
        "Passkeys need a name, not an address: set PUBLIC_URL to an https address with the name of a host.",
      );
    if ((await this.deps.store.passkeys.pendingChallenges()) >= maxPending)
      throw new HttpError(
        429,
        "too_many_attempts",
        "Too many attempts to sign in; wait some minutes and try again.",
        undefined,
        60,
      );
  }

  private async assertRoom({ id }: Person): Promise<void> {
    if ((await this.deps.store.passkeys.list(id)).length >= maxPasskeys)
      throw new HttpError(409, "too_many", `At most ${maxPasskeys} passkeys can be kept; remove some first.`);
  }
}

/**
 * Who has made the device is not asked for, so that browsers send no certificate. The library would fetch lists of revoked
 * ones from whatever address a certificate names.
 */
function assertNoCertificate(attestationObject: string): void {
  let isPlain = false;
  try {
    const attestation = decodeAttestationObject(Buffer.from(attestationObject, "base64url"));
    const format = attestation.get("fmt");
    isPlain =
      format === "none" || (format === "packed" && attestation.get("attStmt").get("x5c") === undefined);
  } catch {
    // What cannot be read is no passkey.
  }
  if (!isPlain) throw invalidPasskey();
}

const toItem = ({ id, name, createdAt, lastUsedAt }: PasskeyRow): PasskeyItem => ({
  ...{ id, name, createdAt: new Date(createdAt).toISOString() },
  lastUsedAt: lastUsedAt === null ? null : new Date(lastUsedAt).toISOString(),
});
