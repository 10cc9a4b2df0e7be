"use client";

import { type ReactNode, useMemo, useSyncExternalStore } from "react";
import { createPortal } from "react-dom";
import { FenceFrame } from "@/components/chat/markdown/fenced-code";
import { useLatePart } from "@/components/ui/late-part";
import { usePageRuns } from "@/components/ui/use-page-runs";
import { ArtifactDesk, Desk, readOpened, type TurnSource } from "./artifact-desk";
import { ArtifactRow } from "./artifact-row";
import { artifactSheet } from "./late-sheet";

export interface ArtifactPlaceProps {
  source: TurnSource;
  /** A page that somebody may save, and that stands without a sidebar. */
  isShared?: boolean;
  children: ReactNode;
}

/** In it documents of the model are rows, and open beside. Without JavaScript they stand in the text. */
export function ArtifactPlace({ source, isShared = false, children }: ArtifactPlaceProps) {
  const desk = useMemo(() => new ArtifactDesk(source, isShared), [source, isShared]);
  const runs = usePageRuns();
  return (
    <Desk value={desk}>
      <FenceFrame value={runs ? ArtifactRow : null}>{children}</FenceFrame>
      {runs && <Sheet desk={desk} />}
    </Desk>
  );
}

function Sheet({ desk }: { desk: ArtifactDesk }) {
  const address = useSyncExternalStore(desk.onAddress, desk.address);
  const opened = useMemo(() => readOpened(address), [address]);
  const Known = useLatePart(artifactSheet, opened !== null);
  return Known && opened && createPortal(<Known desk={desk} opened={opened} />, document.body);
}
