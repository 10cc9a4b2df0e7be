import enAccount from "./en/account.json";
import enChat from "./en/chat.json";
import enCommon from "./en/common.json";
import enDefinitions from "./en/definitions.json";
import enErrors from "./en/errors.json";
import enNotifications from "./en/notifications.json";
import enPalette from "./en/palette.json";
import enProjects from "./en/projects.json";
import enRun from "./en/run.json";
import enServer from "./en/server.json";
import enSettings from "./en/settings.json";
import enShare from "./en/share.json";
import enShell from "./en/shell.json";
import enTranscript from "./en/transcript.json";
import jaAccount from "./ja/account.json";
import jaChat from "./ja/chat.json";
import jaCommon from "./ja/common.json";
import jaDefinitions from "./ja/definitions.json";
import jaErrors from "./ja/errors.json";
import jaNotifications from "./ja/notifications.json";
import jaPalette from "./ja/palette.json";
import jaProjects from "./ja/projects.json";
import jaRun from "./ja/run.json";
import jaServer from "./ja/server.json";
import jaSettings from "./ja/settings.json";
import jaShare from "./ja/share.json";
import jaShell from "./ja/shell.json";
import jaTranscript from "./ja/transcript.json";

const en = {
  account: enAccount,
  chat: enChat,
  common: enCommon,
  definitions: enDefinitions,
  errors: enErrors,
  notifications: enNotifications,
  palette: enPalette,
  projects: enProjects,
  run: enRun,
  server: enServer,
  settings: enSettings,
  share: enShare,
  shell: enShell,
  transcript: enTranscript,
};

/** One file per screen and language; English is the shape that the others have. */
export type Messages = typeof en;
export type Namespace = keyof Messages;

const ja: Messages = {
  account: jaAccount,
  chat: jaChat,
  common: jaCommon,
  definitions: jaDefinitions,
  errors: jaErrors,
  notifications: jaNotifications,
  palette: jaPalette,
  projects: jaProjects,
  run: jaRun,
  server: jaServer,
  settings: jaSettings,
  share: jaShare,
  shell: jaShell,
  transcript: jaTranscript,
};

export const messages = { en, ja };
export const locales = ["en", "ja"] as const;
export type Locale = (typeof locales)[number];

declare module "use-intl" {
  interface AppConfig {
    Locale: Locale;
    Messages: Messages;
  }
}
