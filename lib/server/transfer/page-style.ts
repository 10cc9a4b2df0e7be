/**
 * The look of an exported page: the tokens and the measures of the application, as far as paper needs them. It has nothing to
 * fetch, follows the reader's light or dark, and prints with everything open.
 */
export const pageStyle = `
:root{color-scheme:light;--paper:#fbf9f4;--paper-2:#f4f1e8;--rule:#e0d9ca;--thread:#c9bfab;--ink:#1c1916;--ink-2:#4b453b;--ink-3:#6a6255;--shu:#b3361a;
--text:-apple-system,"Segoe UI Variable Text","Segoe UI",Roboto,"Hiragino Sans","Yu Gothic UI","Noto Sans JP","Noto Sans CJK JP","Noto Sans",sans-serif;
--voice:"Iowan Old Style","Palatino Linotype","Source Serif 4","Hiragino Mincho ProN","Yu Mincho","Noto Serif JP","Noto Serif CJK JP",Georgia,serif;
--mono:"SF Mono","Cascadia Mono",Consolas,Menlo,"Noto Sans Mono CJK JP","DejaVu Sans Mono",monospace}
@media (prefers-color-scheme:dark){:root{color-scheme:dark;--paper:#0c0b0a;--paper-2:#141210;--rule:#2a2621;--thread:#443e36;--ink:#ece6da;--ink-2:#c0b8a9;--ink-3:#989082;--shu:#ff7f5c}}
*{box-sizing:border-box}
body{margin:0;background:var(--paper);color:var(--ink);font:15px/24px var(--text);overflow-wrap:anywhere}
:lang(ja) body,body:lang(ja){line-height:28px}
main{max-width:756px;margin:0 auto;padding:32px 24px 64px}
header{border-bottom:1px solid var(--rule);padding-bottom:12px}
h1{margin:0;font:30px/40px var(--voice);text-wrap:balance}
.meta{margin:4px 0 0;font-size:13px;line-height:20px;color:var(--ink-3)}
.warn{color:var(--shu)}
.question,.said{margin:32px 0 0;font:19px/28px var(--voice)}
.said{margin:16px 0;padding-left:16px;border-left:1px solid var(--thread);font-size:16px;line-height:24px}
.label{margin:0 0 4px;font:12px/16px var(--text);color:var(--ink-3)}
.plain{white-space:pre-wrap;margin:0}
.answer{margin:24px 0 0;padding-top:12px;border-top:1px solid var(--rule)}
.text>:first-child{margin-top:8px}
h2,h3,h4,h5,h6{margin:24px 0 8px;font:600 15px/24px var(--text)}
h2{font-size:17px}
p,ul,ol,blockquote,table{margin:12px 0}
ul,ol{padding-left:24px}
blockquote{margin-left:0;padding-left:16px;border-left:1px solid var(--thread);color:var(--ink-2)}
a{color:inherit;text-underline-offset:3px}
code,pre,.name{font:13px/20px var(--mono)}
pre{margin:8px 0;padding:8px 12px;background:var(--paper-2);border:solid var(--rule);border-width:1px 0;white-space:pre-wrap}
table{border-collapse:collapse;display:block;overflow-x:auto}
th,td{padding:4px 12px 4px 0;border-bottom:1px solid var(--rule);text-align:left;vertical-align:top}
img{display:block;max-width:100%;max-height:480px;margin:8px 0;border:1px solid var(--rule)}
hr{border:0;border-top:1px solid var(--rule);margin:24px 0}
details{margin:8px 0;padding-left:16px;border-left:1px solid var(--thread);font-size:13px;line-height:20px;color:var(--ink-2)}
summary{cursor:pointer;line-height:24px}
summary::marker{color:var(--ink-3);font-size:.8em}
.block{display:inline-block;max-width:100%;height:.95em;vertical-align:-.15em;border-radius:1px;background:var(--ink);print-color-adjust:exact}
.file{display:block;font:13px/20px var(--text);color:var(--ink-3)}
footer{margin-top:48px;font-size:13px;color:var(--ink-3)}
@media print{details::details-content{content-visibility:visible;display:block}pre{break-inside:avoid}}
`;
