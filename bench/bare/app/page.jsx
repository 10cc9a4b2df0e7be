import { Composer } from "./composer";

/** What a page of Next with one field costs at least. */
export default function Page() {
  return <Composer />;
}
