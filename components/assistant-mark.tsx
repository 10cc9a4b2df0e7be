/** One character in a ring; the name stands beside it. */
export const AssistantMark = ({ icon }: { icon: string }) => (
  <span
    aria-hidden="true"
    className="grid size-7 flex-none place-items-center rounded-full border border-rule-2 font-voice text-[14px] leading-none text-ink"
  >
    {icon}
  </span>
);
