import { callApi } from "./call-api";
import { stranger } from "./people";

/** A browser as far as cookies go: those of ours, which it sends to us alone. */
export class TestBrowser {
  private readonly cookies = new Map<string, string>();

  async get(path: string): Promise<Response> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const headers = { authorization: "", "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate" };
    const answer = await callApi("GET", path, undefined, { ...headers, ...(cookie && { cookie }) });
    keep(this.cookies, answer);
    return answer;
  }

  call(method: string, path: string, body?: unknown): Promise<Response> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    return callApi(method, path, body, { ...stranger, cookie });
  }
}

/** Follows an address of the provider until it leads back to us: the path with the answer. */
export async function throughProvider(address: string): Promise<string> {
  const cookies = new Map<string, string>();
  let url = new URL(address);
  for (let step = 0; step < 12; step++) {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const answer = await fetch(url, { redirect: "manual", headers: { cookie } });
    keep(cookies, answer);
    const location = answer.headers.get("location");
    if (!location) throw new Error(`${url.pathname} answers ${answer.status}: ${await answer.text()}`);
    url = new URL(location, url);
    if (url.pathname === "/api/auth/oidc/callback") return `${url.pathname}${url.search}`;
  }
  throw new Error("The provider leads in circles.");
}

function keep(cookies: Map<string, string>, answer: Response): void {
  for (const line of answer.headers.getSetCookie()) {
    const [pair = ""] = line.split(";");
    const at = pair.indexOf("=");
    const isOver = /;\s*max-age=0/i.test(line) || /expires=Thu, 01 Jan 1970/i.test(line);
    if (isOver) cookies.delete(pair.slice(0, at));
    else cookies.set(pair.slice(0, at), pair.slice(at + 1));
  }
}
