import type { WireRecord } from "@/lib/protocol/wire";

type WithoutBody<Part> = Part extends { body: string } ? Omit<Part, "body"> : Part;

/** A record with its bodies as bytes. */
export interface WireParts {
  about: Omit<WireRecord, "request" | "response"> & {
    request: WithoutBody<WireRecord["request"]>;
    response: WithoutBody<WireRecord["response"]>;
  };
  request: Uint8Array;
  response: Uint8Array;
}

/** As it is stored: the length of what is said about it and of the request, then these and the answer, without JSON round what may be long. */
export function writeWire({ about, request, response }: WireParts): Uint8Array[] {
  const head = Buffer.from(JSON.stringify(about));
  const lengths = Buffer.alloc(8);
  lengths.writeUInt32LE(head.length, 0);
  lengths.writeUInt32LE(request.length, 4);
  return [lengths, head, request, response];
}

export function readWire(stored: Uint8Array): WireRecord {
  const bytes = Buffer.from(stored.buffer, stored.byteOffset, stored.byteLength);
  const bodyAt = 8 + bytes.readUInt32LE(0);
  const answerAt = bodyAt + bytes.readUInt32LE(4);
  const { request, response, ...about } = JSON.parse(bytes.toString("utf8", 8, bodyAt)) as WireParts["about"];
  return {
    ...about,
    request: { ...request, body: bytes.toString("utf8", bodyAt, answerAt) },
    response: response && { ...response, body: bytes.toString("utf8", answerAt) },
  };
}
