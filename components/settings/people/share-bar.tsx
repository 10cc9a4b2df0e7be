/** How much of a limit is used, 0 to 1; words beside it say so to readers. */
export const ShareBar = ({ share }: { share: number }) => (
  <span aria-hidden="true" className="mt-0.5 block h-1 bg-rule forced-colors:border">
    <span
      className="block h-full bg-ink-2 forced-colors:bg-[CanvasText]"
      style={{ width: `${share * 100}%` }}
    />
  </span>
);
