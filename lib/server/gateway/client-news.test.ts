import { expect, test, vi } from "vitest";
import { localPerson } from "@/lib/server/http/guard";
import { LocalBus } from "@/lib/store/bus";
import { type NewsDeps, tellNews } from "./client-news";

type Told = Parameters<typeof tellNews>[1];

test("settings that change while agents are looked at are looked at once more, however often they do", async () => {
  const bus = new LocalBus();
  const first = Promise.withResolvers<void>();
  let names = ["haiku"];
  let looks = 0;
  const agents = async () => {
    const found = names;
    if (++looks === 1) await first.promise;
    return found;
  };
  const unchanged = { onChange: () => () => {} };
  const deps = { store: { bus }, ...{ pool: unchanged, agentFolder: unchanged }, log: { warn: () => {} } };
  const none = () => [];
  const told = {
    ...{ person: localPerson, session: { id: "s" } },
    ...{ toolbox: { listed: none, agents }, library: { prompts: none, resources: none, templates: none } },
  };
  const news: object[] = [];
  const end = new AbortController();
  tellNews(deps as unknown as NewsDeps, told as unknown as Told, (changed) => news.push(changed), end.signal);
  const change = () => bus.publish(`user:${localPerson.id}`, "settings");
  for (let times = 0; times < 100; times++) change();
  names = ["haiku", "clerk"];
  first.resolve();
  await vi.waitUntil(() => news.length === 1);
  names = [];
  change();
  await vi.waitUntil(() => news.length === 2);
  expect(looks).toBe(3);
  // Of settings that are about something else nothing is told.
  change();
  await vi.waitUntil(() => looks === 4);
  names = ["clerk"];
  change();
  await vi.waitUntil(() => looks === 5 && news.length > 2);
  expect(news).toHaveLength(3);
  end.abort();
});
