import { once } from "node:events";
import { type AddressInfo, connect, createServer, type NetConnectOpts, type Socket } from "node:net";

/** A way to a server on which bytes can be held: what an instance sees when the network between them is parted. */
export interface LossyWay {
  port: number;
  /** From now on nothing is passed on, and nothing is closed. */
  part(): void;
  /** What was held arrives, late; with `forNewOnly` it never does, and only connections that are opened from now on work. */
  heal(how?: "forNewOnly"): void;
  close(): Promise<void>;
}

/** To the server whose socket this address names; `over` gives the address of a database on that way. */
export async function openDatabaseWay(url: string): Promise<LossyWay & { over(database: string): string }> {
  const way = await openWay({ path: `${new URL(url).searchParams.get("host")}/.s.PGSQL.5432` });
  const over = (database: string) => {
    const address = new URL(database);
    address.searchParams.set("host", "127.0.0.1");
    address.searchParams.set("port", String(way.port));
    return address.href;
  };
  return { ...way, over };
}

type Line = readonly [near: Socket, far: Socket];

export async function openWay(to: NetConnectOpts): Promise<LossyWay> {
  const sockets = new Set<Socket>();
  const lines = new Set<Line>();
  /** They have come while nothing was passed on. */
  const waiting = new Set<Socket>();
  let isParted = false;
  const server = createServer({ allowHalfOpen: true }, (near) => {
    keep(near);
    if (isParted) waiting.add(near);
    else lay(near);
  });
  await once(server.listen(0, "127.0.0.1"), "listening");

  const keep = (socket: Socket): Socket => {
    sockets.add(socket);
    return socket.on("error", () => {}).on("close", () => sockets.delete(socket));
  };
  function lay(near: Socket): void {
    const far = keep(connect({ ...to, allowHalfOpen: true }));
    const line = [near, far] as const;
    lines.add(line);
    near.on("error", () => far.destroy()).on("close", () => lines.delete(line));
    far.on("error", () => near.destroy()).on("close", () => lines.delete(line));
    join(line);
  }
  return {
    port: (server.address() as AddressInfo).port,
    part() {
      isParted = true;
      for (const socket of sockets) socket.unpipe().pause();
    },
    heal(how) {
      isParted = false;
      if (how === "forNewOnly") lines.clear();
      for (const line of lines) join(line);
      for (const near of waiting) lay(near);
      waiting.clear();
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}

const join = ([near, far]: Line): void => void near.pipe(far).pipe(near);
