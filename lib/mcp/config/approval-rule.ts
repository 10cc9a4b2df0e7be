import type { McpServerConfig } from "@/lib/protocol/mcp";
import { approvalHash } from "./launch";

/** In which form entries are approved. */
export interface ApprovalRule {
  /** Of the form that a person approves now. */
  hashOf(config: McpServerConfig): string;
  /** `hash`: of the form that was approved; `now`: what `hashOf` gives, where that is known. */
  isApproved(config: McpServerConfig, hash: string | undefined, now?: string): boolean;
}

/**
 * With one installation the folder of a local server is approved as an absolute path: where that is moved, it asks again.
 * Several instances may be installed in different folders; there the folder is approved as it is written, so that an
 * approval holds for all. A relative folder is inside of the installation, which an approval trusts anyway. An approval
 * from before holds on as well.
 */
export function approvalRule(root: string, isShared = false): ApprovalRule {
  const hashOf = (config: McpServerConfig) => approvalHash(config, isShared ? undefined : root);
  return {
    hashOf,
    isApproved: (config, hash, now = hashOf(config)) =>
      hash !== undefined && (hash === now || (isShared && hash === approvalHash(config, root))),
  };
}
