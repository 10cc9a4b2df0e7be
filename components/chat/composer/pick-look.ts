/** A choice under the message field: what is chosen now, without a border. */
export const pickLook =
  "inline-flex h-7 min-w-0 items-center gap-1.5 rounded-control px-2 leading-5 whitespace-nowrap text-ink-2 hover:bg-paper-3 aria-expanded:bg-paper-3 phone:h-11 phone:px-1.5";
