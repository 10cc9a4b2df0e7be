/** Bytes of one file; the server refuses more, and checking here saves the upload. */
export const maxFileBytes = 20 * 1024 * 1024;
/** Files of one message. */
export const maxFiles = 10;

/** What a file dialog offers; the server looks at the content. */
export const fileKinds =
  "image/png,image/jpeg,image/gif,image/webp,application/pdf,text/*,.md,.csv,.json,.yaml,.yml,.toml,.xml,.log,.ts,.tsx,.js,.py,.rs,.go,.java,.c,.h,.cpp,.sql,.sh";
