import { renderToStaticMarkup } from "react-dom/server";
import { expect, it } from "vitest";
import { fetchAhead, type LatePart, latePart, useLatePart } from "./late-part";

const Words = ({ words }: { words: string }) => <p>{words}</p>;

function Place({ part, isNeeded = true }: { part: LatePart<{ words: string }>; isNeeded?: boolean }) {
  const Part = useLatePart(part, isNeeded);
  return Part ? <Part words="here" /> : "waiting";
}

it("is there in the first render once it was fetched, and only where it is needed", async () => {
  const part = latePart(async () => ({ default: Words }));
  expect(renderToStaticMarkup(<Place part={part} />)).toBe("waiting");
  await part.read();
  expect(renderToStaticMarkup(<Place part={part} />)).toBe("<p>here</p>");
  expect(renderToStaticMarkup(<Place part={part} isNeeded={false} />)).toBe("waiting");
});

it("is tried again where it could not be fetched ahead, which nobody is told", async () => {
  let tries = 0;
  const part = latePart<{ words: string }>(async () => {
    tries += 1;
    if (tries === 1) throw new Error("Failed to fetch");
    return { default: Words };
  });
  fetchAhead(part);
  await expect.poll(() => tries).toBe(1);
  expect(await part.read()).toBe(Words);
});
