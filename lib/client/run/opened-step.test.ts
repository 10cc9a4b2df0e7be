import { expect, test } from "vitest";
import { addressOfOpened, nothingOpened, type OpenedStep, readOpened } from "./opened-step";

const page = "http://host/runs/a?other=1&step=gone#end";

test("what is open is read as it was written", () => {
  const all: OpenedStep[] = [
    nothingOpened,
    { step: "call x/1&2", tab: "answer" },
    { step: "model 2", tab: "sent" },
    { step: "model 2", tab: "wire" },
  ];
  for (const opened of all)
    expect(readOpened(new URL(addressOfOpened(page, opened), page).search)).toEqual(opened);
});

test("an address says no more than it must, and keeps what it says beside", () => {
  expect(addressOfOpened(page, nothingOpened)).toBe("/runs/a?other=1#end");
  expect(addressOfOpened("http://host/runs/a?step=1", nothingOpened)).toBe("/runs/a");
  expect(addressOfOpened(page, { step: null, tab: "wire" })).toBe("/runs/a?other=1#end");
});

test("a tab that there is not is the first one", () => {
  expect(readOpened("?step=model+1&tab=toString")).toEqual({ step: "model 1", tab: "answer" });
  expect(readOpened("")).toEqual(nothingOpened);
});
