import { expect, type Page } from "@playwright/test";
import { host } from "@/docs/corpus/rendering";

/** What must hold wherever the payload is shown; foreign requests and dialogs fail every test by themselves. */
export async function expectHarmless(page: Page): Promise<void> {
  expect(await page.evaluate(() => (window as { pwned?: number }).pwned)).toBeUndefined();
  const found = await page.evaluate(() => {
    const inContent = [...document.querySelectorAll("main *, aside *, header *")];
    const attributes = inContent.flatMap((element) => [...element.attributes]);
    return {
      elements: inContent.flatMap(({ localName }) =>
        ["iframe", "object", "embed", "style", "meta", "link", "base"].includes(localName) ? localName : [],
      ),
      handlers: attributes.flatMap(({ name }) => (name.startsWith("on") ? name : [])),
      images: inContent.flatMap((element) =>
        element instanceof HTMLImageElement && !/^(data|blob):/.test(element.src) ? element.src : [],
      ),
      schemes: [...document.querySelectorAll<HTMLAnchorElement>("a[href]")].flatMap(({ href }) =>
        /^(https?|mailto):/.test(href) ? [] : href,
      ),
    };
  });
  expect(found).toEqual({ elements: [], handlers: [], images: [], schemes: [] });
  const links = page.locator(`a[href^="${host}"]`);
  for (const link of await links.all()) {
    await expect(link).toHaveAttribute("rel", "noopener noreferrer");
    await expect(link).toHaveAttribute("target", "_blank");
  }
}
