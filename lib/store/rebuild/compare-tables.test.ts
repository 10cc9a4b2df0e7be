import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { tempDir } from "@/lib/store/testing/temp-store";
import { compareTables } from "./compare-tables";

function made(sql: string): string {
  const path = join(tempDir(), "a.db");
  const db = new DatabaseSync(path);
  db.exec(`create table first (a, b); create table second (a); ${sql}`);
  db.close();
  return path;
}

const rows =
  "insert into first values ('x', 1), (null, x'00'); insert into second values (9007199254740993);";

test("a copy with the same rows passes, whatever they hold", () => {
  let read = 0;
  compareTables(made(rows), made(rows), () => read++);
  expect(read).toBe(6);
});

test.each([
  "insert into first values ('x', 1); insert into second values (9007199254740993);",
  `${rows} insert into second values (null)`,
  `${rows} update first set a = 'xy' where a = 'x'`,
  `${rows} update first set b = '1' where b = 1`,
  `${rows} update second set a = 9007199254740992`,
  `${rows} drop table second`,
])("a copy with %s does not", (other) => {
  expect(() => compareTables(made(rows), made(other), () => {})).toThrow(/was not copied as it is/);
});
