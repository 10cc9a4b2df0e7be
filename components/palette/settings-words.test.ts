import { expect, test } from "vitest";
import { locales, messages } from "@/app/messages";
import { settingsPages } from "@/components/settings/settings-pages";

test("pages of the settings have the names in the palette that they have there", () => {
  const pages = settingsPages.flatMap(([, ofGroup]) => ofGroup.map(([page]) => page));
  for (const locale of locales) {
    const { palette, settings } = messages[locale];
    expect(palette.pages).toEqual(Object.fromEntries(pages.map((page) => [page, settings[page].title])));
    expect(Object.keys(palette.pageWords).sort()).toEqual([...pages].sort());
  }
});

test("export and import lead to the page of the data, in the words of that page", () => {
  for (const locale of locales) {
    const { palette, settings } = messages[locale];
    for (const section of ["export", "import"] as const)
      expect(palette.pageWords.data.toLowerCase()).toContain(settings.data[section].title.toLowerCase());
  }
});
