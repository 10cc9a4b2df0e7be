import { serveApplication } from "./serve-application.mjs";
import { SetupError } from "./setup-error.mjs";

try {
  await serveApplication({ dev: process.argv.includes("--dev") });
} catch (error) {
  console.error(error instanceof SetupError ? error.message : error);
  process.exit(1);
}
