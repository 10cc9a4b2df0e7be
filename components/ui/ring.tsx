/** Closed: finished. Open and turning: going round. Vermilion: waits for a person. Colour never says it alone. */
export type RingState = "done" | "run" | "held" | "part" | "wait" | "unknown" | "off" | "failed";

export interface RingProps {
  state: RingState;
  /** 20 for a loop, 16 for a call, 14 in lists, 12 for the smallest. */
  size?: 12 | 14 | 16 | 20;
  /** The number of the loop; only in 20 px. */
  number?: number;
  /** 0 to 1, for `part`. */
  progress?: number;
  /** "loop 2, running". Without it the ring repeats what stands beside it, and readers do not hear it. */
  label?: string | undefined;
}

export function Ring({ state, size = 20, number, progress = 0, label }: RingProps) {
  const frame = { width: size, height: size, viewBox: `0 0 ${size} ${size}` };
  const at = { cx: size / 2, cy: size / 2, r: size / 2 - 1.5 };
  return (
    <span
      className="state-ring"
      data-state={state}
      {...(label ? { role: "img", "aria-label": label } : { "aria-hidden": true })}
    >
      <svg {...frame} aria-hidden="true">
        <Stroke state={state} at={at} progress={progress} />
        {number !== undefined && (
          <text x={size / 2} y={size / 2 + 3.5}>
            {number}
          </text>
        )}
      </svg>
      {state === "run" && (
        <svg {...frame} className="arc" aria-hidden="true">
          <circle
            {...at}
            strokeWidth={at.r < 8 ? 2 : 1.75}
            strokeLinecap="round"
            strokeDasharray={`${roundOf(at) * 0.72} ${roundOf(at)}`}
          />
        </svg>
      )}
    </span>
  );
}

/** A finished call: no ring, a point on the thread. */
export function Dot({ size = 7 }: { size?: number }) {
  return (
    <svg width={size} height={size} viewBox="0 0 8 8" aria-hidden="true">
      <circle cx="4" cy="4" r="3.5" fill="var(--ink-2)" />
    </svg>
  );
}

interface Circle {
  cx: number;
  cy: number;
  r: number;
}

const roundOf = ({ r }: Circle) => 2 * Math.PI * r;

interface StrokeProps {
  state: RingState;
  at: Circle;
  progress: number;
}

/** What does not turn. */
function Stroke({ state, at, progress }: StrokeProps) {
  const { cx: centre, r: radius } = at;
  const round = roundOf(at);
  const heavy = radius < 8;
  switch (state) {
    case "done":
      return <circle {...at} strokeWidth={heavy ? 1.5 : 1.275} />;
    case "off":
      return <circle {...at} strokeWidth={1.5} />;
    case "unknown":
      return <circle {...at} strokeWidth={1.75} strokeDasharray="2 2.5" />;
    case "wait":
      return (
        <>
          <circle {...at} strokeWidth={2.35} />
          <circle cx={centre} cy={centre} r={radius * 0.42} fill="currentColor" stroke="none" />
        </>
      );
    case "failed": {
      const arm = radius * 0.54;
      const [low, high] = [centre - arm, centre + arm];
      return (
        <path
          d={`M${low} ${low} ${high} ${high}M${high} ${low} ${low} ${high}`}
          strokeWidth={2}
          strokeLinecap="round"
        />
      );
    }
    case "run":
      return <circle {...at} stroke="var(--rule)" strokeWidth={1.6} />;
    case "held":
    case "part": {
      const share = state === "held" ? 0.5 : Math.min(1, Math.max(0, progress));
      return (
        <>
          <circle {...at} stroke="var(--rule)" strokeWidth={1.6} />
          <circle
            {...at}
            strokeWidth={heavy ? 2.25 : 2}
            strokeDasharray={`${round * share} ${round}`}
            transform={`rotate(-90 ${centre} ${centre})`}
          />
        </>
      );
    }
  }
}
