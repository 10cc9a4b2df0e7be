/** The open ring with its seal; with `name` the wordmark stands beside it. */
export function Mark({ size = 18, name = false }: { size?: number; name?: boolean }) {
  return (
    <span className="inline-flex items-center gap-2 font-voice text-[17px] leading-6 font-semibold tracking-[.01em]">
      <svg width={size} height={size} viewBox="0 0 18 18" fill="none" aria-hidden="true">
        <path d="M12.6 3.1A7 7 0 1 0 16 9" stroke="currentColor" strokeWidth="2" strokeLinecap="round" />
        <circle cx="15.4" cy="5.2" r="1.5" fill="var(--shu)" />
      </svg>
      {name && "Meguri"}
    </span>
  );
}
