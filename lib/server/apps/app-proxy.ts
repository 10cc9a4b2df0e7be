/**
 * Runs inside the app, before it: tells what the policy refused and what could not be loaded. A hint for people, which
 * an app can imitate; nothing is decided by it.
 */
const watcher = (before: string) => `<script>(() => {
  ${before}
  const tell = (kind, url) => parent.postMessage({ meguri: kind, url: String(url).slice(0, 500) }, "*");
  addEventListener("securitypolicyviolation", (event) => tell("blocked", event.blockedURI));
  addEventListener("error", ({ target }) => {
    const url = target instanceof Element && (target.src || target.href);
    if (url) tell("failed", url);
  }, true);
  document.currentScript.remove();
})()</script>`;

/**
 * A browser lets no policy close WebRTC, so an artifact begins without it. A frame that it opens has it again
 * (docs/decisions/0056): a hurdle and no wall.
 */
const withoutWebRtc = `for (const name of ["RTCPeerConnection", "webkitRTCPeerConnection", "RTCDataChannel"]) delete window[name];`;

/**
 * The page between ours and an app, which runs in another frame without an origin. It passes messages on, except
 * those that are between it and our page, and takes the app away when that goes elsewhere.
 */
export const appProxy = proxy({ before: "", sandbox: "allow-scripts allow-forms", speaks: true });

/** The same for an artifact, which speaks with nobody: of what it sends only the first hosts that it was refused are told. */
export const artifactProxy = proxy({ before: withoutWebRtc, sandbox: "allow-scripts", speaks: false });

interface ProxyOptions {
  /** Script that runs before what is shown. */
  before: string;
  sandbox: string;
  /** Whether messages are passed on, both ways. */
  speaks: boolean;
}

function proxy({ before, sandbox, speaks }: ProxyOptions): string {
  return `<!doctype html>
<html><head><meta charset="utf-8"><title>App</title><meta name="color-scheme" content="light dark">
<style>html,body,iframe{margin:0;border:0;width:100%;height:100%;display:block;background:transparent}body{overflow:hidden}</style>
</head><body><script>
const host = window.parent;
const watcher = ${JSON.stringify(watcher(before)).replaceAll("</", "<\\/")};
let left = ${speaks ? "Infinity" : "20"};
const prefix = "ui/notifications/sandbox-";
let frame;
const tell = (method, params) => host.postMessage({ jsonrpc: "2.0", method: prefix + method, params }, "*");
function show({ html, title }) {
  frame?.remove();
  frame = document.createElement("iframe");
  frame.sandbox = "${sandbox}";
  frame.title = title ?? "App";
  // After the doctype, without which a browser would lay the app out as pages of long ago.
  const start = /^\\s*(<!--[\\s\\S]*?-->\\s*)*<!doctype[^>]*>/i.exec(html)?.[0].length ?? 0;
  frame.srcdoc = html.slice(0, start) + watcher + html.slice(start);
  let loads = 0;
  frame.addEventListener("load", () => {
    if (++loads === 1) return;
    frame.remove();
    frame = undefined;
    tell("app-left", {});
  });
  document.body.append(frame);
}
addEventListener("message", ({ source, data }) => {
  if (typeof data !== "object" || data === null) return;
  const method = typeof data.method === "string" ? data.method : "";
  if (source === host) {
    if (method === prefix + "resource-ready") show(data.params);
    else if (${speaks} && !method.startsWith(prefix)) frame?.contentWindow.postMessage(data, "*");
  } else if (frame && source === frame.contentWindow) {
    if (data.meguri === "blocked" || data.meguri === "failed") {
      if (left-- > 0) tell("app-" + data.meguri, { url: String(data.url) });
    } else if (${speaks} && data.jsonrpc === "2.0" && !method.startsWith(prefix)) host.postMessage(data, "*");
  }
});
tell("proxy-ready", {});
</script></body></html>
`;
}
