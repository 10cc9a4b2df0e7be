/** Signs in at the test's authorization server and consents to everything; returns the address of the redirect. */
export async function consent(page: URL, backTo: string): Promise<URL> {
  const cookies = new Map<string, string>();
  let url = page;
  let form: URLSearchParams | undefined;
  for (let step = 0; step < maxSteps; step++) {
    const response = await fetch(url, {
      redirect: "manual",
      method: form ? "POST" : "GET",
      headers: { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join("; ") },
      ...(form && { body: form }),
    });
    for (const cookie of response.headers.getSetCookie()) {
      const [pair = ""] = cookie.split(";");
      const at = pair.indexOf("=");
      cookies.set(pair.slice(0, at), pair.slice(at + 1));
    }
    form = undefined;
    const location = response.headers.get("location");
    if (location) {
      url = new URL(location, url);
      if (url.href.startsWith(backTo)) return url;
      continue;
    }
    const text = await response.text();
    const action = /<form[^>]* action="([^"]+)"/.exec(text)?.[1];
    if (!action)
      throw new Error(`The authorization server answered ${response.status}: ${text.slice(0, 300)}`);
    url = new URL(action.replaceAll("&amp;", "&"), url);
    form = new URLSearchParams({ do: "go" });
  }
  throw new Error("The sign-in did not come to an end.");
}

const maxSteps = 12;
