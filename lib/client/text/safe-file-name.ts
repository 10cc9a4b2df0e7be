import { withoutInvisible } from "@/lib/protocol/show-invisible";

/** Without what some system forbids in a name. */
export function safeFileName(title: string, otherwise = "conversation"): string {
  const plain = withoutInvisible(title)
    .replace(/[\s<>:"/\\|?*]+/g, " ")
    .replace(/^[. ]+|[. ]+$/g, "")
    .slice(0, 80)
    .trim();
  return plain === "" || reserved.test(plain) ? otherwise : plain;
}

/** Devices of Windows, with any ending. */
const reserved = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i;
