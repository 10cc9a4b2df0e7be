import { createHash, createSign, generateKeyPairSync, randomBytes } from "node:crypto";
import type { PasskeyItem } from "@/lib/protocol/passkeys";
import { cookiesOf, type TestPerson } from "./people";

/** What a browser would tell a device, and what the device then says of itself; tests change some of it. */
export interface Ceremony {
  challenge: string;
  origin?: string;
  rpId?: string;
  /** Its owner has unlocked it. */
  isVerified?: boolean;
}

export interface TestPasskey {
  id: string;
  /** The answer to a challenge, as a browser sends it. */
  sign(ceremony: Ceremony & { counter?: number; as?: string }): object;
}

/** A device that keeps passkeys of the curve P-256, as of WebAuthn level 2, without a browser. */
export function makePasskey({ certificate, ...ceremony }: Ceremony & { certificate?: Buffer }): {
  passkey: TestPasskey;
  response: object;
} {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const credentialId = randomBytes(32);
  const { x = "", y = "" } = publicKey.export({ format: "jwk" });
  const key = cbor(
    new Map<number, unknown>([
      ...([
        [1, 2],
        [3, -7],
        [-1, 1],
      ] as const),
      [-2, Buffer.from(x, "base64url")],
      [-3, Buffer.from(y, "base64url")],
    ]),
  );
  const attested = Buffer.concat([
    Buffer.alloc(16),
    Buffer.from([0, credentialId.length]),
    credentialId,
    key,
  ]);
  const authData = Buffer.concat([authenticatorData(ceremony, 0x40, 0), attested]);
  const attestation = new Map<string, unknown>([
    ["fmt", certificate ? "apple" : "none"],
    ["attStmt", new Map(certificate && [["x5c", [certificate]]])],
    ["authData", authData],
  ]);
  const id = credentialId.toString("base64url");
  const passkey: TestPasskey = {
    id,
    sign: ({ counter = 0, as = id, ...asked }) => {
      const data = authenticatorData(asked, 0, counter);
      const client = clientData("webauthn.get", asked);
      const signature = createSign("sha256").update(data).update(sha256(client)).sign(privateKey);
      const response = {
        ...{ clientDataJSON: client, authenticatorData: data, signature },
      };
      return toJson(as, response);
    },
  };
  const made = {
    clientDataJSON: clientData("webauthn.create", ceremony),
    attestationObject: cbor(attestation),
  };
  return { passkey, response: toJson(id, made) };
}

/** Its id. */
export async function addPasskey(person: Pick<TestPerson, "call" | "headers">): Promise<string> {
  const begun = await person.call("POST", "/api/passkeys/options", {});
  const { challenge } = (await begun.json()) as { challenge: string };
  const { response } = makePasskey({ challenge });
  const cookie = `${person.headers.cookie}; ${cookiesOf(begun)}`;
  const added = await person.call("POST", "/api/passkeys", { name: "A laptop", response }, { cookie });
  return ((await added.json()) as PasskeyItem).id;
}

/** Of a device; lists of revoked ones are at this port of this machine. */
export const deviceCertificate = (port: number): Buffer => {
  const bytes = Buffer.from(certificate, "base64");
  bytes.write(String(port).padStart(5, "0"), bytes.indexOf("00000/crl"));
  return bytes;
};

const certificate =
  "MIIBnTCCAUOgAwIBAgIUFC86jDGCww8m+BpZvrk0oGr8vxswCgYIKoZIzj0EAwIwDDEKMAgGA1UEAwwBZDAgFw0yNjExMjgw" +
  "MjUwMzNaGA8yMTI2MTEwNDAyNTAzM1owDDEKMAgGA1UEAwwBZDBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABOFmtUUqTQ3/" +
  "9nJH7vvUdS6Zl2RXZ9Pr+dTVe7f5zYIlBmsLTAQyLdmMNruN+C5OJ0dXKx49/38Du9qok5sEJX6jgYAwfjAdBgNVHQ4EFgQU" +
  "w3BSj5G0YYzaJiR9FunhQ7p6RGIwHwYDVR0jBBgwFoAUw3BSj5G0YYzaJiR9FunhQ7p6RGIwDwYDVR0TAQH/BAUwAwEB/zAr" +
  "BgNVHR8EJDAiMCCgHqAchhpodHRwOi8vMTI3LjAuMC4xOjAwMDAwL2NybDAKBggqhkjOPQQDAgNIADBFAiEAtz2l0FTVv4Nj" +
  "g4VTdIPjF0gDCv/noU9K50GFmEdjAWwCIDd5w4+du2a4Oz0VcOISHtkxv3ajpuj6KHPdepd91Kbg";

const sha256 = (data: string | Buffer) => createHash("sha256").update(data).digest();

const clientData = (type: string, { challenge, origin = "http://localhost:3999" }: Ceremony) =>
  Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }));

function authenticatorData(
  { rpId = "localhost", isVerified = true }: Ceremony,
  flags: number,
  counter: number,
): Buffer {
  const count = Buffer.alloc(4);
  count.writeUInt32BE(counter);
  return Buffer.concat([sha256(rpId), Buffer.from([flags | 1 | (isVerified ? 4 : 0)]), count]);
}

const toJson = (id: string, response: Record<string, Buffer>) => ({
  ...{ id, rawId: id, type: "public-key", clientExtensionResults: {} },
  response: Object.fromEntries(
    Object.entries(response).map(([name, bytes]) => [name, bytes.toString("base64url")]),
  ),
});

/** What of RFC 8949 such a device writes. */
function cbor(value: unknown): Buffer {
  if (typeof value === "number") return value < 0 ? head(1, -1 - value) : head(0, value);
  if (typeof value === "string")
    return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)]);
  if (Buffer.isBuffer(value)) return Buffer.concat([head(2, value.length), value]);
  if (Array.isArray(value)) return Buffer.concat([head(4, value.length), ...value.map(cbor)]);
  const entries = [...(value as Map<unknown, unknown>)];
  return Buffer.concat([head(5, entries.length), ...entries.flatMap(([key, one]) => [cbor(key), cbor(one)])]);
}

function head(major: number, length: number): Buffer {
  if (length < 24) return Buffer.from([(major << 5) | length]);
  if (length < 256) return Buffer.from([(major << 5) | 24, length]);
  return Buffer.from([(major << 5) | 25, length >> 8, length & 255]);
}
