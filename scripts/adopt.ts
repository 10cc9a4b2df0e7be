import { adopt } from "@/lib/server/entry/adopt";
import { onData } from "./on-data.mjs";

// `npm run adopt -- <email>`: what was written with AUTH=local becomes this person's.
await onData((env: NodeJS.ProcessEnv) => adopt(env, process.argv[2]));
