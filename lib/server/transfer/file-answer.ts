import type { Logger } from "pino";
import type { Slots } from "@/lib/server/attachments/slots";

/** Text or bytes of a file, made when they are asked for. */
export type Pieces = AsyncGenerator<string | Uint8Array, void>;

export interface AnsweredFile {
  /** With its ending. */
  name: string;
  type: string;
  pieces: Pieces;
  headers?: Record<string, string>;
}

/** Bytes that are handed over at once. */
const pieceSize = 64 * 1024;
/** A reader that takes nothing for so long is gone. */
const patienceMs = 5 * 60_000;

/**
 * Answers with a file that is made while it is read, as fast as it is read, and never whole in memory. What goes wrong before
 * its first bytes is thrown; later it cuts the answer off, which every client takes for a failed download. It holds one of the
 * slots until it is over.
 */
export async function answerFile(
  deps: { log: Pick<Logger, "error">; slots: Slots },
  { name, type, pieces, headers }: AnsweredFile,
): Promise<Response> {
  const release = await hold(deps.slots);
  const gathered = gather(pieces);
  try {
    const first = await gathered.next();
    const body = toStream(first, gathered, release, (err) =>
      deps.log.error({ err, name }, "an export broke off"),
    );
    return new Response(body, {
      headers: {
        "Content-Type": type,
        "Content-Disposition": disposition(name),
        "Content-Security-Policy": "sandbox; default-src 'none'",
        "X-Content-Type-Options": "nosniff",
        "Cache-Control": "no-store",
        ...headers,
      },
    });
  } catch (cause) {
    release();
    throw cause;
  }
}

/** Takes a slot; gives what gives it back. */
async function hold(slots: Slots): Promise<() => void> {
  const over = Promise.withResolvers<void>();
  const taken = Promise.withResolvers<void>();
  slots
    .run(() => {
      taken.resolve();
      return over.promise;
    })
    .catch(taken.reject);
  await taken.promise;
  return over.resolve;
}

/** What is small is handed on together; what is large already is not copied. */
async function* gather(pieces: Pieces): AsyncGenerator<Uint8Array<ArrayBuffer>, void> {
  let [held, size]: [Uint8Array[], number] = [[], 0];
  for await (const piece of pieces) {
    const bytes = typeof piece === "string" ? Buffer.from(piece) : piece;
    held.push(bytes);
    size += bytes.length;
    if (size < pieceSize) continue;
    yield joined(held);
    [held, size] = [[], 0];
  }
  if (size > 0) yield joined(held);
}

const joined = (held: Uint8Array[]) =>
  (held.length === 1 ? held[0] : Buffer.concat(held)) as Uint8Array<ArrayBuffer>;

function toStream(
  first: IteratorResult<Uint8Array<ArrayBuffer>, void>,
  rest: AsyncGenerator<Uint8Array<ArrayBuffer>, void>,
  release: () => void,
  onFault: (cause: unknown) => void,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  let next: IteratorResult<Uint8Array<ArrayBuffer>, void> | undefined = first;
  let patience: NodeJS.Timeout | undefined;
  const end = () => {
    clearTimeout(patience);
    release();
    // What it reads from is closed.
    return rest.return();
  };
  const wait = (controller: ReadableStreamDefaultController) => {
    patience = setTimeout(() => {
      controller.error(new Error("The reader has taken nothing for too long."));
      void end();
    }, patienceMs).unref();
  };
  return new ReadableStream(
    {
      start: wait,
      async pull(controller) {
        clearTimeout(patience);
        try {
          const { done, value } = next ?? (await rest.next());
          next = undefined;
          if (done) {
            release();
            return controller.close();
          }
          controller.enqueue(value);
          wait(controller);
        } catch (cause) {
          onFault(cause);
          controller.error(cause);
          void end();
        }
      },
      cancel: async () => void (await end()),
    },
    { highWaterMark: 0 },
  );
}

/** RFC 6266: one name that every client reads, and the real one. */
function disposition(name: string): string {
  const ending = /\.\w+$/.exec(name)?.[0] ?? "";
  const plain = /^[\w .-]+$/.test(name) ? name : `meguri${ending}`;
  const coded = encodeURIComponent(name).replaceAll(
    /['()*!]/g,
    (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="${plain}"; filename*=UTF-8''${coded}`;
}
