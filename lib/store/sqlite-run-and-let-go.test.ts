import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { runAndLetGo } from "./run-and-let-go";

const db = new DatabaseSync(":memory:");
db.exec("create table kept (id integer primary key, body)");
const insert = () => db.prepare("insert into kept (body) values (?)");
const bodies = () => db.prepare("select length(body) as length from kept order by id").all();

test.each([
  ["a text", "x".repeat(1_000_000)],
  ["bytes", new Uint8Array(1_000_000)],
])("of a long parameter, %s, nothing stays with the statement once it has run", (_, body) => {
  db.exec("delete from kept");
  const statement = insert();
  expect(runAndLetGo(statement, [body])).toMatchObject({ changes: 1 });
  expect(statement.expandedSQL.length).toBeLessThan(100);
  runAndLetGo(statement, ["short"]);
  expect(bodies()).toEqual([{ length: 1_000_000 }, { length: 5 }]);
});

test("it lets go as well when it fails, and says why", () => {
  const statement = db.prepare("insert into kept (id, body) values (1, ?)");
  db.exec("delete from kept");
  runAndLetGo(statement, ["first"]);
  expect(() => runAndLetGo(statement, ["x".repeat(1_000_000)])).toThrow("UNIQUE constraint failed");
  expect(statement.expandedSQL.length).toBeLessThan(100);
});
