import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { pdfBomb, pdfOf } from "@/lib/providers/testing/files";
import { getDeps } from "@/lib/server/entry/deps";
import { callApi, withApplication } from "./testing/call-api";

withApplication({});

const megabyte = 1024 * 1024;
const png = Buffer.concat([
  Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13]),
  Buffer.from("IHDR"),
  Buffer.alloc(megabyte),
]);

const upload = (body: Uint8Array | ReadableStream | string, name: string) =>
  callApi("POST", "/api/attachments", body, {
    "content-type": "application/octet-stream",
    "x-filename": name,
  });

/** A body of about so many megabytes, made as it is read. */
function imageOf(megabytes: number): ReadableStream {
  let left = megabytes;
  return new ReadableStream(
    {
      pull(controller) {
        if (left-- > 0) controller.enqueue(png);
        else controller.close();
      },
    },
    { highWaterMark: 0 },
  );
}

/** The most that `measure` says while `work` goes on. */
async function peakOf<Value>(measure: () => number, work: () => Promise<Value>) {
  let peak = measure();
  const timer = setInterval(() => {
    peak = Math.max(peak, measure());
  }, 2);
  try {
    const value = await work();
    return { value, peak: Math.max(peak, measure()) };
  } finally {
    clearInterval(timer);
  }
}

const buffers = () => process.memoryUsage().arrayBuffers;

/** The most resident memory that one of our child processes has had; 0 where the system does not say. */
function ofChildren(): number {
  try {
    const tasks = readdirSync("/proc/self/task");
    const children = tasks.flatMap((task) =>
      readFileSync(`/proc/self/task/${task}/children`, "utf8").split(" ").filter(Boolean),
    );
    return Math.max(0, ...children.map(highWater));
  } catch {
    return 0;
  }
}

function highWater(pid: string): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, "utf8");
    return Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1] ?? 0) * 1024;
  } catch {
    return 0;
  }
}

test("a PDF of 5 KB that unpacks to a gigabyte is refused by name, and nobody takes more than 800 MB for it", async () => {
  const bomb = pdfBomb(1024);
  expect(bomb.length).toBeLessThan(5_000);
  const before = process.resourceUsage().maxRSS * 1024;
  const { value: response, peak } = await peakOf(ofChildren, () => upload(bomb, "bomb.pdf"));
  expect(response.status).toBe(422);
  expect((await response.json()).error).toEqual({
    code: "unreadable_file",
    message: "bomb.pdf takes too much memory to read; attach the pages that matter.",
  });
  expect(peak).toBeLessThan(800 * megabyte);
  expect(process.resourceUsage().maxRSS * 1024 - before).toBeLessThan(200 * megabyte);
});

test("PDFs are read one after the other, twenty wait, and the next is refused with a time to come back", async () => {
  const { files } = await getDeps();
  const hold = Promise.withResolvers<void>();
  const waiting = Array.from({ length: 21 }, () => files.pdfs.run(() => hold.promise));
  const refused = await upload(pdfOf("Words"), "late.pdf");
  expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "5"]);
  expect((await refused.json()).error.code).toBe("overloaded");
  hold.resolve();
  await Promise.all(waiting);
  expect((await upload(pdfOf("Words"), "now.pdf")).status).toBe(201);
});

test("thirty uploads of 19 MB at once take less than 100 MB", async () => {
  const before = buffers();
  const { value: statuses, peak } = await peakOf(buffers, () =>
    Promise.all(Array.from({ length: 30 }, async (_, at) => (await upload(imageOf(19), `${at}.png`)).status)),
  );
  expect(new Set(statuses)).toEqual(new Set([201]));
  expect(peak - before).toBeLessThan(100 * megabyte);
});

test("while 32 uploads are under way the next is refused with a time to come back", async () => {
  const controllers: ReadableStreamDefaultController[] = [];
  const open = () =>
    new ReadableStream({
      start: (controller) => {
        controllers.push(controller);
        controller.enqueue(png);
      },
    });
  const slow = Array.from({ length: 32 }, (_, at) => upload(open(), `slow-${at}.png`));
  const { files } = await getDeps();
  await expect.poll(() => files.uploads.isFull).toBe(true);
  const refused = await upload("one more", "more.txt");
  expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "5"]);
  expect((await refused.json()).error.code).toBe("overloaded");
  for (const controller of controllers) controller.close();
  expect(new Set((await Promise.all(slow)).map(({ status }) => status))).toEqual(new Set([201]));
  expect((await upload("one more", "more.txt")).status).toBe(201);
});

test("twenty readers of a file of 19 MB that stop after its beginning hold less than 40 MB, and the last byte comes", async () => {
  const { id } = await (await upload(imageOf(19), "long.png")).json();
  const read = () => callApi("GET", `/api/attachments/${id}`);
  const before = buffers();
  const { value: readers, peak } = await peakOf(buffers, () =>
    Promise.all(
      Array.from({ length: 20 }, async () => {
        const reader = (await read()).body?.getReader();
        await reader?.read();
        return reader;
      }),
    ),
  );
  expect(peak - before).toBeLessThan(40 * megabyte);
  await Promise.all(readers.map((reader) => reader?.cancel()));
  const whole = await read();
  expect((await whole.arrayBuffer()).byteLength).toBe(19 * png.length);
});
