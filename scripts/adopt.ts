import { adopt } from "@/lib/server/entry/adopt";
import { onData } from "./on-data.mjs";

// `npm run adopt -- <email>`: what was written with AUTH=local becomes this person's.
await onData((env) => adopt(env, process.argv[2]));
