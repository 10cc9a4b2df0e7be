import { expect, it, vi } from "vitest";
import { HttpError, overloaded } from "./errors";

it("knows a refusal that another bundle has made", async () => {
  vi.resetModules();
  const other: typeof import("./errors") = await import("./errors");
  expect(other.HttpError).not.toBe(HttpError);
  expect(other.overloaded("Too much at once.")).toBeInstanceOf(HttpError);
  expect(overloaded("Too much at once.")).toBeInstanceOf(other.HttpError);
  expect(new Error("Something else.")).not.toBeInstanceOf(HttpError);
});
