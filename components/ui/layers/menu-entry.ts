import type { ComponentProps, ReactNode } from "react";
import type { IconName } from "@/components/ui/icon";

export type MenuEntry =
  | { kind?: "item"; label: string; icon?: IconName; note?: ReactNode; disabled?: boolean; onSelect(): void }
  /** One of the neighbours that are chosen from; the chosen one has a check. */
  | {
      kind: "choice";
      label: ReactNode;
      note?: ReactNode;
      chosen: boolean;
      disabled?: boolean;
      onSelect(): void;
    }
  /** `warns`: somebody should look here. */
  | { kind: "label"; label: string; warns?: boolean }
  | { kind: "rule" }
  /** Neighbours under a name of their own. */
  | { kind: "group"; label: string; entries: readonly MenuEntry[] }
  /** A row behind which there are more. */
  | { kind: "sub"; label: string; entries: readonly MenuEntry[] };

export interface MenuProps {
  entries: readonly MenuEntry[];
  /** A `<button>` element's props and content; the menu gives it its roles. */
  trigger: ComponentProps<"button">;
  /** It was asked for before it was there. */
  startsOpen?: boolean;
  onOpenChange?(isOpen: boolean): void;
  align?: "start" | "end";
  side?: "top" | "bottom";
}
