import { expect, test } from "vitest";
import { Mailbox } from "./mailbox";

test("hands out items in the order in which they came, also to a reader that came first", async () => {
  const mailbox = new Mailbox<number>(new AbortController().signal);
  const first = mailbox.next();
  mailbox.put(1);
  mailbox.put(2);
  expect([await first, await mailbox.next()]).toEqual([1, 2]);
});

test("an item is stored when the reader comes back for more", async () => {
  const mailbox = new Mailbox<number>(new AbortController().signal);
  const events: string[] = [];
  const stored = mailbox.store(1).then(() => events.push("stored"));
  await mailbox.next();
  await new Promise(setImmediate);
  events.push("reader comes back");
  void mailbox.next();
  await stored;
  expect(events).toEqual(["reader comes back", "stored"]);
});

test("after the signal, results put before are read, then the reason is thrown, and nothing is stored", async () => {
  const abort = new AbortController();
  const mailbox = new Mailbox<string>(abort.signal);
  const dealtWith = mailbox.store("being dealt with");
  await mailbox.next();
  mailbox.put("result");
  const waiting = mailbox.store("waiting");
  abort.abort("stopped");
  const late = mailbox.store("late");
  mailbox.put("late");
  expect(await mailbox.next()).toBe("result");
  await expect(mailbox.next()).rejects.toBe("stopped");
  for (const stored of [dealtWith, waiting, late]) await expect(stored).rejects.toBe("stopped");
});

test("a signal that fires while the reader waits ends the waiting", async () => {
  const abort = new AbortController();
  const next = new Mailbox<string>(abort.signal).next();
  abort.abort("stopped");
  await expect(next).rejects.toBe("stopped");
});

test("a reader that goes away rejects what it has not stored", async () => {
  const mailbox = new Mailbox<number>(new AbortController().signal);
  const stored = [mailbox.store(1), mailbox.store(2)];
  await mailbox.next();
  mailbox.close();
  for (const one of stored) await expect(one).rejects.toThrow("gone");
});
