import { type Report, writeReport } from "./support/report";
import { saveReports } from "./support/save-reports";

/** `npm run bench` runs all parts, `npm run bench -- loop server` only those that are named. Ends with 1 when an accepted figure is not met. */
const parts: Record<string, () => Promise<Report>> = {
  loop: async () => (await import("./loop/loop")).benchLoop(),
  peers: async () => (await import("./loop/peers")).benchPeers(),
  mcp: async () => (await import("./mcp/mcp")).benchMcp(),
  server: async () => (await import("./server/server")).benchServer(),
  page: async () => (await import("./page/page")).benchPage(),
  import: async () => (await import("./import/import")).benchImport(),
  disk: async () => (await import("./disk/disk")).benchDisk(),
  wire: async () => (await import("./wire/wire")).benchWire(),
  people: async () => (await import("./people/people")).benchPeople(),
  store: async () => (await import("./store/store")).benchStore(),
  cluster: async () => (await import("./cluster/cluster")).benchCluster(),
  flow: async () => (await import("./flow/flow")).benchFlow(),
  gateway: async () => (await import("./gateway/gateway")).benchGateway(),
};

const asked = process.argv.slice(2);
const unknown = asked.find((name) => !Object.hasOwn(parts, name));
if (unknown !== undefined) {
  console.error(`There is no part "${unknown}": choose among ${Object.keys(parts).join(", ")}.`);
  process.exit(1);
}

const missed: string[] = [];
for (const [name, run] of Object.entries(parts)) {
  if (asked.length > 0 && !asked.includes(name)) continue;
  console.log(`Measuring: ${name} …`);
  const report = await run();
  const text = writeReport(report);
  console.log(`\n${text}\n`);
  saveReports(name, text);
  missed.push(...report.checks.filter(({ met }) => !met).map(({ what }) => `${name}: ${what}`));
}
if (missed.length > 0) console.error(`Not met:\n${missed.join("\n")}`);
process.exit(missed.length > 0 ? 1 : 0);
