import { createHash } from "node:crypto";
import { plainPage } from "./plain-page";

/**
 * The script of the service worker: while no server answers, a page that is opened says so, and opens when one does. It
 * keeps nothing: the page is part of the script itself.
 */
export function offlineWorker(): string {
  const pages = { en: offlinePage("en"), ja: offlinePage("ja") };
  return `(${work})(${JSON.stringify(pages)},${JSON.stringify(pageHeaders())});\n`;
}

const texts = {
  en: {
    title: "Meguri can’t be reached",
    why: "It was stopped, or the network is down. This page opens as soon as Meguri answers.",
    kept: "What you have written and not sent is kept in this browser.",
    again: "Try again",
    trying: "Trying…",
    still: "Still no answer",
    open: "Can still be read in another tab",
  },
  ja: {
    title: "Meguri に接続できません",
    why: "Meguri が停止しているか、ネットワークに接続されていません。つながり次第、このページは自動で開きます。",
    kept: "未送信の入力は、このブラウザに残っています。",
    again: "再試行",
    trying: "接続しています…",
    still: "まだ応答がありません",
    open: "別のタブで引き続き読める会話",
  },
} as const;

function offlinePage(locale: keyof typeof texts): string {
  const { title, why, kept, again, trying, still, open } = texts[locale];
  const content = [
    `<p>${why}</p><p>${kept}</p>`,
    `<button type="button" data-trying="${trying}" data-still="${still}">${again}</button><span role="status"></span>`,
    `<section hidden><h2>${open}</h2><ul></ul></section><script>${pageScript}</script>`,
  ];
  return plainPage({ locale, title, content: content.join("") });
}

const pageScript = `(${waitForServer})()`;

function pageHeaders(): Record<string, string> {
  const script = createHash("sha256").update(pageScript).digest("base64");
  const policy = `default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-${script}'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;
  return {
    "Content-Type": "text/html; charset=utf-8",
    "Cache-Control": "no-store",
    "Content-Security-Policy": policy,
    "X-Content-Type-Options": "nosniff",
  };
}

/** What a worker has beside a page. The types of TypeScript for the two exclude each other. */
interface WorkerScope {
  addEventListener(type: "install" | "activate", listener: (event: LifeEvent) => void): void;
  addEventListener(type: "fetch", listener: (event: NavigationEvent) => void): void;
  skipWaiting(): Promise<void>;
  registration: { navigationPreload?: { enable(): Promise<void> } };
  cookieStore?: { get(name: string): Promise<{ value?: string } | null> };
}
interface LifeEvent {
  waitUntil(work: Promise<unknown>): void;
  addRoutes?(rules: object[]): Promise<void>;
}
interface NavigationEvent {
  request: Request;
  preloadResponse?: Promise<Response | undefined>;
  respondWith(response: Promise<Response>): void;
}

/** Runs in the worker: it is sent as text, and uses nothing from outside. */
function work(pages: Record<string, string>, headers: Record<string, string>): void {
  const scope = globalThis as unknown as WorkerScope;
  let hasRoutes = false;
  scope.addEventListener("install", (event) => {
    event.waitUntil(scope.skipWaiting());
    if (!event.addRoutes) return;
    // Where the browser can be told, no other request waits for the worker, and an opened page neither.
    const rules = ["cors", "no-cors", "same-origin"].map((requestMode) => ({ requestMode }));
    const paths = ["/api/*", "/share/*"].map((pathname) => ({ urlPattern: { pathname } }));
    const routes = [...rules, ...paths].map((condition) => ({ condition, source: "network" }));
    const told = event.addRoutes(routes).then(() => {
      hasRoutes = true;
    });
    // As in a browser that cannot be told: then each request asks the worker first.
    event.waitUntil(told.catch(() => {}));
  });
  // Not elsewhere: what the worker leaves to the network would be asked for twice.
  scope.addEventListener("activate", (event) => {
    if (hasRoutes) event.waitUntil(Promise.resolve(scope.registration.navigationPreload?.enable()));
  });
  scope.addEventListener("fetch", (event) => {
    const { mode, method, url } = event.request;
    if (mode !== "navigate" || method !== "GET" || /^\/(api|share)\//.test(new URL(url).pathname)) return;
    event.respondWith(open(event));
  });

  async function open(event: NavigationEvent): Promise<Response> {
    try {
      const response = (await event.preloadResponse) ?? (await fetch(event.request));
      // A proxy says so in the place of the server, which has no such answers.
      if (response.status !== 502 && response.status !== 504) return response;
    } catch {
      // Nothing answers.
    }
    return new Response(pages[await language()], { status: 503, headers });
  }

  /** As the server chooses it: what was set, or what the browser prefers. */
  async function language(): Promise<string> {
    // Where cookies cannot be read, the page is in the language that the browser prefers.
    const set = await scope.cookieStore?.get("locale").catch(() => null);
    const wanted = [set?.value, ...navigator.languages.map((tag) => tag.toLowerCase().split("-")[0])];
    return wanted.find((name) => name !== undefined && Object.hasOwn(pages, name)) ?? "en";
  }
}

/** Runs in the page: it is sent as text, and uses nothing from outside. */
function waitForServer(): void {
  const button = document.querySelector("button") as HTMLButtonElement;
  const state = document.querySelector("[role=status]") as HTMLElement;
  const section = document.querySelector("section") as HTMLElement;
  let timer: ReturnType<typeof setTimeout>;
  let pauseMs = 1_000;
  const look = async () => {
    clearTimeout(timer);
    try {
      if ((await fetch("/api/health", { cache: "no-store" })).ok) return location.reload();
    } catch {
      // Not yet.
    }
    clearTimeout(timer);
    timer = setTimeout(look, pauseMs);
    pauseMs = Math.min(pauseMs * 1.5, 5_000);
  };
  button.onclick = async () => {
    state.textContent = button.dataset.trying ?? "";
    await look();
    state.textContent = button.dataset.still ?? "";
  };
  addEventListener("online", look);
  timer = setTimeout(look, pauseMs);

  // Tabs that are open say what they hold; it is shown, and kept nowhere.
  const seen = new Set<string>();
  const channel = new BroadcastChannel("meguri.loaded");
  channel.onmessage = ({ data }: MessageEvent<{ titles?: unknown }>) => {
    if (!Array.isArray(data.titles)) return;
    for (const title of data.titles) {
      if (typeof title !== "string" || seen.has(title) || seen.size >= 20) continue;
      seen.add(title);
      const row = document.createElement("li");
      row.textContent = title;
      section.querySelector("ul")?.append(row);
    }
    section.hidden = seen.size === 0;
  };
  channel.postMessage({ ask: true });
}
