/** What opened, one piece below the other. */
export const detailLook = "flex flex-col gap-2 [&>.code]:m-0 [&>[data-file]]:self-start";
