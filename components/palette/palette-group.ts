import type { IconName } from "@/components/ui/icon";
import type { RingState } from "@/components/ui/ring";

export type GroupId =
  | "waiting"
  | "conversations"
  | "messages"
  | "commands"
  | "settings"
  | "servers"
  | "models"
  | "ask";

/** Something that can be opened or done. */
export interface PaletteRow {
  key: string;
  icon?: IconName;
  /** In place of an icon, with its word for readers. */
  ring?: { state: RingState; label: string };
  title: string;
  /** The words of a message round what was found. */
  snippet?: readonly { text: string; hit: boolean }[];
  /** At the right. */
  note?: string;
  /** Somebody should look here. */
  warns?: boolean;
  keys?: string;
  /** Words by which it is found, beside its title. */
  words?: string;
  href?: string;
  /** In place of going to `href`, or before it. */
  run?(): void;
}

export interface PaletteGroup {
  id: GroupId;
  rows: readonly PaletteRow[];
  /** There are more than are known. */
  hasMore?: boolean;
  /** What is shown is that of an older query. */
  isOld?: boolean;
}
