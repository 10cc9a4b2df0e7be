import { rotateSecret } from "@/lib/server/entry/rotate-secret";
import { onData } from "./on-data.mjs";

// `npm run rotate-secret`: another secret in the place of the one in use.
await onData(rotateSecret);
