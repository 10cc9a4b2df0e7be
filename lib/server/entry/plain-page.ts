export interface PlainPage {
  locale: "en" | "ja";
  title: string;
  /** HTML below the heading. */
  content: string;
}

/** A page that needs no other file: for those who are not signed in, and for when nothing else can be had. */
export const plainPage = ({ locale, title, content }: PlainPage): string =>
  `<!doctype html><html lang="${locale}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><meta name="robots" content="noindex"><title>${title} · Meguri</title><style>${style}</style></head><body><main>${mark}<h1>${title}</h1>${content}</main></body></html>`;

/** The mark and the type of the application; its sheets are for those who are signed in. */
const mark = `<p class="mark"><svg width="18" height="18" viewBox="0 0 18 18" fill="none" aria-hidden="true"><path d="M12.6 3.1A7 7 0 1 0 16 9" stroke="currentColor" stroke-width="2" stroke-linecap="round"/><circle cx="15.4" cy="5.2" r="1.5"/></svg>Meguri</p>`;
const voice = `"Iowan Old Style","Palatino Linotype","Source Serif 4","Hiragino Mincho ProN","Yu Mincho","Noto Serif JP","Noto Serif CJK JP",Georgia,serif`;
const style = [
  `:root{color-scheme:light dark}body{margin:0;min-height:100vh;display:grid;place-items:center;background:light-dark(#fbf9f4,#0c0b0a);color:light-dark(#1c1916,#ece6da);font:15px/24px -apple-system,"Segoe UI",Roboto,"Hiragino Sans","Noto Sans CJK JP","Noto Sans",sans-serif}`,
  `main{max-width:440px;padding:24px}.mark{display:flex;align-items:center;gap:8px;margin-bottom:16px;color:inherit;font:600 17px/24px ${voice}}.mark circle{fill:light-dark(#b3361a,#ff7f5c)}`,
  `h1{font:400 26px/36px ${voice};margin:0 0 4px;text-wrap:balance}h2{margin:24px 0 4px;font-size:13px;font-weight:600;line-height:20px}p{margin:0;color:light-dark(#4b453b,#c0b8a9);text-wrap:pretty}p+p{margin-top:8px}`,
  `ul{margin:0;padding:0;list-style:none}li{border-top:1px solid light-dark(#e3ddd0,#2a2723);padding:6px 0;overflow:hidden;text-overflow:ellipsis;white-space:nowrap}`,
  `button{margin:20px 12px 0 0;min-height:36px;padding:0 16px;border:0;border-radius:6px;background:light-dark(#1c1916,#ece6da);color:light-dark(#fbf9f4,#0c0b0a);font:inherit}button:focus-visible{outline:2px solid;outline-offset:2px}[role=status]{color:light-dark(#4b453b,#c0b8a9)}`,
].join("");
